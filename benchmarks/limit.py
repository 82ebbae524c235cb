"""The limit: what Python can do under the same server with hand-written SQL and nothing else.

    .venv/bin/python benchmarks/limit.py --database postgres:///cms_benchmark_100k

A bare WSGI function over a persistent connection, prepared statements and orjson. It answers the same
JSON for one content, the list of a channel or site, and a new content, and does nothing else: no key,
no reading of members in any letter case, no limits, no tree of channels, no tags, no groups. It has
tables of its own beside the service's (bare_content, bare_body: the same columns, checks and foreign
keys, without triggers), with just the indexes that its three statements want. A list is one statement:
the page in order of an index, and COUNT(*).

The command copies the tables if need be and serves, until interrupted, on the port given.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import Any

import databases
import orjson
import psycopg

COLUMNS = {
    "id": "id",
    "channelId": "channel_id",
    "siteId": "site_id",
    "addUserName": "add_user_name",
    "lastEditUserName": "last_edit_user_name",
    "writingUserName": "writing_user_name",
    "lastEditDate": "last_edit_date",
    "taxis": "taxis",
    "groupNameCollection": "group_name_collection",
    "tags": "tags",
    "sourceId": "source_id",
    "referenceId": "reference_id",
    "isChecked": "is_checked",
    "checkedLevel": "checked_level",
    "hits": "hits",
    "hitsByDay": "hits_by_day",
    "hitsByWeek": "hits_by_week",
    "hitsByMonth": "hits_by_month",
    "lastHitsDate": "last_hits_date",
    "settingsXml": "settings_xml",
    "title": "title",
    "isTop": "is_top",
    "isRecommend": "is_recommend",
    "isHot": "is_hot",
    "isColor": "is_color",
    "linkUrl": "link_url",
    "addDate": "add_date",
    "subTitle": "sub_title",
    "imageUrl": "image_url",
    "videoUrl": "video_url",
    "fileUrl": "file_url",
    "content": "text",
    "summary": "summary",
    "author": "author",
    "source": "source",
}
NAMES = tuple(COLUMNS)
DATES = ("lastEditDate", "lastHitsDate", "addDate")
FLAGS = ("isChecked", "isTop", "isRecommend", "isHot", "isColor")
NUMBERS = (
    "taxis",
    "sourceId",
    "referenceId",
    "checkedLevel",
    "hits",
    "hitsByDay",
    "hitsByWeek",
    "hitsByMonth",
)
# Of a new content: everything that the caller may send, and what stands there otherwise.
DEFAULTS = (
    dict.fromkeys(NAMES[1:], "")
    | dict.fromkeys(NUMBERS, 0)
    | dict.fromkeys(FLAGS, False)
    | {"settingsXml": "{}", "lastHitsDate": None, "addUserName": "limit", "lastEditUserName": "limit"}
)
STORED = [name for name in NAMES[1:] if name != "content"]
INDEXES = (
    "bare_of_channel ON bare_content (channel_id, is_checked, is_top, taxis, id)",
    "bare_of_site ON bare_content (site_id, is_top, channel_id, taxis, id)",
)


class Database:
    """The statements of either engine, and the connection that runs them."""

    def __init__(self, url: str) -> None:
        self.is_sqlite = databases.is_sqlite(url)
        if self.is_sqlite:
            self._connection: Any = sqlite3.connect(databases.sqlite_path(url), isolation_level=None, timeout=20)
            # As in cms_api/settings.py.
            self._connection.executescript(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;"
                "PRAGMA mmap_size = 268435456; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON"
            )
            self._cursor = self._connection.cursor()
            self.run = self._cursor.execute
        else:
            self._connection = psycopg.connect(url, autocommit=True, prepare_threshold=0, options="-c timezone=UTC")
            self._cursor = self._connection.cursor()
            self.run = self._cursor.execute
        rows = "bare_content c JOIN bare_body b ON b.content_id = c.id"
        self.one = self._sql(f"SELECT {self._selected()} FROM {rows} WHERE id = ? AND site_id = ? AND channel_id = ?")
        self.of_channel = self._list(rows, "channel_id = ? AND is_checked = ?", "is_top DESC, taxis DESC, id DESC")
        self.of_site = self._list(rows, "site_id = ?", "is_top DESC, channel_id DESC, taxis DESC, id DESC")
        columns, marks = ", ".join(COLUMNS[name] for name in STORED), ", ".join("?" * (len(STORED)))
        insert = f"INSERT INTO bare_content ({columns}, version) VALUES ({marks}, 1) RETURNING id"
        if self.is_sqlite:
            self._insert, self.create = insert, self._create_in_steps
        else:
            self._insert = self._sql(
                f"WITH made AS ({insert}) INSERT INTO bare_body (content_id, text) SELECT id, ? FROM made "
                "RETURNING content_id"
            )
            self.create = self._create_at_once
        self.web_urls = dict(self.run("SELECT id, web_url FROM cms_sites_site").fetchall())

    def _sql(self, text: str) -> str:
        return text if self.is_sqlite else text.replace("?", "%s")

    def _selected(self) -> str:
        short = "substr({}, 1, 19)" if self.is_sqlite else "left({}::text, 19)"
        return ", ".join(short.format(sql) if name in DATES else sql for name, sql in COLUMNS.items())

    def _list(self, rows: str, found: str, order: str) -> str:
        return self._sql(
            f"SELECT {self._selected()}, (SELECT COUNT(*) FROM bare_content WHERE {found}) "
            f"FROM {rows} WHERE {found} ORDER BY {order} LIMIT ? OFFSET ?"
        )

    def _create_at_once(self, values: list[Any], body: str) -> int:
        return self.run(self._insert, (*values, body)).fetchone()[0]

    def _create_in_steps(self, values: list[Any], body: str) -> int:
        self.run("BEGIN IMMEDIATE")
        (number,) = self.run(self._insert, values).fetchone()
        self.run("INSERT INTO bare_body (content_id, text) VALUES (?, ?)", (number, body))
        self.run("COMMIT")
        return number


def prepare(url: str) -> None:
    """Copy the contents into the limit's own tables, unless that was done before."""
    connect = sqlite3.connect if databases.is_sqlite(url) else psycopg.connect
    connection = connect(databases.sqlite_path(url) if databases.is_sqlite(url) else url)
    try:
        (newest,) = connection.execute("SELECT MAX(id) FROM contents_content").fetchone()
        if _newest_copy(connection) == newest:
            return
        connection.rollback()
        print("Copying the contents for the limit …")
        (_prepare_sqlite if databases.is_sqlite(url) else _prepare_postgresql)(connection)
        for index in INDEXES:
            connection.execute(f"CREATE INDEX {index}")
        connection.commit()
    finally:
        connection.close()
    databases.settle(url)


