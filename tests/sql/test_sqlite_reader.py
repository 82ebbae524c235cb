"""The reader for SQLite, given hostile SQL that no compiler would write: its fences hold alone."""

import json
import re
import sqlite3
import time
from contextlib import suppress

import pytest

from sql_sandbox.catalogue import Column, Table, ValueKind, View
from sql_sandbox.compiled import Compiled, Limits
from sql_sandbox.compiling.operations import ENGINES
from sql_sandbox.refusals import Failed, NotAllowed, Refused, TimedOut, TooLarge, Unavailable
from sql_sandbox.running import sqlite_reader
from sql_sandbox.running.sqlite_reader import BUILT_IN_FUNCTIONS, SQLiteGuard, SqliteReader

CONTENT = Table(
    "siteserver_Content",
    "content",
    (
        Column("Id", ValueKind.INTEGER, "id"),
        Column("SiteId", ValueKind.INTEGER, "site_id"),
        Column("Title", ValueKind.TEXT, "title"),
        Column(
            "Body",
            ValueKind.TEXT,
            sqlite="(SELECT b.text FROM body b WHERE b.content_id = s.id)",
            reads=(("content", "id"), ("body", "text"), ("body", "content_id")),
            is_long=True,
        ),
        Column(
            "Letters",
            ValueKind.TEXT,
            sqlite="(SELECT group_concat(e.value, '-') FROM json_each(s.letters) e)",
            reads=(("content", "letters"), ("json_each", "value"), ("json_each", "json")),
        ),
    ),
    site="site_id",
    present="s.trashed = 0",
    reads=(("content", "trashed"),),
)
GROUP = Table("Group", "grouped", (Column("Name", ValueKind.TEXT, "name"),))
ROWS = """
CREATE TABLE content (id INTEGER PRIMARY KEY, site_id INT, title TEXT, letters TEXT, trashed INT, hidden TEXT);
CREATE INDEX by_title ON content (title);
CREATE TABLE body (content_id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE grouped (name TEXT);
CREATE TABLE users (id INTEGER PRIMARY KEY, password TEXT);
INSERT INTO content VALUES (1, 1, 'One', '["a","b"]', 0, 'CANARY'), (2, 2, 'Two', '[]', 0, 'CANARY');
INSERT INTO content VALUES (3, 1, 'Trashed', '[]', 1, 'CANARY');
INSERT INTO body VALUES (1, 'Long');
INSERT INTO grouped VALUES ('News');
INSERT INTO users VALUES (1, 'CANARY');
"""
FUNCTIONS = {"shout": (1, lambda text: text.upper() + "!")}
CATALOGUE_FUNCTIONS = {"group_concat", "json_each"}
# Ten rows a time: more steps than any machine takes.
ENDLESS = "SELECT count(*) AS n FROM " + ", ".join(
    f"(SELECT 1 AS a{' UNION ALL SELECT 1' * 9}) AS q{number}" for number in range(14)
)


@pytest.fixture
def path(tmp_path):
    """A database as the service leaves it: with a write-ahead log, and its file closed."""
    path = tmp_path / "data base?#%41.sqlite3"
    write(path, "PRAGMA journal_mode = WAL;" + ROWS)
    return path


@pytest.fixture
def reader(path):
    return SqliteReader(path, FUNCTIONS, CATALOGUE_FUNCTIONS)


def write(path, script):
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.executescript(script)
    finally:
        connection.close()


def dump(path):
    """All that the database holds, the log included."""
    connection = sqlite3.connect(path)
    try:
        settings = [connection.execute(f"PRAGMA {name}").fetchone() for name in ("user_version", "journal_mode")]
        return settings, list(connection.iterdump())
    finally:
        connection.close()


def view(*names, table=CONTENT, site_ids=None):
    return View(table, tuple(table.column(name) for name in names), site_ids)


def run(reader, sql, columns=("x",), *, site_ids=None, views=None, seconds=20.0, limits=None, **parameters):
    """The answer to SQL as it is; a column is a name, or a name and a kind."""
    named = tuple((column, ValueKind.TEXT) if isinstance(column, str) else column for column in columns)
    compiled = Compiled(sql, parameters, views or {}, named)
    return reader.run(compiled, site_ids, time.monotonic() + seconds, limits or Limits())


