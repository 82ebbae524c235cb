"""Checks that the reader's account sees only the catalogue's views; without Django, for the child process."""
# TEMPORARY on the database is no fault: a read-only transaction creates no temporary table.

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from cms_api.sql_endpoint.postgresql_views import SCHEMA, fingerprint, view_columns, views_of
from sql_sandbox.catalogue import Table
from sql_sandbox.refusals import Unavailable

logger = logging.getLogger(__name__)

COMMAND = "manage.py set_up_sql_reader"


@dataclass(frozen=True)
class Fault:
    """Why the account may not be used, in words for clients, and a detail for the operator."""

    reason: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})" if self.detail else self.reason


# System relations that show passwords, files, settings of the machine or samples of rows.
_SECRET_RELATIONS = [
    "pg_authid", "pg_shadow", "pg_user_mapping", "pg_statistic", "pg_statistic_ext_data", "pg_largeobject",
    "pg_file_settings", "pg_hba_file_rules", "pg_ident_file_mappings", "pg_backend_memory_contexts",
    "pg_shmem_allocations", "pg_config", "pg_replication_origin_status",
]  # fmt: skip
# System functions that reach files or control the server; by default only superusers may call them.
_SECRET_FUNCTIONS = [
    "pg_read_file", "pg_read_binary_file", "pg_stat_file", "pg_ls_dir", "pg_ls_logdir", "pg_ls_waldir", "pg_ls_tmpdir",
    "pg_current_logfile", "pg_show_all_file_settings", "pg_hba_file_rules", "lo_import", "lo_export", "pg_reload_conf",
    "pg_rotate_logfile", "pg_switch_wal", "pg_create_restore_point", "pg_backup_start", "pg_promote",
]  # fmt: skip
# Extensions whose functions open connections or run statements as another user.
_REACHING_EXTENSIONS = ["dblink", "http", "pg_net", "pg_background", "pg_cron", "plsh", "adminpack", "file_fdw"]
# Such functions come with extensions like pg_trgm; only a superuser can create one.
_LIBRARY_LANGUAGES = ["internal", "c"]

_SYSTEM = "n.nspname IN ('pg_catalog', 'information_schema')"
_TEMPORARY = "n.nspname LIKE 'pg\\_temp\\_%%' OR n.nspname LIKE 'pg\\_toast%%'"
_OUTSIDE = f"NOT ({_SYSTEM} OR {_TEMPORARY})"
_WRITES = "INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER"
_COLUMN_WRITES = "INSERT, UPDATE, REFERENCES"

# Rows of reason and detail. has_…_privilege includes grants to PUBLIC and through membership.
_FAULTS = f"""
WITH me AS (SELECT * FROM pg_catalog.pg_roles WHERE rolname = current_user)
SELECT 'its database account has rights beyond signing in', a.attribute
FROM me, LATERAL (VALUES
    ('SUPERUSER', rolsuper), ('CREATEROLE', rolcreaterole), ('CREATEDB', rolcreatedb),
    ('REPLICATION', rolreplication), ('BYPASSRLS', rolbypassrls)
) a (attribute, has) WHERE a.has
UNION ALL
SELECT 'its database account acts for another account', session_user::text WHERE session_user <> current_user
UNION ALL
SELECT 'its database account is a member of a role', g.rolname
FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles g ON g.oid = m.roleid JOIN me ON me.oid = m.member
UNION ALL
SELECT 'its database account owns database objects',
    -- Of another database only the number is known.
    coalesce(pg_describe_object(d.classid, d.objid, 0), 'object ' || d.objid || ' of database ' || d.dbid)
FROM pg_catalog.pg_shdepend d JOIN me ON d.refobjid = me.oid
WHERE d.refclassid = 'pg_catalog.pg_authid'::regclass AND d.deptype = 'o'
UNION ALL
SELECT 'its database account has been granted rights beyond the catalogue',
    pg_describe_object(d.classid, d.objid, d.objsubid)
FROM pg_catalog.pg_shdepend d JOIN me ON d.refobjid = me.oid
LEFT JOIN pg_catalog.pg_class c ON d.classid = 'pg_catalog.pg_class'::regclass AND c.oid = d.objid
LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    OR d.classid = 'pg_catalog.pg_namespace'::regclass AND n.oid = d.objid
WHERE d.refclassid = 'pg_catalog.pg_authid'::regclass AND d.deptype NOT IN ('o', 'p')
    AND d.classid <> 'pg_catalog.pg_database'::regclass
    AND d.dbid IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()))
    AND n.nspname IS DISTINCT FROM '{SCHEMA}'
UNION ALL
SELECT 'its database account can read more than the catalogue', n.nspname || '.' || c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE {_OUTSIDE} AND n.nspname <> '{SCHEMA}' AND CASE WHEN c.relkind = 'S'
    THEN has_sequence_privilege(c.oid, 'SELECT, USAGE, UPDATE')
    ELSE c.relkind IN ('r', 'v', 'm', 'f', 'p')
        AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT')) END
UNION ALL
SELECT 'its database account can write', n.nspname || '.' || c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE NOT ({_TEMPORARY}) AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
    AND (has_table_privilege(c.oid, '{_WRITES}') OR has_any_column_privilege(c.oid, '{_COLUMN_WRITES}'))
    -- Everybody may update the view of settings, which is SET in other words.
    AND c.oid <> 'pg_catalog.pg_settings'::regclass
UNION ALL
SELECT 'its database account can read secrets of the database server', c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'pg_catalog' AND c.relname = ANY (%(relations)s)
    AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'))
UNION ALL
SELECT 'its database account can reach files or control the database server', p.proname
FROM pg_catalog.pg_proc p
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = ANY (%(functions)s)
    AND has_function_privilege(p.oid, 'EXECUTE')
UNION ALL
SELECT 'its database account can call a function with the rights of another account', n.nspname || '.' || p.proname
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
JOIN pg_catalog.pg_language l ON l.oid = p.prolang
WHERE NOT ({_SYSTEM}) AND (p.prosecdef OR NOT (l.lanpltrusted OR l.lanname = ANY (%(languages)s)))
    AND has_function_privilege(p.oid, 'EXECUTE')
UNION ALL
SELECT 'its database account can call a function that reaches beyond the database', e.extname || '.' || p.proname
FROM pg_catalog.pg_extension e
JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid
    AND d.classid = 'pg_catalog.pg_proc'::regclass AND d.deptype = 'e'
JOIN pg_catalog.pg_proc p ON p.oid = d.objid
WHERE e.extname = ANY (%(extensions)s) AND has_function_privilege(p.oid, 'EXECUTE')
UNION ALL
SELECT 'its database account can create objects', 'schema ' || n.nspname
FROM pg_catalog.pg_namespace n WHERE NOT ({_TEMPORARY}) AND has_schema_privilege(n.oid, 'CREATE')
UNION ALL
SELECT 'its database account can create objects', 'database ' || current_database()
WHERE has_database_privilege(current_database(), 'CREATE')
UNION ALL
SELECT 'its database account can use a foreign server', s.srvname
FROM pg_catalog.pg_foreign_server s WHERE has_server_privilege(s.oid, 'USAGE')
UNION ALL
SELECT 'its database account can use a foreign server', w.fdwname
FROM pg_catalog.pg_foreign_data_wrapper w WHERE has_foreign_data_wrapper_privilege(w.oid, 'USAGE')
LIMIT 1
"""

