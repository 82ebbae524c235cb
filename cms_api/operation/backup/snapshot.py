"""Looks at the database as it is at one moment, while others go on writing."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

from cms_api.operation.backup.tables import Table

ROWS = 500  # that are in memory at a time


@contextmanager
def snapshot(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Whatever the block reads is of one moment. It writes nothing, and keeps nobody from writing."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            # Not `atomic`, which begins as one who writes. The first look fixes the moment.
            cursor.execute("BEGIN DEFERRED")
            try:
                cursor.execute("SELECT COUNT(*) FROM sqlite_master")
                cursor.fetchall()
                yield
            finally:
                cursor.execute("ROLLBACK")
        return
    with transaction.atomic(using=connection.alias):
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def rows(connection: BaseDatabaseWrapper, table: Table) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a table by their keys, some at a time: JSON as text, times and flags as Python has them."""
    quote = connection.ops.quote_name
    columns = [quote(column.name) for column in table.columns]
    order = ", ".join(columns[: table.keys])
    sql = f"SELECT {', '.join(columns)} FROM {quote(table.name)} ORDER BY {order}"
    # Of PostgreSQL a cursor of the server's, which sends some rows at a time.
    with connection.chunked_cursor() as cursor:
        cursor.execute(sql)
        while found := cursor.fetchmany(ROWS):
            yield found


def count(connection: BaseDatabaseWrapper, table_name: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table_name)}")
        return int(cursor.fetchone()[0])


def has_rows(connection: BaseDatabaseWrapper, table_name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(table_name)} LIMIT 1")
        return cursor.fetchone() is not None


def applied_migrations(connection: BaseDatabaseWrapper) -> list[str]:
    """The migrations that the database has seen: "contents.0001_contents"."""
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())
