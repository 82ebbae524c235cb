"""Django's SQLite backend for a process whose threads write at the same time."""

from typing import Any

from django.db import models
from django.db.backends.sqlite3 import base, schema
from django.db.transaction import atomic

from cms_api.lib.private_files import create_private
from cms_api.lib.sqlite.triggers import dropped_triggers


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """Changes a table without its triggers, and puts them back in the same transaction.

    To change most columns Django replaces the whole table. SQLite drops the table's own triggers along with it, and
    refuses to rename the new table while a trigger of any other table names it.
    """

    def remove_field(self, model: type[models.Model], field: "models.Field[Any, Any]") -> None:
        """Remove the column, also one that triggers of an older release still name."""
        with atomic(self.connection.alias), dropped_triggers(self.connection, self._run):
            super().remove_field(model, field)

    def _remake_table(self, *arguments: Any, **changes: Any) -> None:
        with atomic(self.connection.alias), dropped_triggers(self.connection, self._run):
            super()._remake_table(*arguments, **changes)  # type: ignore[misc]

    def _run(self, statement: str) -> None:
        self.execute(statement, params=None)  # so no % of the text is a placeholder


class DatabaseWrapper(base.DatabaseWrapper):
    """Leaves no cursor behind that another thread could be held up by, and migrates tables that have triggers."""

    SchemaEditorClass = DatabaseSchemaEditor

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection; a new database is readable by its owner alone, and so are the files that SQLite adds to it."""
        if not str(conn_params["database"]).startswith((":", "file:")):
            create_private(conn_params["database"])
        return super().get_new_connection(conn_params)

    def _start_transaction_under_autocommit(self) -> None:
        # Django leaves this cursor to the garbage collector where BEGIN fails. The collector runs in any thread, among
        # them one that holds the lock of writers. There it would wait for this connection, which, if it is waiting for
        # the same lock by then, gives up after the whole timeout of a writer, and all others with it.
        with self.cursor() as cursor:
            cursor.execute(f"BEGIN {self.transaction_mode}")  # type: ignore[attr-defined]
