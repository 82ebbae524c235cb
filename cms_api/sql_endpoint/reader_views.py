"""The reader's views around migrations, which could not change the columns that views stand on."""

import logging
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db import DatabaseError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.signals import post_migrate, pre_migrate

from cms_api.sql_endpoint.postgresql_views import SCHEMA, quote_name, view_note
from cms_api.sql_endpoint.reader_role import open_tables
from cms_api.sql_endpoint.reader_steps import RELATIONS, find_place, lock, names, take, view_steps

logger = logging.getLogger(__name__)

_SCHEMA = f"SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname = '{SCHEMA}'"
_NOTES = f"""
SELECT c.relname || ' ' || coalesce(obj_description(c.oid, 'pg_class'), '')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = '{SCHEMA}' AND c.relkind = 'v' ORDER BY 1
"""


def connect_signals(app: AppConfig) -> None:
    """Take the views away before a migration and make them anew after it; once for each `migrate`.

    The signals come once for each app that has models; those of `app` are followed.
    """
    pre_migrate.connect(_before, sender=app, dispatch_uid="cms_sql")
    post_migrate.connect(_after, sender=app, dispatch_uid="cms_sql")


def _before(using: str, plan: Any = None, **_: Any) -> None:
    if plan and _is_set_up(connections[using]):
        drop_views(connections[using])


def _after(using: str, **_: Any) -> None:
    connection = connections[using]
    if not _is_set_up(connection):
        return
    try:
        refresh_views(connection)
    except (DatabaseError, ValueError):
        # The migration itself is done; the endpoint stays closed, and says so.
        logger.exception("The views of the SQL endpoint could not be made; run manage.py set_up_sql_reader.")


def _is_set_up(connection: BaseDatabaseWrapper) -> bool:
    return connection.alias == "default" and connection.vendor == "postgresql" and bool(names(_SCHEMA, connection))


def drop_views(connection: BaseDatabaseWrapper) -> None:
    """Take every view of the schema away; statements of clients are refused until they are made anew."""
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        lock(connection)
        for name in names(RELATIONS, connection):
            cursor.execute(f"DROP VIEW {SCHEMA}.{quote_name(name)}")


def refresh_views(connection: BaseDatabaseWrapper) -> None:
    """Make the views anew unless they are those of the open tables already, for a reader that exists.

    Raises DatabaseError where the service's account may not, ValueError for an unknown name in CMS_SQL_TABLES.
    """
    tables = open_tables()
    wanted = sorted(f"{name} {note}" for name, note in (view_note(table, settings.TIME_ZONE) for table in tables))
    with transaction.atomic(using=connection.alias):
        lock(connection)
        if sorted(names(_NOTES, connection)) == wanted:
            return
        place = find_place(connection)
        if place.reader_exists:
            for step in view_steps(place, tables, names(RELATIONS, connection)):
                take(step, connection)
