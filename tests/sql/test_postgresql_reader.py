"""The reader for PostgreSQL, given hostile SQL that no compiler would write: its role and settings hold alone."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import psycopg
import pytest

from sql_sandbox.catalogue import Column, Table, ValueKind, View
from sql_sandbox.compiled import Compiled, Limits
from sql_sandbox.refusals import Busy, Failed, Refused, TimedOut, TooLarge, Unavailable
from sql_sandbox.running.postgresql_reader import PostgresqlReader

SERVER = os.environ.get("CMS_TEST_DATABASE_URL", "")
pytestmark = pytest.mark.skipif(not SERVER.startswith("postgres"), reason="needs a PostgreSQL server")

ROLE = f"cms_reader_test_{os.getpid()}"
SCHEMA = f"cms_views_test_{os.getpid()}"
PASSWORD = "harbour-21"
SET_UP = f"""
CREATE SCHEMA {SCHEMA};
CREATE TABLE {SCHEMA}.rows (id int PRIMARY KEY, site_id int, title text, added timestamp, hidden text);
INSERT INTO {SCHEMA}.rows VALUES
    (1, 1, '10', '2020-01-31 10:00:00.5', 'CANARY'), (2, 2, 'BRAVO', NULL, 'CANARY'), (3, 3, '30', NULL, 'CANARY');
CREATE TABLE {SCHEMA}.secrets (password text);
INSERT INTO {SCHEMA}.secrets VALUES ('CANARY');
CREATE SEQUENCE {SCHEMA}.numbers;
CREATE VIEW {SCHEMA}.siteserver_content WITH (security_barrier = true) AS
    SELECT id, site_id AS siteid, title, added AS adddate FROM {SCHEMA}.rows
    WHERE current_setting('cms_sql.site_ids', true) = '*'
        OR site_id::text = ANY (string_to_array(current_setting('cms_sql.site_ids', true), ','));