def _newest_copy(connection: Any) -> int | None:
    try:
        return connection.execute("SELECT MAX(content_id) FROM bare_body").fetchone()[0]
    except (psycopg.errors.UndefinedTable, sqlite3.OperationalError):
        return None


def _prepare_postgresql(connection: Any) -> None:
    connection.execute("DROP TABLE IF EXISTS bare_body, bare_content")
    for bare, own in (("bare_content", "contents_content"), ("bare_body", "contents_contentbody")):
        connection.execute(f"CREATE TABLE {bare} (LIKE {own} INCLUDING IDENTITY INCLUDING CONSTRAINTS)")
        connection.execute(f"INSERT INTO {bare} SELECT * FROM {own}")
    for change in (
        "bare_content ADD PRIMARY KEY (id)",
        "bare_content ADD FOREIGN KEY (channel_id) REFERENCES channels_app_channel",
        "bare_content ADD FOREIGN KEY (site_id) REFERENCES cms_sites_site",
        "bare_body ADD PRIMARY KEY (content_id)",
        "bare_body ADD FOREIGN KEY (content_id) REFERENCES bare_content",
    ):
        connection.execute(f"ALTER TABLE {change}")
    connection.execute("SELECT setval(pg_get_serial_sequence('bare_content', 'id'), MAX(id)) FROM bare_content")


