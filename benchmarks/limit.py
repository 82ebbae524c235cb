"""The limit: the speed of bare Python on the same server with hand-written SQL.

    .venv/bin/python benchmarks/limit.py --database postgres:///cms_benchmark_100k

A bare WSGI function with a persistent connection, prepared statements and orjson. It returns the same
JSON as the service for one content, the list of a channel or site, a new content, a channel with its
descendants, five requests of stl elements and the list of all users. It has no API keys, no members in
any letter case, no limits, no tags, no groups, no link types and no URL rules except the built-in ones,
and caches only the sites' URLs. It has its own tables next to the service's (bare_content and bare_body,
with the same columns, checks and foreign keys, but without triggers), with only the indexes that its
statements need. It reads channels and sites from the service's tables, their settings from
bare_settings, which contains them in full, and users from bare_user, which also contains the placeholder
passwords. Every read is one statement; a list reads the page in index order, with COUNT(*).

The command copies the tables if necessary and serves on the port until interrupted.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qsl

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
CHANNEL_COLUMNS = {
    "id": "id",
    "channelName": "channel_name",
    "siteId": "site_id",
    "contentModelPluginId": "content_model_plugin_id",
    "contentRelatedPluginIds": "content_related_plugin_ids",
    "parentId": "COALESCE(parent_id, 0)",
    "parentsPath": "parents_path",
    "parentsCount": "parents_count",
    "childrenCount": "children_count",
    "lastNode": "is_last_node",
    "isLastNode": "is_last_node",
    "indexName": "index_name",
    "groupNameCollection": "group_name_collection",
    "taxis": "taxis",
    "addDate": "add_date",
    "imageUrl": "image_url",
    "content": "content",
    "filePath": "file_path",
    "channelFilePathRule": "channel_file_path_rule",
    "contentFilePathRule": "content_file_path_rule",
    "linkUrl": "link_url",
    "linkType": "link_type",
    "channelTemplateId": "channel_template_id",
    "contentTemplateId": "content_template_id",
    "keywords": "keywords",
    "description": "description",
}
CHANNEL_NAMES = tuple(CHANNEL_COLUMNS)
# Columns of the stl element `channel`: without the URL, with the number of contents and the settings.
ELEMENT_COLUMNS = {name: sql for name, sql in CHANNEL_COLUMNS.items() if name != "lastNode"} | {
    "contentNum": "(SELECT COUNT(*) FROM bare_content c WHERE c.channel_id = h.id)",
    "additional": "members",
}
SITE_COLUMNS = {
    "id": "id",
    "siteDir": "site_dir",
    "siteName": "site_name",
    "tableName": "table_name",
    "isRoot": "is_root",
    "parentId": "COALESCE(parent_id, 0)",
    "taxis": "taxis",
    "attributes": "members",
}
USER_COLUMNS = {
    "id": "id",
    "userName": "user_name",
    "password": "shown_password",
    "passwordFormat": "password_format",
    "passwordSalt": "shown_salt",
    "createDate": "create_date",
    "lastResetPasswordDate": "last_reset_password_date",
    "lastActivityDate": "last_activity_date",
    "countOfLogin": "count_of_login",
    "countOfFailedLogin": "count_of_failed_login",
    "countOfWriting": "count_of_writing",
    "isChecked": "is_checked",
    "isLockedOut": "is_locked_out",
    "displayName": "display_name",
    "email": "email",
    "mobile": "mobile",
    "avatarUrl": "avatar_url",
    "organization": "organization",
    "department": "department",
    "position": "position",
    "gender": "gender",
    "birthday": "birthday",
    "education": "education",
    "graduation": "graduation",
    "address": "address",
    "weiXin": "wei_xin",
    "qq": "qq",
    "weiBo": "wei_bo",
    "interests": "interests",
    "signature": "signature",
}
USER_NAMES = tuple(USER_COLUMNS)
USER_FLAGS = ("isChecked", "isLockedOut")
DATES = ("lastEditDate", "lastHitsDate", "addDate", "createDate", "lastResetPasswordDate", "lastActivityDate")
FLAGS = ("isChecked", "isTop", "isRecommend", "isHot", "isColor")
CHANNEL_FLAGS = ("lastNode", "isLastNode")
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
# Members of a new content that the caller may send, with their default values.
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
    "bare_by_date ON bare_content (site_id, is_checked, is_top, add_date, id)",
)


class Database:
    """The statements for PostgreSQL or SQLite, and the connection that runs them."""

    def __init__(self, url: str) -> None:
        self.is_sqlite = databases.is_sqlite(url)
        if self.is_sqlite:
            self._connection: Any = sqlite3.connect(databases.sqlite_path(url), isolation_level=None, timeout=20)
            # The same pragmas as in cms_api/settings.py.
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
        selected = self._selected(COLUMNS)
        self.one = self._sql(f"SELECT {selected} FROM {rows} WHERE id = ? AND site_id = ? AND channel_id = ?")
        self.title = self._sql("SELECT title FROM bare_content WHERE id = ? AND site_id = ?")
        self.of_channel = self._list(rows, "channel_id = ? AND is_checked = ?", "is_top DESC, taxis DESC, id DESC")
        self.of_site = self._list(rows, "site_id = ?", "is_top DESC, channel_id DESC, taxis DESC, id DESC")
        self.first_of_channel, self.first_of_site = (
            self._sql(
                f"SELECT {selected} FROM {rows} WHERE {place} = ? AND is_checked = ? "
                f"ORDER BY is_top DESC, {key} DESC, id DESC LIMIT ?"
            )
            for place, key in (("channel_id", "taxis"), ("site_id", "add_date"))
        )
        self.tree = self._sql(
            f"SELECT {self._selected(CHANNEL_COLUMNS)} FROM channels_app_channel h WHERE site_id = ? "
            "AND trashed_at IS NULL ORDER BY taxis"
        )
        self.channel = self._sql(
            f"SELECT {self._selected(ELEMENT_COLUMNS)} FROM channels_app_channel h "
            "JOIN bare_settings ON owner = 'channel' AND owner_id = id "
            "WHERE site_id = ? AND index_name = ? AND trashed_at IS NULL"
        )
        self.sites = (
            f"SELECT {self._selected(SITE_COLUMNS)} FROM cms_sites_site "
            "JOIN bare_settings ON owner = 'site' AND owner_id = id "
            "ORDER BY is_root DESC, COALESCE(parent_id, 0), taxis DESC, id"
        )
        self.users = f"SELECT {self._selected(USER_COLUMNS)} FROM bare_user ORDER BY id"
        columns, marks = ", ".join(COLUMNS[name] for name in STORED), ", ".join("?" * (len(STORED)))
        insert = f"INSERT INTO bare_content ({columns}, version, added_by_key) VALUES ({marks}, 1, '') RETURNING id"
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

    def _selected(self, columns: dict[str, str]) -> str:
        short = "substr({}, 1, 19)" if self.is_sqlite else "left({}::text, 19)"
        return ", ".join(short.format(sql) if name in DATES else sql for name, sql in columns.items())

    def _list(self, rows: str, found: str, order: str) -> str:
        return self._sql(
            f"SELECT {self._selected(COLUMNS)}, (SELECT COUNT(*) FROM bare_content WHERE {found}) "
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
    """Copy the contents to the limit's tables unless the copy is current. Needs Django to be set up."""
    connect = sqlite3.connect if databases.is_sqlite(url) else psycopg.connect
    connection = connect(databases.sqlite_path(url) if databases.is_sqlite(url) else url)
    try:
        _store_users(connection, "?" if databases.is_sqlite(url) else "%s")
        (newest,) = connection.execute("SELECT MAX(id) FROM contents_content").fetchone()
        if _newest_copy(connection) == newest:
            return
        connection.rollback()
        print("Copying the contents for the limit …")
        (_prepare_sqlite if databases.is_sqlite(url) else _prepare_postgresql)(connection)
        for index in INDEXES:
            connection.execute(f"CREATE INDEX {index}")
        _store_settings(connection, "?" if databases.is_sqlite(url) else "%s")
        connection.commit()
    finally:
        connection.close()
    databases.settle(url)


