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
    """Django's command; on SQLite it applies all migrations and their triggers in one transaction."""

    help = f"{migrate.Command.help} On SQLite, applies all migrations in one transaction."

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        _raise_if_too_old(connection)
        with ExitStack() as stack:
            if connection.vendor == "sqlite" and not (options["plan"] or options["check_unapplied"]):
                # The schema editor needs foreign key checks off, which SQLite cannot switch within a transaction.
                stack.enter_context(connection.constraint_checks_disabled())
                stack.enter_context(atomic(connection.alias))
            super().handle(*args, **options)


def _raise_if_too_old(connection: BaseDatabaseWrapper) -> None:
    """Raise `CommandError` if the database has applied only some of the migrations that a squashed one replaces."""
    applied = MigrationRecorder(connection).applied_migrations().keys()
    for migration in MigrationLoader(None, ignore_no_migrations=True).disk_migrations.values():
        replaced = set(migration.replaces)
        if applied & replaced and replaced - applied:
            raise CommandError(
                f"The database is from a release before {_BEFORE_SQUASH}. Check out {_BEFORE_SQUASH} and run "
                "`manage.py migrate`, then check out this release and run it again."
            )
