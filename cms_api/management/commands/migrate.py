from contextlib import ExitStack
from typing import Any

from django.core.management.commands import migrate
from django.db import connections
from django.db.transaction import atomic


class Command(migrate.Command):
    """Django's command. On SQLite all migrations, and the triggers that follow them, are one transaction.

    So a migration that fails or is killed leaves the database as it was, and a server of the former release never
    writes to a new table whose triggers are not installed yet.
    """

    help = f"{migrate.Command.help} On SQLite all migrations of one run are one transaction."

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate."""
        connection = connections[options["database"]]
        with ExitStack() as stack:
            if connection.vendor == "sqlite" and not (options["plan"] or options["check_unapplied"]):
                # The schema editor needs foreign keys unchecked, which SQLite cannot switch within a transaction.
                stack.enter_context(connection.constraint_checks_disabled())
                stack.enter_context(atomic(connection.alias))
            super().handle(*args, **options)