def _newest_copy(connection: Any) -> int | None:
    try:
        connection.execute("SELECT 1 FROM bare_settings")
        return connection.execute("SELECT MAX(content_id) FROM bare_body").fetchone()[0]
    except (psycopg.errors.UndefinedTable, sqlite3.OperationalError):
        return None


def _prepare_postgresql(connection: Any) -> None:
    connection.execute("DROP TABLE IF EXISTS bare_body, bare_content")
    connection.commit()  # releases the locks on the sites and channels that these tables referenced
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


def _store_users(connection: Any, mark: str) -> None:
    """Copy the users with their placeholder passwords and salts."""
    from accounts.models import User
    from accounts.records import placeholder_credentials

    # Recreate the table each time: the placeholders depend on the service's secret key.
    connection.execute("DROP TABLE IF EXISTS bare_shown")
    connection.execute("DROP TABLE IF EXISTS bare_user")
    connection.execute("CREATE TABLE bare_shown (user_id bigint PRIMARY KEY, shown_password text, shown_salt text)")
    connection.cursor().executemany(
        f"INSERT INTO bare_shown VALUES ({mark}, {mark}, {mark})",
        [
            (pk, *placeholder_credentials("user", pk, stamp))
            for pk, stamp in User.objects.values_list("pk", "password_stamp")
        ],
    )
    own = "shown_password, 'Encrypted' AS password_format, shown_salt"
    others = ", ".join(f"u.{sql}" for sql in USER_COLUMNS.values() if sql not in own)
    connection.execute(
        f"CREATE TABLE bare_user AS SELECT {others}, {own} FROM accounts_user u "
        "JOIN bare_shown ON user_id = u.id ORDER BY u.id"
    )
    connection.execute("CREATE UNIQUE INDEX bare_user_id ON bare_user (id)")
    connection.execute("DROP TABLE bare_shown")
    connection.commit()