def values(answer):
    return [list(row.values()) for row in json.loads(answer.rows)]


# ---- Views


def test_the_views_have_the_catalogues_columns_and_the_present_rows(reader):
    answer = run(
        reader,
        'SELECT t1."id", t1."title", t1."body", t1."letters", t1."siteid" FROM "v1" AS t1 ORDER BY 1',
        ("id", "title", "body", "letters", "siteId"),
        views={"v1": view("Id", "Title", "Body", "Letters", "SiteId")},
    )
    assert json.loads(answer.rows) == [
        {"id": 1, "title": "One", "body": "Long", "letters": "a-b", "siteId": 1},
        {"id": 2, "title": "Two", "body": None, "letters": None, "siteId": 2},
    ]
    assert answer.truncated == ""


@pytest.mark.parametrize(
    "of_key,of_view,seen",
    [
        (None, None, [1, 2]),
        ((1,), None, [1]),
        ((1,), (1, 2), [1]),
        ((1, 2), (2,), [2]),
        (None, (2,), [2]),
        ((2,), (1,), []),
        ((), None, []),
    ],
)
def test_only_rows_of_the_sites_of_both_key_and_view_are_seen(reader, of_key, of_view, seen):
    views = {"v1": view("Id", site_ids=of_view)}
    ids = run(reader, 'SELECT t1."id" FROM "v1" AS t1 ORDER BY 1', views=views, site_ids=of_key)
    count = run(reader, 'SELECT count(*) FROM "v1" AS t1', views=views, site_ids=of_key)
    assert values(ids) == [[one] for one in seen]
    assert values(count) == [[len(seen)]]


def test_a_table_without_sites_is_closed_to_a_limited_key(reader):
    views = {"v1": view("Name", table=GROUP)}
    assert values(run(reader, 'SELECT "name" FROM "v1"', views=views)) == [["News"]]
    with pytest.raises(NotAllowed):
        run(reader, 'SELECT "name" FROM "v1"', views=views, site_ids=(1,))


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT t1."id" FROM "v1" AS t1 WHERE spy(t1."title") = 1',
        'SELECT t1."id" FROM "v1" AS t1 WHERE t1."id" > 0 AND spy(t1."title") = 1 ORDER BY t1."title"',
        'SELECT spy(t1."title") FROM "v1" AS t1',
        'SELECT count(*) FROM "v1" AS t1 JOIN "v1" AS t2 ON spy(t1."title") = spy(t2."title")',
        'SELECT t1."id" FROM "v1" AS t1 GROUP BY t1."id" HAVING max(spy(t1."title")) = 1',
        'WITH c1 AS (SELECT t1."title" AS a FROM "v1" AS t1) SELECT 1 FROM c1 AS t2 WHERE spy(t2.a) = 1',
    ],
)
def test_a_limited_keys_expressions_never_see_rows_of_other_sites(path, sql):
    seen = set()
    reader = SqliteReader(path, {"spy": (1, lambda text: seen.add(text) or 1)})
    run(reader, sql, views={"v1": view("Id", "Title")}, site_ids=(1,))
    assert seen == {"One"}


def test_compiled_statements_may_use_common_tables_windows_and_registered_functions(reader):
    answer = run(
        reader,
        'WITH c1 AS (SELECT t1."id" AS a FROM "v1" AS t1), c2 AS (SELECT 1 AS a) '
        "SELECT shout(:p1), count(*), row_number() OVER (ORDER BY 1), (SELECT count(*) FROM c2) FROM c1 AS t2",
        ("a", "b", "c", "d"),
        views={"v1": view("Id")},
        p1="now",
    )
    assert values(answer) == [["NOW!", 2, 1, 1]]


# ---- What is not a reading of the views


