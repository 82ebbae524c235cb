"""A small catalogue over real tables of both engines, and what statements answer there."""

import os
import sqlite3
from contextlib import closing
from datetime import datetime

import psycopg
import pytest

from sql_sandbox.catalogue import Catalogue, Column, Table, ValueKind
from sql_sandbox.compiling.sqlite_functions import FUNCTIONS
from sql_sandbox.compiling.statement import compile_query
from sql_sandbox.reading.statement import read_statement

POSTGRESQL = os.environ.get("CMS_TEST_DATABASE_URL", "")
# By its mark, `tests.database_only` finds the cases that ask a server.
ON_POSTGRESQL = pytest.param("postgresql", marks=pytest.mark.skipif(not POSTGRESQL, reason="No server is set."))
ENGINE_NAMES = ["sqlite", ON_POSTGRESQL] if POSTGRESQL else ["sqlite"]
NOW = datetime(2024, 2, 29, 12, 30, 15)
SETTINGS = '{"a": {"b": [1, "two", 1.50, null]}, "on": true, "name": "Bo\\u00df", "x y": "\\"q\\""}'

CONTENT = Table(
    "siteserver_Content",
    "content",
    (
        Column("Id", ValueKind.INTEGER, "id"),
        Column("Title", ValueKind.TEXT, "title"),
        Column("Content", ValueKind.TEXT, "body", is_long=True),
        Column("ChannelId", ValueKind.INTEGER, "channel_id"),
        Column("Hits", ValueKind.INTEGER, "hits"),
        Column("Price", ValueKind.NUMBER, "price"),
        Column("IsTop", ValueKind.FLAG, "is_top"),
        Column("AddDate", ValueKind.DATE, "add_date"),
        Column("Attribute", ValueKind.TEXT, "attribute", in_star=False),
        Column("Settings", ValueKind.JSON, "settings", in_star=False),
    ),
    site="site_id",
)
CHANNEL = Table(
    "siteserver_Channel",
    "channel",
    (
        Column("Id", ValueKind.INTEGER, "id"),
        Column("ChannelName", ValueKind.TEXT, "name"),
        Column("ParentId", ValueKind.INTEGER, "parent_id"),
    ),
    site="site_id",
)
CATALOGUE = Catalogue.of(
    [CONTENT, CHANNEL], contents="siteserver_Content", contents_tables={"model_content": (1,), "empty_content": ()}
)

_CREATE = (
    "CREATE TABLE content (id integer, title text, body text, channel_id integer, hits integer, price double precision,"
    " is_top varchar(18), add_date {date}, attribute text, settings text, site_id integer)",
    "CREATE TABLE channel (id integer, name varchar(255), parent_id integer, site_id integer)",
)
_CONTENTS = [
    (1, "Alpha", "<p>One</p>", 10, 5, 1.5, "True", "2024-01-31 10:20:30", "7", SETTINGS, 1),
    (2, "beta", "two", 10, 0, -2.5, "False", "2024-02-29 00:00:00", "x", "{}", 1),
    (3, "Änderung 100%", "", 20, -7, 0.1, "False", "2023-12-31 23:59:59", " 12 ", "", 1),
    (4, "_under!score\\", None, 20, None, None, "True", None, None, None, 2),
    (5, "", "five", None, 2147483647, 1e20, "False", "1999-02-28 05:06:07", "2024-02-30", '{"a": 5}', 2),
]
_CHANNELS = [(10, "News", 1, 1), (20, "Äther", 1, 1), (30, "Empty", 10, 2)]


class Sqlite:
    """An empty database in memory with the tables."""

    name = "sqlite"

    def __init__(self):
        self._connection = sqlite3.connect(":memory:")
        for name, (arguments, function) in FUNCTIONS.items():
            self._connection.create_function(name, arguments, function, deterministic=True)
        for statement in _CREATE:
            self._connection.execute(statement.format(date="datetime"))
        self._connection.executemany(f"INSERT INTO content VALUES ({', '.join('?' * 11)})", _CONTENTS)
        self._connection.executemany("INSERT INTO channel VALUES (?, ?, ?, ?)", _CHANNELS)

    def run(self, compiled):
        """The rows."""
        for name, view in compiled.views.items():
            self._connection.execute(f'CREATE TEMP VIEW "{name}" AS {_select(view)}')
        try:
            return self._connection.execute(compiled.sql, compiled.parameters).fetchall()
        finally:
            for name in compiled.views:
                self._connection.execute(f'DROP VIEW temp."{name}"')

    def close(self):
        """Forget everything."""
        self._connection.close()


class Postgresql:
    """A schema of its own, which is rolled back."""

    name = "postgresql"

    def __init__(self, address):
        self._connection = psycopg.connect(address)
        # Each process has a name of its own: the same one, not yet committed, would wait for the other's end.
        schema = f"compiling_{os.getpid()}"
        self._connection.execute(f"CREATE SCHEMA {schema}; SET search_path TO {schema}")
        for statement in _CREATE:
            self._connection.execute(statement.format(date="timestamp"))
        with self._connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO content VALUES ({', '.join(['%s'] * 11)})", _CONTENTS)
            cursor.executemany("INSERT INTO channel VALUES (%s, %s, %s, %s)", _CHANNELS)

    def run(self, compiled):
        """The rows."""
        views = ", ".join(f'"{name}" AS NOT MATERIALIZED ({_select(view)})' for name, view in compiled.views.items())
        text = f"WITH {views} {compiled.sql}" if views else compiled.sql
        with self._connection.transaction(force_rollback=True):
            return self._connection.execute(text, compiled.parameters).fetchall()

    def close(self):
        """Forget everything."""
        self._connection.rollback()
        self._connection.close()


def opened(name):
    """The engine's database, closed at the end of the block."""
    return closing(Sqlite() if name == "sqlite" else Postgresql(POSTGRESQL))


def _select(view):
    columns = ", ".join(f'"{column.source}" AS "{column.name.lower()}"' for column in view.columns)
    sites = "" if view.site_ids is None else f" WHERE site_id IN ({', '.join(map(str, view.site_ids))})"
    return f'SELECT {columns} FROM "{view.table.source}"{sites}'


def compiled(text, engine="sqlite", catalogue=CATALOGUE, **options):
    """The statement, compiled."""
    options = {"now": NOW, "max_rows": 100} | options
    return compile_query(read_statement(text), catalogue, engine, **options)


def answer(engine, text, **options):
    """The rows of a statement; conditions as conditions."""
    statement = compiled(text, engine.name, **options)
    kinds = [kind for _, kind in statement.columns]
    return [
        tuple(
            bool(value) if kind is ValueKind.BOOLEAN and value is not None else value
            for kind, value in zip(kinds, row, strict=True)
        )
        for row in engine.run(statement)
    ]
