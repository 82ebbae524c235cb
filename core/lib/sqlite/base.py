from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.sqlite3 import base, operations, schema
from django.db.transaction import atomic

from core.lib.private_files import create_private


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

    def alter_db_table(self, model: type[models.Model], old_db_table: str, new_db_table: str) -> None:
        with atomic(self.connection.alias), dropped_triggers(self.connection, self._run):
            super().alter_db_table(model, old_db_table, new_db_table)

    def _remake_table(self, *arguments: Any, **changes: Any) -> None:
        with atomic(self.connection.alias), dropped_triggers(self.connection, self._run):
            super()._remake_table(*arguments, **changes)  # type: ignore[misc]

    def _run(self, statement: str) -> None:
        self.execute(statement, params=None)  # so that % is no placeholder


_WITHOUT_CASE = ("iexact", "icontains", "istartswith", "iendswith")


def upper(text: Any) -> str | None:
    """Return the text in capitals as PostgreSQL does: letter by letter, in every script."""
    if text is None:
        return None
    return "".join(capital if len(capital := letter.upper()) == 1 else letter for letter in str(text))


class DatabaseOperations(operations.DatabaseOperations):
    """Compares texts without letter case in every script; SQLite itself knows A to Z."""

    def lookup_cast(self, lookup_type: str, internal_type: str | None = None) -> str:
        return "cms_upper(%s)" if lookup_type in _WITHOUT_CASE else super().lookup_cast(lookup_type, internal_type)


class DatabaseWrapper(base.DatabaseWrapper):
    """Leaves no cursor behind that could block another thread, and migrates tables that have triggers."""

    SchemaEditorClass = DatabaseSchemaEditor
    ops_class = DatabaseOperations
    operators: dict[str, str] = base.DatabaseWrapper.operators | dict.fromkeys(
        _WITHOUT_CASE, "LIKE cms_upper(%s) ESCAPE '\\'"
    )

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Make a new database readable only by its owner, and so the files that SQLite adds to it."""
        if not str(conn_params["database"]).startswith((":", "file:")):
            create_private(conn_params["database"])
        connection = super().get_new_connection(conn_params)
        connection.create_function("cms_upper", 1, upper, deterministic=True)
        return connection

    def _start_transaction_under_autocommit(self) -> None:
        # Django leaves this cursor to the garbage collector if BEGIN fails. If its thread holds the writers' lock, the
        # collector would wait for this connection while it waits for the lock: until a writer's whole timeout.
        with self.cursor() as cursor:
            cursor.execute(f"BEGIN {self.transaction_mode}")  # type: ignore[attr-defined]
