from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import DataError, OperationalError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

from core.archive.errors import ArchiveError
from core.archive.tables import Row, Table, for_database
from core.lib.sqlite.base import dropped_triggers

ROWS = 500  # in memory at a time
_SECONDS = 60  # for `hold_tables` to wait for writers on PostgreSQL; on SQLite it waits as every writer does


@contextmanager
def snapshot(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Read a consistent snapshot within the block, without blocking writers; the block must not write."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            # Not `atomic`, which begins as a writer. The first query fixes the snapshot.
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
    """Yield batches of a table's rows by key: JSON as text, times and flags as Python values."""
    quote = connection.ops.quote_name
    columns = [quote(column.name) for column in table.columns]
    order = ", ".join(columns[: table.keys])
    sql = f"SELECT {', '.join(columns)} FROM {quote(table.name)} ORDER BY {order}"
    with connection.chunked_cursor() as cursor:
        cursor.execute(sql)
        while found := cursor.fetchmany(ROWS):
            yield found


def count(connection: BaseDatabaseWrapper, table: Table) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table.name)}")
        return int(cursor.fetchone()[0])


def has_rows(connection: BaseDatabaseWrapper, table: Table) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(table.name)} LIMIT 1")
        return cursor.fetchone() is not None


def applied_migrations(connection: BaseDatabaseWrapper) -> list[str]:
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def load(connection: BaseDatabaseWrapper, table: Table, rows: list[Row]) -> None:
    """Insert the rows, converting them in place. Raises `ArchiveError` if the engine cannot hold a value."""
    vendor = connection.vendor
    kinds = {"bytes", "time", "uuid"} if vendor == "sqlite" else {"bytes"}
    changed = [(place, column.kind) for place, column in enumerate(table.columns) if column.kind in kinds]
    for row in rows:
        for place, kind in changed:
            row[place] = for_database(kind, row[place], vendor)
    names = ", ".join(connection.ops.quote_name(column.name) for column in table.columns)
    into = f"{connection.ops.quote_name(table.name)} ({names})"
    try:
        with connection.cursor() as cursor:
            if vendor == "sqlite":
                marks = ", ".join(["%s"] * len(table.columns))
                cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", rows)
            else:
                # Django does not wrap errors of COPY.
                with connection.wrap_database_errors, cursor.copy(f"COPY {into} FROM STDIN") as copy:
                    for row in rows:
                        copy.write_row(row)
    except DataError as error:
        # Not foreseen by any check, e.g. JSON that PostgreSQL cannot hold.
        words = str(error).partition("\n")[0]
        raise ArchiveError(f"The database cannot store a row of {table.label}: {words}") from error


def last_number(connection: BaseDatabaseWrapper, table: Table) -> int:
    """Return the last id issued for the table; 0 if there was none or the database issues none."""
    if not table.is_numbered:
        return 0
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT MAX(seq) FROM sqlite_sequence WHERE name = %s", [table.name])
            return int(cursor.fetchone()[0] or 0)
        cursor.execute(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {_sequence(connection, table)}")
        return int(cursor.fetchone()[0])


def go_on_after(connection: BaseDatabaseWrapper, table: Table, number: int) -> None:
    if not table.is_numbered:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table.name])
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table.name, number])
        else:
            sequence = _sequence(connection, table)
            cursor.execute("SELECT setval(%s, %s, %s)", [sequence, max(number, 1), number > 0])


def _sequence(connection: BaseDatabaseWrapper, table: Table) -> str:
    name = connection.ops.quote_name(table.name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [name, table.columns[0].name])
        return str(cursor.fetchone()[0])


def hold_tables(connection: BaseDatabaseWrapper, names: Iterable[str]) -> None:
    """Wait for writers and lock the tables until the transaction ends. Raises `ArchiveError` if they do not finish."""
    if connection.vendor == "sqlite":
        return  # its transactions are exclusive among writers
    quoted = ", ".join(map(connection.ops.quote_name, names))
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{_SECONDS}s'")
            cursor.execute(f"LOCK TABLE {quoted} IN SHARE ROW EXCLUSIVE MODE")
            cursor.execute("SET LOCAL lock_timeout = 0")
    except OperationalError as error:
        raise ArchiveError("Other processes keep writing to the database; nothing was changed.") from error


@contextmanager
def triggers_aside(connection: BaseDatabaseWrapper, tables: Sequence[str]) -> Iterator[None]:
    """Disable the tables' triggers within the block, which needs a transaction; a rollback restores them.

    Foreign keys are checked when the block ends. Raises `IntegrityError`.
    """
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor, dropped_triggers(connection, cursor.execute):
            yield
            connection.check_constraints()
        return
    names = [connection.ops.quote_name(name) for name in tables]
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"ALTER TABLE {name} DISABLE TRIGGER USER")
        yield
        # Checks foreign keys; tables with pending checks cannot be altered.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for name in names:
            cursor.execute(f"ALTER TABLE {name} ENABLE TRIGGER USER")
