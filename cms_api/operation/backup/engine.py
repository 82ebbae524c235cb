"""What an engine has its own words for: numbers it has given out, locks of tables, and triggers."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.lib.sqlite.triggers import dropped_triggers
from cms_api.operation.backup.faults import BackupFault
from cms_api.operation.backup.tables import Table

_SECONDS = 60  # that `hold_tables` waits on PostgreSQL for those who write; on SQLite it waits as every writer does


def last_number(connection: BaseDatabaseWrapper, table: Table) -> int:
    """The last number that was given out for a row of the table; 0 where none was, or the database gives out none."""
    if not table.is_numbered:
        return 0
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT MAX(seq) FROM sqlite_sequence WHERE name = %s", [table.name])
            return int(cursor.fetchone()[0] or 0)
        cursor.execute(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {_sequence(connection, table)}")
        return int(cursor.fetchone()[0])


def go_on_after(connection: BaseDatabaseWrapper, table: Table, number: int) -> None:
    """Let the next row of the table have the number after that one."""
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
        # With its schema, and with quotes where it needs them.
        return str(cursor.fetchone()[0])


def hold_tables(connection: BaseDatabaseWrapper, names: Iterable[str]) -> None:
    """Let those who write finish, and keep others from beginning until the end of the transaction.

    Raises BackupFault when they do not finish.
    """
    if connection.vendor == "sqlite":
        return  # who begins a transaction is the only one who writes
    quoted = ", ".join(map(connection.ops.quote_name, names))
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{_SECONDS}s'")
            cursor.execute(f"LOCK TABLE {quoted} IN SHARE ROW EXCLUSIVE MODE")
            cursor.execute("SET LOCAL lock_timeout = 0")
    except OperationalError as error:
        raise BackupFault("Somebody else writes to the database all the time; nothing was changed.") from error


@contextmanager
def triggers_aside(connection: BaseDatabaseWrapper, tables: Sequence[str]) -> Iterator[None]:
    """No trigger of the tables fires within the block; all are back after it. In a transaction.

    The transaction undoes that too, so that nobody else ever sees a table without its triggers. Foreign keys are no
    triggers of ours: they are looked at when the block ends. Raises IntegrityError.
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
        # Also because no table can be altered whose foreign keys wait to be looked at.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for name in names:
            cursor.execute(f"ALTER TABLE {name} ENABLE TRIGGER USER")
