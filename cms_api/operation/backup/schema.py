"""Whether rows of a backup fit the tables of this database: both have seen the same migrations, or nothing is done."""

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader

from cms_api.operation.backup import snapshot
from cms_api.operation.backup.faults import BackupFault
from cms_api.operation.backup.manifest import Manifest
from cms_api.operation.backup.tables import stored_tables

_SHOWN = 10  # names in a sentence


def known_migrations() -> tuple[set[str], set[str]]:
    """The migrations that the code has, and those that they replace: databases of former releases saw these, too."""
    there = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    replaced = {name for migration in there.values() for name in migration.replaces}
    return {f"{app}.{name}" for app, name in there}, {f"{app}.{name}" for app, name in replaced}


def require_migrated(connection: BaseDatabaseWrapper) -> None:
    """Raises BackupFault unless the database has seen the code's migrations and no others."""
    (known, replaced), applied = known_migrations(), set(snapshot.applied_migrations(connection))
    if lacking := known - applied:
        raise BackupFault(f"The database lacks {_listed(lacking)}; run `manage.py migrate` first.")
    if unknown := applied - known - replaced:
        raise BackupFault(f"The database is of a later version: this code does not know {_listed(unknown)}.")


def require_same(manifest: Manifest) -> None:
    """Raises BackupFault unless the backup is of a database that had seen the same migrations as the code knows."""
    (known, replaced), stored = known_migrations(), set(manifest.migrations)
    if newer := stored - known - replaced:
        raise BackupFault(
            f"The backup is of a later version of the service: this code does not know {_listed(newer)}. "
            f"Restore it with the code that made it{_which(manifest)}, or later code."
        )
    if older := known - stored:
        raise BackupFault(
            f"The backup is of an earlier version of the service, before {_listed(older)}. Check out the code that "
            f"made it{_which(manifest)}, run `manage.py migrate` and `manage.py restore` there into an empty database, "
            "then come back to this code and run `manage.py migrate`."
        )
    if [stored.table for stored in manifest.tables] != stored_tables():
        raise BackupFault("The tables of the backup are not those of this code, although the migrations are the same.")


def _which(manifest: Manifest) -> str:
    return f" (commit {manifest.code})" if manifest.code else ""


def _listed(names: set[str]) -> str:
    shown = sorted(names)[:_SHOWN]
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
