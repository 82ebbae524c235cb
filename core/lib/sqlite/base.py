from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.sqlite3 import base, schema
from django.db.transaction import atomic

from cms_api.lib.private_files import create_private


def trigger_definitions(connection: BaseDatabaseWrapper) -> list[tuple[str, str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
        return list(cursor.fetchall())


@contextmanager
def dropped_triggers(connection: BaseDatabaseWrapper, execute: Callable[[str], object]) -> Iterator[None]:
    """Drop all triggers for the block and restore them after it. Call this in a transaction only."""
    triggers = trigger_definitions(connection)
    for name, *_ in triggers:
        execute(f"DROP TRIGGER {connection.ops.quote_name(name)}")
    yield
    for *_, definition in triggers:
        execute(definition)


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """Changes a table without triggers, and restores them in the same transaction.

    For most changes Django replaces the table. SQLite then drops its triggers, and refuses to rename the new table
    while another table's trigger names it.
    """

    def remove_field(self, model: type[models.Model], field: "models.Field[Any, Any]") -> None:
        with atomic(self.connection.alias), dropped_triggers(self.connection, self._run):
            super().remove_field(model, field)

    def _remake_table(self, *arguments: Any, **changes: Any) -> None:
        with atomic(self.connection.alias), dropped_triggers(self.connection, self._run):
            super()._remake_table(*arguments, **changes)  # type: ignore[misc]

    def _run(self, statement: str) -> None:
        self.execute(statement, params=None)  # so that % is no placeholder


class DatabaseWrapper(base.DatabaseWrapper):
    """Leaves no cursor behind that could block another thread, and migrates tables that have triggers."""

    SchemaEditorClass = DatabaseSchemaEditor

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Make a new database readable by its owner alone, and so the files that SQLite adds to it."""
        if not str(conn_params["database"]).startswith((":", "file:")):
            create_private(conn_params["database"])
        return super().get_new_connection(conn_params)

    def _start_transaction_under_autocommit(self) -> None:
        # Django leaves this cursor to the garbage collector if BEGIN fails. If its thread holds the writers' lock, the
        # collector would wait for this connection while it waits for the lock: until a writer's whole timeout.
        with self.cursor() as cursor:
            cursor.execute(f"BEGIN {self.transaction_mode}")  # type: ignore[attr-defined]