WRITES = [
    "INSERT INTO users VALUES (2, 'x')",
    "REPLACE INTO users VALUES (1, 'x')",
    "UPDATE users SET password = 'x'",
    "DELETE FROM content",
    "DELETE FROM content RETURNING id",
    "DROP TABLE users",
    "DROP INDEX by_title",
    "ALTER TABLE users RENAME TO people",
    "CREATE TABLE mine (a)",
    "CREATE TABLE mine AS SELECT 1 AS a",
    "CREATE VIEW mine AS SELECT 1 AS a",
    "CREATE INDEX mine ON users (password)",
    "CREATE TRIGGER mine AFTER INSERT ON users BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE mine USING fts5(a)",
    "REINDEX",
    "ANALYZE",
    "VACUUM",
    "PRAGMA user_version = 5",
    "PRAGMA journal_mode = DELETE",
]
COMMANDS = [
    "CREATE TEMP TABLE mine (a)",
    "CREATE TEMP VIEW mine AS SELECT * FROM users",
    "ATTACH DATABASE ':memory:' AS other",
    "DETACH DATABASE main",
    "PRAGMA query_only = OFF",
    "PRAGMA trusted_schema",
    "PRAGMA table_info(users)",
    "BEGIN",
    "BEGIN EXCLUSIVE",
    "SAVEPOINT mine",
]
TABLES = [
    "SELECT password FROM users",
    "SELECT count(*) FROM users",
    "SELECT 1 FROM users",
    "SELECT (SELECT password FROM users)",
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM users)",
    "WITH v1 AS (SELECT * FROM users) SELECT * FROM v1",
    "WITH users AS (SELECT * FROM main.users) SELECT * FROM users",
    "SELECT rowid FROM users",
    "SELECT title FROM content",
    "SELECT sql FROM sqlite_master",
    "SELECT count(*) FROM sqlite_master",
    "SELECT sql FROM sqlite_schema",
    "SELECT sql FROM sqlite_temp_master",
    "SELECT count(*) FROM sqlite_temp_schema",
    "SELECT name FROM pragma_table_info('users')",
    "SELECT count(*) FROM pragma_database_list",
    "SELECT name FROM dbstat",
    "SELECT sql FROM sqlite_stmt",
    "SELECT value FROM json_each('[1]')",
]
CALLS = [
    "SELECT load_extension('x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('mine', 'x')",
    "SELECT zeroblob(1000000000)",
    "SELECT length(randomblob(1000000000))",
    "SELECT hex(zeroblob(500000000))",
    "SELECT printf('%1000000000s', 'x')",
    "SELECT group_concat('x')",
    "SELECT changes()",
    "SELECT sqlite_version()",
    "SELECT char(65)",
    "SELECT edit('x')",
]
ENGINE_BOMBS = [
    "WITH RECURSIVE c1(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM c1) SELECT max(a) FROM c1",
    "SELECT 1" + " UNION ALL SELECT 1" * 30,
    "SELECT " + "-" * 5000 + "1",
    "SELECT " + "1+" * 3000 + "1",
    "SELECT 'x' LIKE '" + "%_" * 2000 + "'",
]


@pytest.mark.parametrize("sql", [*WRITES, *COMMANDS, *TABLES, *CALLS, *ENGINE_BOMBS, "SELECT 1; SELECT 2"])
def test_raw_sql_beside_the_views_is_refused_and_changes_nothing(reader, path, sql):
    before = dump(path)
    with pytest.raises(Refused) as refused:
        run(reader, sql)
    assert "CANARY" not in refused.value.message
    assert dump(path) == before
    assert [one.name for one in path.parent.iterdir() if not one.name.startswith(path.name)] == []


@pytest.mark.parametrize("sql", WRITES)
def test_writing_is_refused_even_without_the_authorizer(reader, path, monkeypatch, sql):
    monkeypatch.setattr(SQLiteGuard, "__call__", lambda *_: sqlite3.SQLITE_OK)
    before = dump(path)
    with suppress(Refused):  # some commands are carried out without an effect
        run(reader, sql)
    assert dump(path) == before


