from django.db import connection
from django.db.migrations.loader import MigrationLoader

from core.archive import database
from core.archive.errors import ArchiveError
from core.archive.manifest import Manifest
from core.archive.tables import Table

_SHOWN = 10  # names in a sentence


def known_migrations() -> tuple[set[str], set[str]]:
    there = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    replaced = {name for migration in there.values() for name in migration.replaces}
    return {f"{app}.{name}" for app, name in there}, {f"{app}.{name}" for app, name in replaced}


def require_migrated() -> None:
    """Raises `ArchiveError` unless the database has applied exactly the code's migrations."""
    (known, replaced), applied = known_migrations(), set(database.applied_migrations(connection))
    if lacking := known - applied:
        raise ArchiveError(f"The database lacks {_listed(lacking)}; run `manage.py migrate` first.")
    if unknown := applied - known - replaced:
        raise ArchiveError(f"The database is from a later version: this code does not know {_listed(unknown)}.")


def require_same_tables(manifest: Manifest, tables: list[Table]) -> None:
    """Raises `ArchiveError` unless the archive's tables are these tables of the code."""
    if [stored.table for stored in manifest.tables] == tables:
        return
    require_same_migrations(manifest)
    raise ArchiveError(
        "The tables of the archive differ from those of this code, although the migrations are the same."
    )


def require_same_migrations(manifest: Manifest) -> None:
    """Raises `ArchiveError` unless the archive's database had applied exactly the code's migrations."""
    (known, replaced), stored = known_migrations(), set(manifest.migrations)
    code = f" (commit {manifest.code})" if manifest.code else ""
    if newer := stored - known - replaced:
        raise ArchiveError(
            f"The archive is from a later version of the service: this code does not know {_listed(newer)}. Use "
            f"the code that made it{code}, or later code."
        )
    if not (older := known - stored):
        return
    told = f"The archive is from an earlier version of the service, before {_listed(older)}. "
    if manifest.site:
        raise ArchiveError(f"{told}Update the service it comes from, and export the site again.")
    raise ArchiveError(
        f"{told}Check out the code that made it{code}, run `manage.py migrate` and `manage.py restore` there into an "
        "empty database, then come back to this code and run `manage.py migrate`."
    )


def _listed(names: set[str]) -> str:
    shown = sorted(names)[:_SHOWN]
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
