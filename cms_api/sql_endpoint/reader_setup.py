"""Sets up the reader's account, schema and views on PostgreSQL, and recreates the views around migrations."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db import DatabaseError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.signals import post_migrate, pre_migrate

from cms_api.sql_endpoint.postgresql_views import (
    SCHEMA,
    create_view,
    quote_name,
    quote_text,
    view_note,
    views_of,
)
from cms_api.sql_endpoint.reader_role import is_own_role, open_tables, reader_name
from sql_sandbox.catalogue import Table
from sql_sandbox.running.postgresql_reader import SETTINGS, TEMP_FILES

logger = logging.getLogger(__name__)

# System functions that make a statement wait, or write something permanent.
PUBLIC_FUNCTIONS = """
SELECT oid::regprocedure::text FROM pg_catalog.pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace AND has_function_privilege('public', oid, 'EXECUTE')
    AND (proname LIKE 'pg\\_sleep%' OR proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_put', 'lo_open',
        'lowrite', 'lo_unlink', 'lo_truncate', 'lo_truncate64'))
ORDER BY 1
"""
RELATIONS = f"""
SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = '{SCHEMA}' AND c.relkind = 'v' ORDER BY 1
"""
_HAS_SCHEMA = f"EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = '{SCHEMA}')"

# Defaults of the role's connections. A statement's own transaction has shorter times.
_ROLE_SETTINGS = {
    "default_transaction_read_only": "on",
    "statement_timeout": "'10s'",
    "idle_in_transaction_session_timeout": "'10s'",
    "temp_file_limit": TEMP_FILES,
    **SETTINGS,
}


@dataclass(frozen=True)
class Step:
    """A step in words and SQL; if `holds` is still false afterwards, the service's account lacked the right."""

    words: str
    statements: tuple[str, ...]
    holds: str = ""
    is_optional: bool = False  # only makes the fence higher
    by_service: bool = False  # the service's account must own the result


@dataclass(frozen=True)
class DatabaseSetup:
    service: str
    database: str
    schema: str  # of the service's tables
    reader: str
    reader_exists: bool
    may_create_roles: bool


_PLACE = """
SELECT current_user, current_database(), coalesce(current_schema(), 'public'),
    EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = %s), rolsuper OR rolcreaterole
FROM pg_catalog.pg_roles WHERE rolname = current_user
"""


def find_place(connection: BaseDatabaseWrapper) -> DatabaseSetup:
    reader = reader_name()
    with connection.cursor() as cursor:
        cursor.execute(_PLACE, [reader])
        service, database, schema, exists, may_create = cursor.fetchone()
    return DatabaseSetup(service, database, schema, reader, exists, may_create)


def role_steps(place: DatabaseSetup, password: str, connections_at_once: int) -> Iterator[Step]:
    """Yield the steps that create or update the account, with a plain password or a verifier of the server."""
    options = f"LOGIN NOINHERIT CONNECTION LIMIT {connections_at_once} PASSWORD {quote_text(password)}"
    role = quote_name(place.reader)
    if place.reader_exists:
        # Without an attribute one may not even remove it from an existing role; the check reports it.
        yield Step(f"role {place.reader} updated", (f"ALTER ROLE {role} WITH {options}",))
    else:
        denied = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
        yield Step(f"role {place.reader} created", (f"CREATE ROLE {role} WITH {denied} {options}",))
    for name, value in _ROLE_SETTINGS.items():
        statement = f"ALTER ROLE {role} SET {name} = {value}"
        shown = value.strip("'")
        # A limit that only a superuser may set.
        yield Step(f"{name} of the role is {shown}", (statement,), is_optional=name == "temp_file_limit")
    yield Step(
        "the role may connect",
        (f"GRANT CONNECT ON DATABASE {quote_name(place.database)} TO {role}",),
        # The role does not exist yet if the statements are only printed.
        holds="EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = "
        f"{quote_text(place.reader)} AND has_database_privilege(oid, current_database(), 'CONNECT'))",
    )


def schema_steps(place: DatabaseSetup) -> Iterator[Step]:
    create = f"CREATE SCHEMA IF NOT EXISTS {SCHEMA} AUTHORIZATION {quote_name(place.service)}"
    yield Step(f"schema {SCHEMA} created", (create,), holds=_HAS_SCHEMA)


def view_steps(place: DatabaseSetup, tables: Sequence[Table], present: Sequence[str]) -> Iterator[Step]:
    """Yield the steps that replace the schema's relations, `present`, by views of the tables."""
    tables = views_of(tables)
    gone = sorted({*present, *(table.view_name for table in tables)})
    drops = tuple(f"DROP VIEW IF EXISTS {SCHEMA}.{quote_name(name)}" for name in gone)
    listed = ", ".join(table.view_name for table in tables) or "none, because no table is open"
    made = []
    for table in tables:
        name, note = view_note(table, settings.TIME_ZONE)
        made.append(create_view(table, settings.TIME_ZONE))
        made.append(f"COMMENT ON VIEW {SCHEMA}.{name} IS {quote_text(note)}")
    yield Step(f"views: {listed}", (*drops, *made), by_service=True)
    selects = tuple(f"GRANT SELECT ON {SCHEMA}.{table.view_name} TO {quote_name(place.reader)}" for table in tables)
    usage = f"GRANT USAGE ON SCHEMA {SCHEMA} TO {quote_name(place.reader)}"
    yield Step(f"{place.reader} may read the views", (usage, *selects), by_service=True)