_USAGE = f"SELECT has_schema_privilege(oid, 'USAGE') FROM pg_catalog.pg_namespace WHERE nspname = '{SCHEMA}'"
# Every relation of the schema: its kind, whether its options are ours, its comment, whether it is readable, and its
# columns.
_VIEWS = f"""
SELECT c.relname, c.relkind = 'v', c.reloptions = ARRAY['security_barrier=true'],
    coalesce(obj_description(c.oid, 'pg_class'), ''), has_table_privilege(c.oid, 'SELECT'),
    ARRAY(SELECT ARRAY[a.attname::text, format_type(a.atttypid, a.atttypmod)] FROM pg_catalog.pg_attribute a
          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = '{SCHEMA}' AND c.relkind IN ('r', 'v', 'm', 'f', 'p', 'S')
"""


def verify_reader(connection: psycopg.Connection[Any], tables: Iterable[Table], time_zone: str = "") -> None:
    """Raise Unavailable, with words for clients, if the account sees anything but the views of these tables."""
    if fault := find_fault(connection, tables, time_zone):
        logger.error("The SQL endpoint is closed: %s.", fault)
        raise closed(fault.reason)


def closed(reason: str) -> Unavailable:
    return Unavailable(f"The SQL endpoint is closed: {reason}; the operator can run {COMMAND}.")


def find_fault(connection: psycopg.Connection[Any], tables: Iterable[Table], time_zone: str = "") -> Fault | None:
    """Return the first fault of the connection's account or of the views, or None."""
    with connection.transaction(), connection.cursor(row_factory=tuple_row) as cursor:
        listed = {
            "relations": _SECRET_RELATIONS,
            "functions": _SECRET_FUNCTIONS,
            "languages": _LIBRARY_LANGUAGES,
            "extensions": _REACHING_EXTENSIONS,
        }
        cursor.execute(_FAULTS.encode(), listed)
        if row := cursor.fetchone():
            return Fault(*row)
        # The right to the schema matters before its contents.
        cursor.execute(_USAGE.encode())
        if cursor.fetchone() != (True,):
            return Fault("its views are not set up", f"no usable schema {SCHEMA}")
        cursor.execute(_VIEWS.encode())
        return next(_view_faults(cursor.fetchall(), tables, time_zone), None)


def find_missing_limit(connection: psycopg.Connection[Any]) -> Fault | None:
    """Return a missing limit that does not close the endpoint, or None; only a superuser can set it."""
    with connection.transaction(), connection.cursor(row_factory=tuple_row) as cursor:
        cursor.execute(b"SELECT current_setting('temp_file_limit') = '-1'")
        return Fault("it has no limit on temporary files") if cursor.fetchone() == (True,) else None


def _view_faults(rows: Sequence[tuple[Any, ...]], tables: Iterable[Table], time_zone: str) -> Iterator[Fault]:
    expected = {table.view_name: table for table in views_of(tables)}
    found = {row[0]: row[1:] for row in rows}
    for name in sorted(found.keys() - expected.keys()):
        yield Fault("its views do not match the open tables", f"{SCHEMA}.{name} is not open")
    for name in sorted(expected.keys() - found.keys()):
        yield Fault("its views do not match the open tables", f"{SCHEMA}.{name} is missing")
    for name, (is_view, is_barrier, note, is_readable, columns) in sorted(found.items()):
        wanted = [list(column) for column in view_columns(expected[name])]
        noted, _, noted_zone = note.partition(" ")
        for holds, problem in (
            (is_view, "is not a view"),
            (is_barrier, "is not a security barrier with the rights of its owner"),
            (columns == wanted, "does not have the columns of the catalogue"),
            (noted == fingerprint(expected[name]), "was created by another version"),
            (not time_zone or noted_zone == time_zone, f"returns dates of {noted_zone or 'another time zone'}"),
            (is_readable, "cannot be read"),
        ):
            if not holds:
                yield Fault("its views are out of date", f"{SCHEMA}.{name} {problem}")
