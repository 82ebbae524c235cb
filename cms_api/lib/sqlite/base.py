"""Django's SQLite backend for a process whose threads write at the same time."""

from typing import Any

from django.db.backends.sqlite3 import base

from cms_api.lib.private_files import create_private
from cms_api.lib.sqlite.schema import DatabaseSchemaEditor


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
