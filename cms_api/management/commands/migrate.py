from contextlib import ExitStack
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.transaction import atomic

# The last release whose migrations the squashed ones replace.
_BEFORE_SQUASH = "574fff2"


class Command(migrate.Command):
    """Django's command. On SQLite all migrations, and the triggers that follow them, are one transaction.

    So a migration that fails or is killed leaves the database as it was, and a server of the former release never
    writes to a new table whose triggers are not installed yet.
    """

    help = f"{migrate.Command.help} On SQLite all migrations of one run are one transaction."

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        _refuse_too_old(connection)
        with ExitStack() as stack:
            if connection.vendor == "sqlite" and not (options["plan"] or options["check_unapplied"]):
                # The schema editor needs foreign keys unchecked, which SQLite cannot switch within a transaction.
                stack.enter_context(connection.constraint_checks_disabled())
                stack.enter_context(atomic(connection.alias))
            super().handle(*args, **options)


def _refuse_too_old(connection: BaseDatabaseWrapper) -> None:
    """Raise CommandError for a database that has seen only some of the migrations that a squashed one replaces."""
    applied = MigrationRecorder(connection).applied_migrations().keys()
    for migration in MigrationLoader(None, ignore_no_migrations=True).disk_migrations.values():
        replaced = set(migration.replaces)
        if applied & replaced and replaced - applied:
            raise CommandError(
                f"The database is of a release before {_BEFORE_SQUASH}. Check out {_BEFORE_SQUASH}, run `manage.py "
                "migrate` there, then come back to this code and run it again."
            )
