"""What follows from the rows of a backup, and is made anew after them; and how running servers learn of it."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from django.db.backends.base.base import BaseDatabaseWrapper

from apikeys.grants import announce_change
from channels_app.models import TreeVersion
from cms_api.operation.backup import tables
from contents.lists import derived_tables
from sites.models import Site

_TREE_NUMBERS = 2**53


def empty_derived(connection: BaseDatabaseWrapper) -> None:
    """Delete what follows from rows that are about to go."""
    with connection.cursor() as cursor:
        for name in tables.names_of(tables.DERIVED):
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(name)}")


def write_derived(connection: BaseDatabaseWrapper) -> None:
    """Write the lists with their counts and words, and another number for each tree. In the transaction of the rows.

    Servers that run keep trees as long as the number stays the same, and keys until they are told: they read both anew
    as soon as the transaction is committed.
    """
    numbers = Site.objects.using(connection.alias).order_by("pk").values_list("pk", flat=True)
    TreeVersion.objects.using(connection.alias).bulk_create(
        TreeVersion(site_id=pk, number=secrets.randbelow(_TREE_NUMBERS)) for pk in numbers
    )
    with _statistics(connection):
        derived_tables.rebuild()
    announce_change()


@contextmanager
def _statistics(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Let the engine know how many rows there are now; planned as for empty tables, lists of many tags take hours.

    PostgreSQL keeps that up to date by itself later. SQLite does not, so that figures it did not have go again.
    """
    with connection.cursor() as cursor:
        had_some = True
        if connection.vendor == "sqlite":
            cursor.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'sqlite_stat1'")
            had_some = bool(cursor.fetchone()[0])
        for table in tables.stored_tables():
            cursor.execute(f"ANALYZE {connection.ops.quote_name(table.name)}")
        yield
        for name in tables.names_of(tables.DERIVED) if had_some else ():
            cursor.execute(f"ANALYZE {connection.ops.quote_name(name)}")
        if not had_some:
            cursor.execute("DROP TABLE sqlite_stat1")
            cursor.execute("DROP TABLE IF EXISTS sqlite_stat4")