@pytest.mark.parametrize("sql", [*WRITES, *COMMANDS, *TABLES, *CALLS])
def test_the_authorizer_alone_refuses_on_a_connection_that_can_write(path, sql):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.set_authorizer(SQLiteGuard([], [], []))
    try:
        with pytest.raises(sqlite3.DatabaseError):
            connection.execute(sql).fetchall()
    finally:
        connection.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT hidden FROM content",
        "SELECT title FROM content",
        "SELECT id FROM content",
        "SELECT count(*) FROM content",
        'SELECT "hidden" FROM v1 AS t1 JOIN content USING (id)',
        "WITH v1 AS (SELECT * FROM content) SELECT * FROM v1",
        "WITH v1 AS (SELECT id FROM content) SELECT * FROM v1",
        "WITH v1 AS (SELECT title FROM main.content) SELECT count(*) FROM v1",
        "WITH c1 AS (SELECT title FROM main.content) SELECT count(*) FROM c1",
        "SELECT text FROM body",
        "SELECT group_concat(title) FROM v1",
    ],
)
def test_the_tables_below_the_views_cannot_be_read_directly(reader, sql):
    with pytest.raises(NotAllowed):
        run(reader, sql, views={"v1": view("Id", "Title", "Body")}, site_ids=(1,))


def test_the_guard_is_silent_on_the_statement_but_logs_what_it_denied(reader, caplog):
    with pytest.raises(NotAllowed) as refused:
        run(reader, "SELECT password FROM users WHERE password <> 'a secret literal'")
    assert "users" not in refused.value.message
    assert "'users'" in caplog.text
    assert "literal" not in caplog.text


def test_the_guard_allows_the_functions_that_compiled_statements_call_and_no_others():
    templates = " ".join(ENGINES["sqlite"].templates.values())
    called = {name.lower() for name in re.findall(r"\b([A-Z_]+)\(", templates)} - {"cast"}
    written_otherwise = {"like"}
    assert called | written_otherwise == BUILT_IN_FUNCTIONS


# ---- Limits


def test_an_endless_statement_ends_at_its_deadline(reader):
    with pytest.raises(TimedOut):
        run(reader, ENDLESS, seconds=0.2)


def test_nothing_runs_after_the_deadline(reader):
    with pytest.raises(TimedOut):
        run(reader, "SELECT 1", seconds=-1)


@pytest.mark.parametrize(
    "limits,count,truncated",
    [
        (Limits(rows=1), 1, "rows"),
        (Limits(rows=2), 2, ""),
        (Limits(bytes=len(b'[{"x":"One"}]')), 1, "bytes"),
        (Limits(bytes=len(b'[{"x":"One"},{"x":"Two"}]') - 1), 1, "bytes"),
        (Limits(bytes=len(b'[{"x":"One"},{"x":"Two"}]')), 2, ""),
    ],
)
def test_the_answer_is_cut_short_at_the_first_limit(reader, limits, count, truncated):
    answer = run(reader, 'SELECT "title" FROM "v1" ORDER BY "id"', views={"v1": view("Id", "Title")}, limits=limits)
    assert (len(json.loads(answer.rows)), answer.truncated) == (count, truncated)
    assert len(answer.rows) <= limits.bytes


def test_a_first_row_over_the_limit_is_refused(reader):
    with pytest.raises(TooLarge):
        run(reader, 'SELECT "title" FROM "v1"', views={"v1": view("Title")}, limits=Limits(bytes=10))


def test_a_body_as_long_as_the_service_takes_can_be_measured_and_cut(path, reader):
    write(path, f"UPDATE body SET text = '{'x' * 10 * 1024 * 1024}'")
    views = {"v1": view("Id", "Body")}
    sql = 'SELECT length("body"), substr("body", 1, 3) FROM "v1" WHERE "id" = 1'
    assert values(run(reader, sql, ("a", "b"), views=views)) == [[10 * 1024 * 1024, "xxx"]]
    with pytest.raises(TooLarge):
        run(reader, 'SELECT "body" FROM "v1" WHERE "id" = 1', views=views)
    with pytest.raises(TooLarge):
        run(reader, 'SELECT length("body" || "body") FROM "v1" WHERE "id" = 1', views=views)