def fence_steps(place: DatabaseSetup, functions: Sequence[str]) -> Iterator[Step]:
    """Yield the steps that revoke rights of PUBLIC, after granting them to the service's account."""
    service, database = quote_name(place.service), quote_name(place.database)
    yield Step(
        "PUBLIC may not create temporary tables",
        (
            f"GRANT TEMPORARY ON DATABASE {database} TO {service}",
            f"REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC",
        ),
        holds="NOT has_database_privilege('public', current_database(), 'TEMPORARY')",
        is_optional=True,
    )
    yield Step(
        "PUBLIC may not create objects in the schema public",
        (f"GRANT CREATE ON SCHEMA public TO {service}", "REVOKE CREATE ON SCHEMA public FROM PUBLIC"),
        holds="NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'public' "
        "AND has_schema_privilege('public', oid, 'CREATE'))",
        is_optional=True,
    )
    yield Step(
        "PUBLIC may not call functions that wait or write large objects",
        tuple(
            f"{change} EXECUTE ON FUNCTION {function} {to}"
            for function in functions
            for change, to in (("GRANT", f"TO {service}"), ("REVOKE", "FROM PUBLIC"))
        ),
        holds=f"NOT EXISTS ({PUBLIC_FUNCTIONS})",
        is_optional=True,
    )


def removal_steps(place: DatabaseSetup) -> Iterator[Step]:
    yield Step(f"schema {SCHEMA} and its views removed", (f"DROP SCHEMA {SCHEMA} CASCADE",), holds=f"NOT {_HAS_SCHEMA}")
    if is_own_role():
        role = quote_name(place.reader)
        yield Step(
            f"role {place.reader} removed",
            (f"REVOKE ALL ON DATABASE {quote_name(place.database)} FROM {role}", f"DROP ROLE {role}"),
            holds=f"NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = {quote_text(place.reader)})",
        )


def take(step: Step, connection: BaseDatabaseWrapper) -> str:
    """Take a step and return a line about the result. Raise DatabaseError if a required step fails."""
    if is_taken(step, connection):
        return f"no change: {step.words}"
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in step.statements:
                cursor.execute(statement)
    except DatabaseError as error:
        if not step.is_optional:
            raise
        reason, _, _ = str(error).partition("\n")
        return f"skipped: {step.words} ({reason})"
    # If an account may not revoke, the server only warns.
    if step.holds and not is_taken(step, connection):
        return f"skipped: {step.words} (the service's account lacks the permission)"
    return f"done: {step.words}"


def is_taken(step: Step, connection: BaseDatabaseWrapper) -> bool:
    """Return whether there is nothing to do; false for a step without a condition."""
    return bool(step.holds) and bool(names(f"SELECT {step.holds}", connection)[0])


def lock(connection: BaseDatabaseWrapper) -> None:
    """Wait until no other transaction sets up or removes the reader."""
    names("SELECT pg_advisory_xact_lock(7342)", connection)


def names(query: str, connection: BaseDatabaseWrapper) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return [row[0] for row in cursor.fetchall()]


# ---- Around migrations, which cannot change columns that views use

_NOTES = f"""
SELECT c.relname || ' ' || coalesce(obj_description(c.oid, 'pg_class'), '')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = '{SCHEMA}' AND c.relkind = 'v' ORDER BY 1
"""


def connect_signals(app: AppConfig) -> None:
    """Drop the views before migrations and recreate them after, on the signals of one app."""
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
        # The migration succeeded; the endpoint stays closed and reports why.
        logger.exception("The views of the SQL endpoint could not be created; run manage.py set_up_sql_reader.")


def _is_set_up(connection: BaseDatabaseWrapper) -> bool:
    is_postgresql = connection.alias == "default" and connection.vendor == "postgresql"
    return is_postgresql and bool(names(f"SELECT {_HAS_SCHEMA}", connection)[0])


def drop_views(connection: BaseDatabaseWrapper) -> None:
    """Drop the schema's views; clients' statements are refused until they are recreated."""
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        lock(connection)
        for name in names(RELATIONS, connection):
            cursor.execute(f"DROP VIEW {SCHEMA}.{quote_name(name)}")


def refresh_views(connection: BaseDatabaseWrapper) -> None:
    """Recreate the views if they differ from the open tables. Raise DatabaseError and ValueError."""
    tables = open_tables()
    notes = (view_note(view, settings.TIME_ZONE) for view in views_of(tables))
    wanted = sorted(f"{name} {note}" for name, note in notes)
    with transaction.atomic(using=connection.alias):
        lock(connection)
        if sorted(names(_NOTES, connection)) == wanted:
            return
        place = find_place(connection)
        if place.reader_exists:
            for step in view_steps(place, tables, names(RELATIONS, connection)):
                take(step, connection)
