from datetime import datetime, tzinfo
from typing import Any, ClassVar

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Loader

from migration.sources.address import Address
from migration.sources.database import SECONDS, Database

_LENGTH = len("2019-03-01 10:20:30")


class PostgreSQL(Database):
    """PostgreSQL; moments are read as wall-clock times of the time zone."""

    schema: ClassVar[str] = "c.TABLE_SCHEMA = ANY (current_schemas(false))"
    errors = (psycopg.Error, ValueError)

    def __init__(self, address: Address, time_zone: tzinfo) -> None:
        super().__init__(f"the PostgreSQL database {address}")
        self._address, self._time_zone = address, time_zone

    def connect(self) -> Any:
        address = self._address
        connection = psycopg.connect(
            host=address.host,
            port=address.port,
            user=address.user or None,
            password=address.password or None,
            dbname=address.database,
            client_encoding="UTF8",
            connect_timeout=SECONDS,
            autocommit=True,
            options="-c DateStyle=ISO -c statement_timeout=0 -c idle_in_transaction_session_timeout=0",
        )
        for kind in ("timestamptz", "timestamp", "date"):
            connection.adapters.register_loader(kind, _DateLoader)
        connection.execute(f"SET TIME ZONE {_zone(self._time_zone)}".encode())
        connection.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        return connection

    def without_secrets(self, message: str) -> str:
        return self._address.without_password(message)


class _DateLoader(Loader):
    """Reads the wall-clock time of a date; None for infinity, and for years before the first."""

    def load(self, data: Buffer) -> datetime | None:
        text = bytes(data).decode()
        try:
            return None if text.endswith("BC") else datetime.fromisoformat(text[:_LENGTH])
        except ValueError:
            return None


def _zone(time_zone: tzinfo) -> str:
    name = getattr(time_zone, "key", None)
    if name is not None:
        return "'" + str(name).replace("'", "''") + "'"
    offset = datetime.now(time_zone).strftime("%z")
    return f"INTERVAL '{offset[:3]}:{offset[3:5]}' HOUR TO MINUTE"