def _store_settings(connection: Any, mark: str) -> None:
    """Store the complete settings objects of channels and sites."""
    from channels_app.attributes import channel_attributes
    from channels_app.models import Channel
    from sites.attributes import site_attributes
    from sites.models import Site

    connection.execute("DROP TABLE IF EXISTS bare_settings")
    connection.execute(
        "CREATE TABLE bare_settings (owner text, owner_id bigint, members text, PRIMARY KEY (owner, owner_id))"
    )
    rows = [("channel", pk, channel_attributes(own)) for pk, own in Channel.objects.values_list("pk", "settings")]
    rows += [("site", site.pk, site_attributes(site)) for site in Site.objects.all()]
    connection.cursor().executemany(
        f"INSERT INTO bare_settings VALUES ({mark}, {mark}, {mark})",
        [(owner, pk, orjson.dumps(members).decode()) for owner, pk, members in rows],
    )


# ---- The application

_database: Database | None = None
_Answer = tuple[str, Any]


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Handle a request as a WSGI application."""
    global _database
    if _database is None:
        _database = Database(os.environ["CMS_DATABASE_URL"])
    area, *parts = environ["PATH_INFO"].split("/")[3:]
    if area == "stl":
        asked = dict(parse_qsl(environ["QUERY_STRING"]))
        status, value = "200 OK", {"value": ELEMENTS[parts[0]](_database, asked)}
    elif area == "users":
        status, value = "200 OK", {"value": [_user(_database, row) for row in _database.run(_database.users)]}
    elif area == "channels":
        status, value = _read_tree(_database, *map(int, parts))
    else:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        status, value = _answer_contents(_database, list(map(int, parts)), body)
    data = orjson.dumps(value)
    start_response(status, [("Content-Type", "application/json; charset=utf-8"), ("Content-Length", str(len(data)))])
    return [data]


def _answer_contents(database: Database, place: list[int], body: bytes) -> _Answer:
    if len(place) == 3:
        return _read(database, *place)
    if len(place) == 2:
        return _create(database, *place, orjson.loads(body))
    return _list(database, orjson.loads(body))


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


def _read_tree(database: Database, site_id: int, channel_id: int) -> _Answer:
    records: dict[int, dict[str, Any]] = {}
    for row in database.run(database.tree, (site_id,)).fetchall():
        record = _channel(database, CHANNEL_NAMES, row)
        record["children"] = []
        page = f"channels/{record['id']}" if record["parentId"] else "index"
        record["navigationUrl"] = f"{database.web_urls[site_id]}/{page}.html"
        records[record["id"]] = record
        if above := records.get(record["parentId"]):
            above["children"].append(record)
    if channel_id not in records:
        return "404 Not Found", {"message": "There is no such channel."}
    return "200 OK", {"value": records[channel_id]}


def _channel(database: Database, names: Iterable[str], row: tuple[Any, ...]) -> dict[str, Any]:
    record = dict(zip(names, row, strict=True))
    if record["imageUrl"].startswith("@/"):
        record["imageUrl"] = database.web_urls[record["siteId"]] + record["imageUrl"][1:]
    if database.is_sqlite:
        record |= {name: record[name] == 1 for name in CHANNEL_FLAGS if name in record}
    return record


def _user(database: Database, row: tuple[Any, ...]) -> dict[str, Any]:
    record = dict(zip(USER_NAMES, row, strict=True))
    if database.is_sqlite:
        for name in USER_FLAGS:
            record[name] = record[name] == 1
    return record


# ---- stl elements


def _read_channel(database: Database, asked: dict[str, str]) -> dict[str, Any]:
    row = database.run(database.channel, (int(asked["siteId"]), asked["channelIndex"])).fetchone()
    record = _channel(database, ELEMENT_COLUMNS, row)
    record["additional"] = record["attributes"] = orjson.Fragment(record["additional"])
    return record


def _read_contents(database: Database, asked: dict[str, str]) -> list[dict[str, Any]]:
    """Return approved contents of a channel without its descendants, or of the whole site by date."""
    statement, place = database.first_of_site, asked["siteId"]
    if "channelId" in asked:
        statement, place = database.first_of_channel, asked["channelId"]
    rows = database.run(statement, (int(place), True, int(asked["totalNum"]))).fetchall()
    return [_record(database, row) for row in rows]


def _read_title(database: Database, asked: dict[str, str]) -> str:
    """Return the title, cut at `wordNum` times two characters; it must consist of ASCII letters and spaces."""
    (title,) = database.run(database.title, (int(asked["contentId"]), int(asked["siteId"]))).fetchone()
    end = 2 * int(asked["wordNum"])
    if len(title) <= end:
        return title
    if " " not in title[end - 1 : end + 1]:
        end = title.rindex(" ", 0, end)  # cut between words
    return title[:end] + "..."


def _read_sites(database: Database, asked: dict[str, str]) -> list[dict[str, Any]]:
    rows = database.run(database.sites).fetchall()
    records = [dict(zip(SITE_COLUMNS, row, strict=True)) for row in rows]
    for record in records:
        record["isRoot"] = bool(record["isRoot"])
        record["attributes"] = orjson.Fragment(record["attributes"])
    return records


ELEMENTS = {"channel": _read_channel, "contents": _read_contents, "content": _read_title, "sites": _read_sites}


def main() -> None:
    """Copy the tables and start the server."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=f"{databases.POSTGRESQL}{databases.PREFIX}_100k")
    parser.add_argument("--port", type=int, default=8001)
    databases.add_folder_option(parser)
    options = parser.parse_args()
    databases.open_service(options.database, options.folder)
    prepare(options.database)
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