CREATE ROLE {ROLE} LOGIN PASSWORD '{PASSWORD}';
ALTER ROLE {ROLE} SET temp_file_limit = '64MB';
GRANT USAGE ON SCHEMA {SCHEMA} TO {ROLE};
GRANT SELECT ON {SCHEMA}.siteserver_content TO {ROLE};
"""
TEAR_DOWN = f"DROP SCHEMA {SCHEMA} CASCADE; DROP OWNED BY {ROLE}; DROP ROLE {ROLE}"
CONTENT = Table(
    "siteserver_Content",
    "not used here",
    (
        Column("Id", ValueKind.INTEGER, "id"),
        Column("SiteId", ValueKind.INTEGER, "site_id"),
        Column("Title", ValueKind.TEXT, "title"),
        Column("AddDate", ValueKind.DATE, "added"),
    ),
    site="site_id",
)
ENDLESS = (
    "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b, generate_series(1, 100000) c"
)


@pytest.fixture(scope="module")
def owner():
    """A connection of the owner, with role, schema and one barrier view set up."""
    with psycopg.connect(SERVER, autocommit=True) as connection:
        connection.execute(SET_UP)
        yield connection
        connection.execute(TEAR_DOWN)


@pytest.fixture(scope="module")
def address(owner):
    info = owner.info
    return {"host": info.host, "port": info.port, "dbname": info.dbname, "user": ROLE, "password": PASSWORD}


@pytest.fixture
def verified():
    """The process numbers of the connections that were verified."""
    return []


@pytest.fixture
def reader(address, verified):
    reader = PostgresqlReader(address, lambda connection: verified.append(connection.info.backend_pid), SCHEMA)
    yield reader
    reader.close()


def view(*names, site_ids=None):
    return View(CONTENT, tuple(CONTENT.column(name) for name in names), site_ids)


def run(reader, sql, columns=("x",), *, site_ids=None, views=None, seconds=20.0, limits=None, **parameters):
    """The answer to SQL as it is but for VIEWS, the schema; a column is a name, or a name and a kind."""
    sql = sql.replace("VIEWS.", f"{SCHEMA}.")
    named = tuple((column, ValueKind.TEXT) if isinstance(column, str) else column for column in columns)
    compiled = Compiled(sql, parameters, views or {}, named)
    return reader.run(compiled, site_ids, time.monotonic() + seconds, limits or Limits())


def values(answer):
    return [list(row.values()) for row in json.loads(answer.rows)]


# ---- Views


def test_the_views_have_the_catalogues_columns(reader):
    answer = run(
        reader,
        'SELECT t1."id", t1."title", t1."adddate" FROM "v1" AS t1 WHERE t1."id" %% 2 = %(p1)s ORDER BY t1."id"',
        ("id", "title", "addDate"),
        views={"v1": view("Id", "Title", "AddDate")},
        p1=1,
    )
    assert json.loads(answer.rows) == [
        {"id": 1, "title": "10", "addDate": "2020-01-31 10:00:00"},
        {"id": 3, "title": "30", "addDate": None},
    ]


@pytest.mark.parametrize(
    "of_key,of_view,seen",
    [
        (None, None, [1, 2, 3]),
        ((1,), None, [1]),
        ((1, 3), (3, 2), [3]),
        (None, (2, 3), [2, 3]),
        ((2,), (1,), []),
        (None, (), []),
        ((), None, []),
    ],
)
def test_only_rows_of_the_sites_of_both_key_and_view_are_seen(reader, of_key, of_view, seen):
    views = {"v1": view("Id", site_ids=of_view)}
    answer = run(reader, 'SELECT t1."id" FROM "v1" AS t1 ORDER BY 1', views=views, site_ids=of_key)
    assert values(answer) == [[one] for one in seen]


def test_each_statement_has_the_sites_of_its_own_key(reader):
    for sites in ((1,), None, (2, 3), (1,)):
        answer = run(reader, 'SELECT t1."id" FROM "v1" AS t1', views={"v1": view("Id")}, site_ids=sites)
        assert sorted(values(answer)) == [[one] for one in sites or (1, 2, 3)]


def test_a_compiled_statement_may_begin_with_common_tables(reader):
    sql = 'WITH c1 AS (SELECT t1."id" AS a FROM "v1" AS t1) SELECT t2.a FROM c1 AS t2 ORDER BY t2.a DESC LIMIT 2'
    assert values(run(reader, sql, views={"v1": view("Id")})) == [[3], [2]]


def test_a_limited_keys_expressions_never_see_rows_of_other_sites(reader):
    sql = 'SELECT t1."id" FROM "v1" AS t1 WHERE CAST(t1."title" AS integer) > 1'
    views = {"v1": view("Id", "Title")}
    assert values(run(reader, sql, views=views, site_ids=(1, 3))) == [[1], [3]]
    with pytest.raises(Failed) as failed:
        run(reader, sql, views=views)
    assert "BRAVO" not in failed.value.message


# ---- What is not a reading of the views


WRITES = [
    "INSERT INTO VIEWS.rows VALUES (9, 9, 'x')",
    "UPDATE VIEWS.siteserver_content SET title = 'x'",
    "DELETE FROM VIEWS.rows",
    "WITH c1 AS (DELETE FROM VIEWS.rows RETURNING id) SELECT * FROM c1",
    "SELECT 1 INTO VIEWS.mine",
    "SELECT 1 INTO TEMP mine",
    "SELECT id FROM VIEWS.siteserver_content FOR UPDATE",
    "SELECT nextval('VIEWS.numbers')",
    "DROP TABLE VIEWS.rows",
    "CREATE TABLE mine (a int)",
    "UPDATE pg_settings SET setting = '*' WHERE name = 'cms_sql.site_ids'",
]
COMMANDS = [
    "COMMIT",
    "SET statement_timeout = 0",
    "SET ROLE postgres",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "DO $$ BEGIN PERFORM 1; END $$",
    "EXPLAIN ANALYZE SELECT 1",
    "PREPARE mine AS SELECT 1",
    "LISTEN mine",
    "NOTIFY mine",
    "VACUUM",
    "SELECT 1; SELECT 2",
    "SELECT 1); COMMIT; (SELECT 1",
    "SELECT 1) AS q; COMMIT; SELECT * FROM (SELECT 1",
    "SELECT 1) UNION (DELETE FROM rows",
    "SELECT set_config('transaction_read_only', 'off', true)",
    "SELECT set_config('role', 'postgres', true)",
]
TABLES = [
    "SELECT password FROM VIEWS.secrets",
    "SELECT hidden FROM VIEWS.rows",
    "SELECT count(*) FROM VIEWS.rows",
    "SELECT rolpassword FROM pg_authid",
    "SELECT passwd FROM pg_shadow",
    "SELECT most_common_vals FROM pg_statistic",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_ls_dir('/')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT dblink('', 'SELECT 1')",
    "SELECT query_to_xml('SELECT * FROM VIEWS.secrets', true, true, '')",
    "SELECT xmin FROM VIEWS.siteserver_content",
]


@pytest.mark.parametrize("sql", [*WRITES, *COMMANDS, *TABLES])
def test_raw_sql_beside_the_views_is_refused_and_changes_nothing(reader, owner, sql):
    with pytest.raises(Refused) as refused:
        run(reader, sql)
    assert "CANARY" not in refused.value.message
    tables = "SELECT count(*) FROM pg_class WHERE relname = 'mine'"
    changes = f"SELECT count(*), sum(site_id), ({tables}) FROM {SCHEMA}.rows WHERE hidden = 'CANARY'"
    assert owner.execute(changes).fetchone() == (3, 6, 0)
    # The refusal leaves nothing behind on the connection either.
    assert values(run(reader, "SELECT current_setting('statement_timeout') <> '0', current_user", ("a", "b"))) == [
        [True, ROLE]
    ]


def test_what_a_function_writes_is_rolled_back(reader, owner):
    # Before version 16 large objects can be made in a transaction that only reads.
    with suppress(Refused):
        run(reader, "SELECT lo_from_bytea(0, 'x')")
    assert owner.execute("SELECT count(*) FROM pg_largeobject_metadata").fetchone() == (0,)


def test_what_the_server_denied_is_logged_without_the_statement(reader, caplog):
    with pytest.raises(Unavailable) as refused:
        run(reader, "SELECT password FROM VIEWS.secrets WHERE password <> 'a secret literal'")
    assert "secrets" not in refused.value.message
    assert "42501" in caplog.text
    assert "literal" not in caplog.text


def test_after_the_rights_have_changed_the_next_statement_has_a_connection_that_was_looked_at(reader, verified):
    before = len(verified)
    with pytest.raises(Unavailable):
        run(reader, "SELECT id FROM VIEWS.nothing_of_the_kind")
    assert values(run(reader, "SELECT 1", ("a",))) == [[1]]
    assert len(verified) == before + 1


# ---- Limits


@pytest.mark.parametrize("sql", [ENDLESS, "SELECT pg_sleep(60)", "SELECT generate_series(1, 1000000000000)"])
def test_an_endless_statement_ends_at_its_deadline(reader, sql):
    with pytest.raises(TimedOut):
        run(reader, sql, seconds=0.3, limits=Limits(rows=10**12, bytes=10**12))
    assert values(run(reader, "SELECT 1")) == [[1]]


def test_nothing_runs_after_the_deadline(reader):
    with pytest.raises(TimedOut):
        run(reader, "SELECT 1", seconds=-1)


def test_a_sort_that_spills_too_much_is_ended(reader):
    with pytest.raises(Failed, match="temporary space"):
        run(reader, "SELECT a FROM generate_series(1, 20000000) a ORDER BY md5(a::text)", seconds=60)


@pytest.mark.parametrize(
    "limits,count,truncated",
    [
        (Limits(rows=1), 1, "rows"),
        (Limits(rows=3), 3, ""),
        (Limits(bytes=len(b'[{"x":1},{"x":2}]')), 2, "bytes"),
    ],
)
def test_the_answer_is_cut_short_at_the_first_limit(reader, verified, limits, count, truncated):
    answer = run(reader, 'SELECT "id" FROM "v1" ORDER BY "id"', views={"v1": view("Id")}, limits=limits)
    assert (len(json.loads(answer.rows)), answer.truncated) == (count, truncated)
    # The connection serves on.
    assert values(run(reader, "SELECT pg_backend_pid()")) == [verified]


def test_a_result_far_over_the_limit_is_not_read_to_its_end(reader):
    answer = run(reader, "SELECT repeat('x', 1000000) FROM generate_series(1, 100000)")
    assert (len(json.loads(answer.rows)), answer.truncated) == (4, "bytes")


def test_a_first_row_over_the_limit_is_refused(reader):
    with pytest.raises(TooLarge):
        run(reader, "SELECT repeat('x', 20000000)")


@pytest.mark.parametrize(
    "sql,parameters",
    [
        ("SELECT CAST(%(p1)s AS text)::integer", {"p1": "CANARY"}),
        ("SELECT 2147483647 + 1", {}),
        ("SELECT 1 / 0", {}),
        ("SELECT %(p1)s::text", {"p1": "\0"}),
    ],
)
def test_a_failed_statement_says_nothing_of_the_engines_words(reader, sql, parameters):
    with pytest.raises(Failed, match=r"^The database cannot run the statement"):
        run(reader, sql, **parameters)


def test_a_slot_has_one_busy_backend(address, owner):
    def asleep():
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE usename = %s AND wait_event = 'PgSleep'"
        return owner.execute(waiting, [ROLE]).fetchone() == (1,)

    readers = [PostgresqlReader(address, lambda _: None, SCHEMA, slot=slot) for slot in (1, 1, 2)]
    first, same, other = readers
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run, first, "SELECT pg_sleep(60)")
        while not asleep():
            assert not running.done()
        with pytest.raises(Busy):
            run(same, "SELECT 1")
        assert values(run(other, "SELECT 1")) == [[1]]
        owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
        with pytest.raises(Refused):
            running.result()
    assert values(run(same, "SELECT 1")) == [[1]]
    for reader in readers:
        reader.close()


# ---- Values


@pytest.mark.parametrize(
    "sql,value",
    [
        ("SELECT true", True),
        ("SELECT NULL", None),
        ("SELECT 9223372036854775807", 9223372036854775807),
        ("SELECT 0.5::float8", 0.5),
        ("SELECT 'NaN'::float8", None),
        ("SELECT '-infinity'::float8", None),
        ("SELECT 12::numeric", 12),
        ("SELECT 1.5::numeric", 1.5),
        ("SELECT 1e30::numeric", 1e30),
        ("SELECT 'NaN'::numeric", None),
        ("SELECT timestamp '2020-01-31 10:00:01.9'", "2020-01-31 10:00:01"),
        ("SELECT date '2020-01-31'", "2020-01-31 00:00:00"),
        ("SELECT timestamp 'infinity'", "infinity"),
        ("""SELECT '{"a": 1}'::jsonb""", '{"a": 1}'),
        ("SELECT '\\x00ff'::bytea", "AP8="),
        ("SELECT '夏'", "夏"),
    ],
)
def test_every_value_has_its_form_in_json(reader, sql, value):
    assert json.loads(run(reader, sql).rows) == [{"x": value}]


# ---- The connection


def test_one_connection_serves_all_statements_and_is_verified_once(reader, verified):
    for _ in range(3):
        assert values(run(reader, "SELECT pg_backend_pid()")) == [verified[:1]]
    assert len(verified) == 1


def test_a_connection_that_broke_while_it_was_idle_is_replaced(reader, verified, owner):
    run(reader, "SELECT 1")
    owner.execute("SELECT pg_terminate_backend(%s, 10000)", verified)
    assert values(run(reader, "SELECT pg_backend_pid()")) == [verified[1:]]


def test_a_connection_that_breaks_while_it_is_used_is_unavailable_and_replaced(reader, verified):
    with pytest.raises(Unavailable):
        run(reader, "SELECT pg_terminate_backend(pg_backend_pid())")
    assert values(run(reader, "SELECT pg_backend_pid()")) == [verified[1:]]


def test_a_role_that_fails_verification_runs_nothing(address):
    def refuse(connection):
        raise Unavailable("The account sees too much.")

    reader = PostgresqlReader(address, refuse, SCHEMA)
    for _ in range(2):
        with pytest.raises(Unavailable, match="too much"):
            run(reader, "SELECT 1")


def test_a_reader_is_connected_and_verified_before_the_clock_of_a_statement_starts(reader, verified):
    assert len(verified) == 1
    assert values(run(reader, "SELECT pg_backend_pid()")) == [verified]


def test_what_was_wrong_at_first_is_said_once_and_then_tried_again(address):
    tries = []

    def verify(connection):
        tries.append(connection)
        if len(tries) == 1:
            raise Unavailable("The account sees too much.")

    with closing(PostgresqlReader(address, verify, SCHEMA)) as reader:
        with pytest.raises(Unavailable, match="too much"):
            run(reader, "SELECT 1")
        assert len(tries) == 1
        assert values(run(reader, "SELECT 1")) == [[1]]


def test_a_verification_that_the_server_ends_is_a_refusal_of_the_next_statement(address):
    def verify(connection):
        connection.execute("SET statement_timeout = 20")
        connection.execute("SELECT pg_sleep(60)")

    reader = PostgresqlReader(address, verify, SCHEMA)
    with pytest.raises(TimedOut):
        run(reader, "SELECT 1")


@pytest.mark.parametrize("wrong", [{"port": "x"}, {"connect_timeout": "x"}, {"no_such_option": 1}])
def test_an_address_that_cannot_be_used_is_unavailable(address, wrong):
    reader = PostgresqlReader(address | wrong, lambda _: None, SCHEMA)
    for _ in range(2):
        with pytest.raises(Unavailable):
            run(reader, "SELECT 1")


@pytest.mark.parametrize("wrong", [{"port": 1}, {"user": "nobody_of_that_name"}, {"dbname": "no_such_database"}])
def test_a_server_that_does_not_let_in_is_unavailable(address, wrong):
    reader = PostgresqlReader(address | wrong, lambda _: None, SCHEMA)
    with pytest.raises(Unavailable) as refused:
        run(reader, "SELECT 1")
    assert "nobody" not in refused.value.message
