"""What setting up the reader's account on PostgreSQL does, step by step, and how a step is taken."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.lib.sql_sandbox.catalogue import Table
from cms_api.lib.sql_sandbox.running.postgresql_reader import SETTINGS, TEMP_FILES
from cms_api.sql_endpoint.postgresql_views import SCHEMA, all_views, quote_name, quote_text, view_name
from cms_api.sql_endpoint.reader_role import is_own_role, reader_name

# Functions of the system that make a statement wait, or write what stays.
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


# What a connection begins with. A statement's own transaction has shorter times.
_ROLE_SETTINGS = {
    "default_transaction_read_only": "on",
    "statement_timeout": "'10s'",
    "idle_in_transaction_session_timeout": "'10s'",
    "temp_file_limit": TEMP_FILES,
    **SETTINGS,
}


@dataclass(frozen=True)
class Step:
    """One thing that setting up does, in words and in statements.

    Where `holds`, a condition, is true, there is nothing to do; where it is not true afterwards, the service's
    account was not permitted to do it. An optional step makes the fence higher; without it the others stand.
    """

    words: str
    statements: tuple[str, ...]
    holds: str = ""
    is_optional: bool = False
    by_service: bool = False  # the service's account has to own what is made


@dataclass(frozen=True)
class Place:
    """Where the reader is set up, and for whom."""

    service: str
    database: str
    schema: str  # where the service's tables are
    reader: str
    reader_exists: bool
    may_create_roles: bool

    @property
    def quoted_reader(self) -> str:
        """The reader's name as an identifier."""
        return quote_name(self.reader)


_PLACE = """
SELECT current_user, current_database(), coalesce(current_schema(), 'public'),
    EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = %s), rolsuper OR rolcreaterole
FROM pg_catalog.pg_roles WHERE rolname = current_user
"""


def find_place(connection: BaseDatabaseWrapper) -> Place:
    """What the connection tells about the service's account, and whether the reader's is there."""
    reader = reader_name()
    with connection.cursor() as cursor:
        cursor.execute(_PLACE, [reader])
        service, database, schema, exists, may_create = cursor.fetchone()
    return Place(service, database, schema, reader, exists, may_create)


def role_steps(place: Place, password: str, connections_at_once: int) -> Iterator[Step]:
    """How the account is made, with a password that is a literal's content: plain, or a verifier of the server."""
    options = f"LOGIN NOINHERIT CONNECTION LIMIT {connections_at_once} PASSWORD {quote_text(password)}"
    role = place.quoted_reader
    if place.reader_exists:
        # Who has not the other attributes may not even take them from a role that is there; the check sees them.
        yield Step(f"role {place.reader} brought up to date", (f"ALTER ROLE {role} WITH {options}",))
    else:
        denied = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
        yield Step(f"role {place.reader} made", (f"CREATE ROLE {role} WITH {denied} {options}",))
    for name, value in _ROLE_SETTINGS.items():
        statement = f"ALTER ROLE {role} SET {name} = {value}"
        shown = value.strip("'")
        # A limit that only a superuser may set.
        yield Step(f"{name} of the role is {shown}", (statement,), is_optional=name == "temp_file_limit")
    yield Step(
        "the role may connect",
        (f"GRANT CONNECT ON DATABASE {quote_name(place.database)} TO {role}",),
        # The role may be yet to come, where the statements are only printed.
        holds=(
            "EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = "
            f"{quote_text(place.reader)} AND has_database_privilege(oid, current_database(), 'CONNECT'))"
        ),
    )


def schema_steps(place: Place) -> Iterator[Step]:
    """How the schema comes to be, owned by the service's account."""
    authorization = f"AUTHORIZATION {quote_name(place.service)}"
    yield Step(
        f"schema {SCHEMA} made",
        (f"CREATE SCHEMA IF NOT EXISTS {SCHEMA} {authorization}",),
        holds=_HAS_SCHEMA,
    )


