import sqlite3
from collections.abc import Sequence
from hashlib import sha256
from typing import Any
from weakref import WeakSet

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg.pq import ExecStatus

# On PostgreSQL all values are texts.
Row = tuple[Any, ...]


class PreparedStatement:
    """A small statement on the hottest path, run without Django's cursor.

    That takes a fifth of the process's time on PostgreSQL and a quarter on SQLite.
    Parameters are `$1`, `$2` …
    """

    def __init__(self, sql: str) -> None:
        self._sql, self._name = sql.encode(), f"cms_{sha256(sql.encode()).hexdigest()[:16]}".encode()
        self._of_sqlite = sql.replace("$", "?")
        self._servers: WeakSet[Any] = WeakSet()  # connections to PostgreSQL that have prepared it

    def fetch(self, params: Sequence[str]) -> list[Row] | None:
        """Return the rows; None if the statement needs a cursor now, which also reports errors."""
        connection: Any = connections[DEFAULT_DB_ALIAS]
        if connection.in_atomic_block or connection.queries_logged or connection.execute_wrappers:
            return None
        connection.close_if_health_check_failed()
        connection.ensure_connection()
        fetch = self._fetch_from_postgresql if connection.vendor == "postgresql" else self._fetch_from_sqlite
        try:
            return fetch(connection.connection, params)
        except (psycopg.Error, sqlite3.Error):
            return None

    def _fetch_from_sqlite(self, connection: Any, params: Sequence[str]) -> list[Row]:
        return connection.execute(self._of_sqlite, params).fetchall()  # type: ignore[no-any-return]

    def _fetch_from_postgresql(self, connection: Any, params: Sequence[str]) -> list[Row] | None:
        server = connection.pgconn
        if server not in self._servers:
            if server.prepare(self._name, self._sql).status != ExecStatus.COMMAND_OK:
                return None
            self._servers.add(server)
        found = server.exec_prepared(self._name, [value.encode() for value in params])
        if found.status != ExecStatus.TUPLES_OK:  # psycopg forgets all prepared statements after a rollback
            self._servers.discard(server)
            return None
        columns = range(found.nfields)
        return [tuple(_text(found.get_value(row, column)) for column in columns) for row in range(found.ntuples)]


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()
