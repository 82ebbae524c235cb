import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.transaction import atomic

from core.lib import schema

# The last release whose migrations the squashed ones replace.
_BEFORE_SQUASH = "574fff2"
_LOCK = 7346  # key of an advisory lock, different from all others of the service


class Command(migrate.Command):
    """Django's command; one at a time, and on SQLite all migrations and their triggers in one transaction."""

    help = (
        f"{migrate.Command.help} Then installs triggers. On SQLite, all of it is one transaction; on PostgreSQL, a "
        "second process waits for the first. --check also compares the triggers."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        _raise_if_too_old(connection)
        with ExitStack() as stack:
            if not (options["plan"] or options["check_unapplied"]):
                if connection.vendor == "sqlite":
                    # The schema editor needs foreign key checks off, which SQLite cannot switch within a transaction.
                    stack.enter_context(connection.constraint_checks_disabled())
                    stack.enter_context(atomic(connection.alias))
                else:
                    stack.enter_context(self._alone(connection, options["verbosity"]))
            super().handle(*args, **options)
        if options["check_unapplied"] and not options["app_label"]:
            found = schema.look()
            if told := found.problem or found.warning:
                self.stderr.write(told)
                sys.exit(1)

    @contextmanager
    def _alone(self, connection: BaseDatabaseWrapper, verbosity: int) -> Iterator[None]:
        """Hold a lock, waiting for another process; it ends with this process, even if that is killed."""
        # In a transaction of a connection of its own, so that it also works behind a pooler of transactions.
        holder = connection.copy()
        holder.settings_dict["OPTIONS"].pop("pool", None)
        holder.set_autocommit(False)
        try:
            with holder.cursor() as cursor:
                cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
                cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
                if not cursor.fetchone()[0]:
                    if verbosity:
                        self.stdout.write("Another process is migrating this database; waiting for it.")
                        self.stdout.flush()
                    cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
            yield
        finally:
            holder.close()


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