def view_steps(place: Place, tables: Sequence[Table], present: Sequence[str]) -> Iterator[Step]:
    """How the views of the schema become those of the tables; `present` are the relations that are there."""
    gone = sorted({*present, *map(view_name, tables)})
    drops = tuple(f"DROP VIEW IF EXISTS {SCHEMA}.{quote_name(name)}" for name in gone)
    listed = ", ".join(view_name(table) for table in tables) or "none, since no table is open"
    yield Step(f"views: {listed}", (*drops, *all_views(tables, settings.TIME_ZONE)), by_service=True)
    selects = tuple(f"GRANT SELECT ON {SCHEMA}.{view_name(table)} TO {place.quoted_reader}" for table in tables)
    usage = f"GRANT USAGE ON SCHEMA {SCHEMA} TO {place.quoted_reader}"
    yield Step(f"{place.reader} may read them", (usage, *selects), by_service=True)


def fence_steps(place: Place, functions: Sequence[str]) -> Iterator[Step]:
    """What is taken from everybody in the database, and given back to the service's account first."""
    service, database = quote_name(place.service), quote_name(place.database)
    yield Step(
        "temporary tables are not for everybody",
        (
            f"GRANT TEMPORARY ON DATABASE {database} TO {service}",
            f"REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC",
        ),
        holds="NOT has_database_privilege('public', current_database(), 'TEMPORARY')",
        is_optional=True,
    )
    yield Step(
        "not everybody may create things in the schema public",
        (f"GRANT CREATE ON SCHEMA public TO {service}", "REVOKE CREATE ON SCHEMA public FROM PUBLIC"),
        holds=(
            "NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'public' "
            "AND has_schema_privilege('public', oid, 'CREATE'))"
        ),
        is_optional=True,
    )
    yield Step(
        "functions that wait or write large objects are not for everybody",
        tuple(
            f"{change} EXECUTE ON FUNCTION {function} {to}"
            for function in functions
            for change, to in (("GRANT", f"TO {service}"), ("REVOKE", "FROM PUBLIC"))
        ),
        holds=f"NOT EXISTS ({PUBLIC_FUNCTIONS})",
        is_optional=True,
    )


def removal_steps(place: Place) -> Iterator[Step]:
    """How schema, views and, unless it is the operator's, the account go."""
    yield Step(f"schema {SCHEMA} and its views removed", (f"DROP SCHEMA {SCHEMA} CASCADE",), holds=f"NOT {_HAS_SCHEMA}")
    if is_own_role():
        role = place.quoted_reader
        yield Step(
            f"role {place.reader} removed",
            (f"REVOKE ALL ON DATABASE {quote_name(place.database)} FROM {role}", f"DROP ROLE {role}"),
            holds=f"NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = {quote_text(place.reader)})",
        )


# ---- Taking steps

_LOCK = 7342  # the name of an advisory lock


def take(step: Step, connection: BaseDatabaseWrapper) -> str:
    """Do what the step says, within the transaction, and tell in a line what came of it.

    Raises DatabaseError when a step that is not optional fails.
    """
    if is_taken(step, connection):
        return f"already so: {step.words}"
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in step.statements:
                cursor.execute(statement)
    except DatabaseError as error:
        if not step.is_optional:
            raise
        reason, _, _ = str(error).partition("\n")
        return f"skipped: {step.words} ({reason})"
    # Where an account may not revoke, the server only warns.
    if step.holds and not is_taken(step, connection):
        return f"skipped: {step.words} (the service's account is not permitted to)"
    return f"done: {step.words}"


def is_taken(step: Step, connection: BaseDatabaseWrapper) -> bool:
    """Whether what the step is for is so already; always false of a step that cannot tell."""
    if not step.holds:
        return False
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {step.holds}")
        return bool(cursor.fetchone()[0])


def lock(connection: BaseDatabaseWrapper) -> None:
    """Wait until no other transaction sets the reader up or removes it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def names(query: str, connection: BaseDatabaseWrapper) -> list[str]:
    """The first column of the query's rows."""
    with connection.cursor() as cursor:
        cursor.execute(query)
        return [row[0] for row in cursor.fetchall()]
