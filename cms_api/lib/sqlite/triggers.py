"""Reads the triggers of an SQLite database, and removes them for a while."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db.backends.base.base import BaseDatabaseWrapper


def trigger_definitions(connection: BaseDatabaseWrapper) -> list[tuple[str, str, str]]:
    """Name, table and definition of every trigger."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
        return list(cursor.fetchall())


@contextmanager
def dropped_triggers(connection: BaseDatabaseWrapper, execute: Callable[[str], object]) -> Iterator[None]:
    """No trigger exists within the block; all are back after it. Call this in a transaction only."""
    triggers = trigger_definitions(connection)
    for name, *_ in triggers:
        execute(f"DROP TRIGGER {connection.ops.quote_name(name)}")
    yield
    for *_, definition in triggers:
        execute(definition)
