"""Keeps others from writing to whole tables for as long as a transaction lasts."""

from collections.abc import Iterable

from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.operation.backup.faults import BackupFault

_SECONDS = 60  # that it waits on PostgreSQL for those who write; on SQLite it waits as every writer does


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
