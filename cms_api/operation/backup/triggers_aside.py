"""Takes the database's triggers out of the way for as long as rows are brought back just as they were."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.lib.sqlite.triggers import dropped_triggers


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
