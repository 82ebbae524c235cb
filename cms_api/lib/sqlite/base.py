"""Django's SQLite backend for a process whose threads write at the same time."""

from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Leaves no cursor behind that another thread could be held up by."""

    def _start_transaction_under_autocommit(self) -> None:
        # Django leaves this cursor to the garbage collector where BEGIN fails. The collector runs in any thread, among
        # them one that holds the lock of writers. There it would wait for this connection, which, if it is waiting for
        # the same lock by then, gives up after the whole timeout of a writer, and all others with it.
        with self.cursor() as cursor:
            cursor.execute(f"BEGIN {self.transaction_mode}")  # type: ignore[attr-defined]