def test_a_body_just_below_the_limit_of_the_answer_is_answered(path, reader):
    text = "x" * (4 * 1024 * 1024 - 20)
    write(path, f"UPDATE body SET text = '{text}'")
    assert values(run(reader, 'SELECT "body" FROM "v1" WHERE "id" = 1', views={"v1": view("Id", "Body")})) == [[text]]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT abs(-9223372036854775808)",
        "SELECT shout(5)",
        "SELECT sum(a) FROM (SELECT 9223372036854775807 AS a UNION ALL SELECT 1) AS q1",
        "SELECT nothing",
    ],
)
def test_a_failed_statement_says_nothing_of_the_engines_words(reader, sql):
    with pytest.raises(Failed, match=r"^The database cannot run the statement"):
        run(reader, sql)


# ---- Values


@pytest.mark.parametrize(
    "sql,kind,value",
    [
        ("SELECT 1 = 1", ValueKind.BOOLEAN, True),
        ("SELECT 1 = 2", ValueKind.BOOLEAN, False),
        ("SELECT NULL", ValueKind.BOOLEAN, None),
        ("SELECT 1", ValueKind.INTEGER, 1),
        ("SELECT 9223372036854775807", ValueKind.INTEGER, 9223372036854775807),
        ("SELECT 0.5", ValueKind.NUMBER, 0.5),
        ("SELECT 9e999", ValueKind.NUMBER, None),
        ("SELECT -9e999", ValueKind.NUMBER, None),
        ("SELECT CAST(x'61FF62' AS TEXT)", ValueKind.TEXT, "a\ufffdb"),
        ("SELECT CAST(x'EDA080' AS TEXT)", ValueKind.TEXT, "\ufffd\ufffd\ufffd"),
        ("SELECT CAST(x'610062' AS TEXT)", ValueKind.TEXT, "a\x00b"),
        ("SELECT x'00FF'", ValueKind.TEXT, "AP8="),
        ("SELECT '夏'", ValueKind.TEXT, "夏"),
    ],
)
def test_every_value_has_its_form_in_json(reader, sql, kind, value):
    assert json.loads(run(reader, sql, (("x", kind),)).rows) == [{"x": value}]


def test_an_unknown_name_is_never_a_column_of_the_table_below(reader):
    # SQLite reads an unknown name in quotes as a text.
    assert values(run(reader, 'SELECT "hidden" FROM "v1" WHERE "id" = 1', views={"v1": view("Id")})) == [["hidden"]]


# ---- The file


def test_reads_while_another_connection_writes(path, reader):
    writer = sqlite3.connect(path, isolation_level=None)
    try:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE content SET title = 'Changed'")
        assert values(run(reader, 'SELECT "title" FROM "v1" LIMIT 1', views={"v1": view("Title")})) == [["One"]]
        writer.execute("COMMIT")
        assert values(run(reader, 'SELECT "title" FROM "v1" LIMIT 1', views={"v1": view("Title")})) == [["Changed"]]
    finally:
        writer.close()


def test_the_service_can_write_after_a_statement(path, reader):
    run(reader, 'SELECT "title" FROM "v1"', views={"v1": view("Title")})
    write(path, "INSERT INTO grouped VALUES ('More'); PRAGMA wal_checkpoint(TRUNCATE);")
    answer = run(reader, 'SELECT count(*) FROM "v1"', views={"v1": view("Name", table=GROUP)})
    assert values(answer) == [[2]]


def test_a_locked_database_is_busy(path, reader, monkeypatch):
    monkeypatch.setattr(sqlite_reader, "_BUSY_SECONDS", 0)
    writer = sqlite3.connect(path, isolation_level=None)
    try:
        writer.execute("PRAGMA locking_mode = EXCLUSIVE")
        writer.execute("INSERT INTO grouped VALUES ('More')")
        with pytest.raises(Failed, match="busy"):
            run(reader, 'SELECT "title" FROM "v1"', views={"v1": view("Title")})
    finally:
        writer.close()


@pytest.mark.parametrize("content", [None, b"This is no database. " * 100])
def test_a_file_that_is_no_database_is_unavailable_and_not_made(tmp_path, content):
    path = tmp_path / "other.sqlite3"
    if content:
        path.write_bytes(content)
    with pytest.raises(Unavailable):
        run(SqliteReader(path, {}), 'SELECT "title" FROM "v1"', views={"v1": view("Title")})
    assert path.exists() is bool(content)