def _prepare_sqlite(connection: Any) -> None:
    for bare, own in (("bare_body", "contents_contentbody"), ("bare_content", "contents_content")):
        connection.execute(f"DROP TABLE IF EXISTS {bare}")
        found = connection.execute("SELECT sql FROM sqlite_master WHERE name = ? AND type = 'table'", (own,))
        create = found.fetchone()[0].replace('"contents_contentbody"', '"bare_body"')
        connection.execute(create.replace('"contents_content"', '"bare_content"'))
        connection.execute(f"INSERT INTO {bare} SELECT * FROM {own}")


# ---- The application

_database: Database | None = None
_Answer = tuple[str, Any]


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The WSGI function."""
    global _database
    if _database is None:
        _database = Database(os.environ["CMS_DATABASE_URL"])
    parts = environ["PATH_INFO"].split("/")[4:]
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    if len(parts) == 3:
        status, value = _read(_database, *map(int, parts))
    elif len(parts) == 2:
        status, value = _create(_database, *map(int, parts), orjson.loads(body))
    else:
        status, value = _list(_database, orjson.loads(body))
    data = orjson.dumps(value)
    start_response(status, [("Content-Type", "application/json; charset=utf-8"), ("Content-Length", str(len(data)))])
    return [data]


def _read(database: Database, site_id: int, channel_id: int, number: int) -> _Answer:
    row = database.run(database.one, (number, site_id, channel_id)).fetchone()
    if row is None:
        return "404 Not Found", {"message": "There is no such content."}
    return "200 OK", {"value": _record(database, row)}


def _list(database: Database, asked: dict[str, Any]) -> _Answer:
    size = asked.get("perPage", 20)
    place = (size, (asked.get("page", 1) - 1) * size)
    if "channelId" in asked:
        found, statement = (asked["channelId"], asked["checked"]), database.of_channel
    else:
        found, statement = (asked["siteId"],), database.of_site
    rows = database.run(statement, (*found, *found, *place)).fetchall()
    records = [_record(database, row) for row in rows]
    return "200 OK", {"totalCount": rows[0][-1] if rows else 0, "contents": records}


def _create(database: Database, site_id: int, channel_id: int, sent: dict[str, Any]) -> _Answer:
    record = {"id": 0} | DEFAULTS | sent | {"siteId": site_id, "channelId": channel_id}
    record["id"] = database.create([record[name] for name in STORED], record["content"])
    record["navigationUrl"] = f"{database.web_urls[site_id]}/contents/{channel_id}/{record['id']}.html"
    return "200 OK", {"value": record}


def _record(database: Database, row: tuple[Any, ...]) -> dict[str, Any]:
    record = dict(zip(NAMES, row, strict=False))
    web_url = database.web_urls[record["siteId"]]
    if record["imageUrl"].startswith("@/"):
        record["imageUrl"] = web_url + record["imageUrl"][1:]
    if database.is_sqlite:
        for name in FLAGS:
            record[name] = record[name] == 1
    record["navigationUrl"] = f"{web_url}/contents/{record['channelId']}/{record['id']}.html"
    return record


def main() -> None:
    """Copy the tables and serve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=f"{databases.POSTGRESQL}{databases.PREFIX}_100k")
    parser.add_argument("--port", type=int, default=8001)
    options = parser.parse_args()
    databases.name_of(options.database)
    prepare(options.database)
    os.environ["CMS_DATABASE_URL"] = options.database
    os.chdir(databases.ROOT / "benchmarks")
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "-w",
        "2",
        "-b",
        f"127.0.0.1:{options.port}",
        "limit:application",
    ]
    sys.exit(subprocess.call(command))


if __name__ == "__main__":
    main()
