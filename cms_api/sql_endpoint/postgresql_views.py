"""Views as security barriers, with rows of the sites in the setting `cms_sql.site_ids` (numbers, or `*`; else none)."""

import hashlib
from collections.abc import Iterable

from sql_sandbox.catalogue import Table, ValueKind
from sql_sandbox.running.postgresql_reader import EVERY_SITE, SITES_SETTING

SCHEMA = "cms_sql"

_TYPES = {
    ValueKind.INTEGER: "bigint",
    ValueKind.TEXT: "text",
    ValueKind.FLAG: "text",
    ValueKind.JSON: "text",
    ValueKind.DATE: "timestamp without time zone",
}
# Sub-selects, so that the setting is read once instead of for each row.
_SETTING = f"SELECT current_setting('{SITES_SETTING}', true)"
_LIST = f"SELECT string_to_array(nullif(current_setting('{SITES_SETTING}', true), '{EVERY_SITE}'), ',')::bigint[]"


def views_of(tables: Iterable[Table]) -> list[Table]:
    """Return the tables, each followed by its part for pages; each has a view."""
    return [view for table in tables for view in (table, table.approved) if view is not None]


def view_columns(table: Table) -> list[tuple[str, str]]:
    return [(column.name.lower(), _TYPES[column.kind]) for column in table.columns]


def create_view(table: Table, time_zone: str) -> str:
    """Return the statement that creates the view; dates are wall-clock times of the zone."""
    return _definition(table, quote_text(time_zone))


def view_note(table: Table, time_zone: str) -> tuple[str, str]:
    """Return the view's name and the comment that identifies its definition and time zone."""
    return table.view_name, f"{fingerprint(table)} {time_zone}"


def fingerprint(table: Table) -> str:
    """Return a digest of the view's definition, independent of the time zone."""
    return hashlib.sha256(_definition(table, "").encode()).hexdigest()[:16]


def quote_text(text: str) -> str:
    """Return the text as a PostgreSQL literal. Raise ValueError for one that has no plain form."""
    if "\\" in text or "\0" in text:
        raise ValueError("A backslash or NUL is not allowed in a literal.")
    return "'" + text.replace("'", "''") + "'"


def quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _definition(table: Table, time_zone: str) -> str:
    items = []
    for column in table.columns:
        value = f"s.{column.source}" if column.source else column.postgresql
        is_date = column.kind is ValueKind.DATE
        value = f"(s.{column.source} AT TIME ZONE {time_zone})" if is_date else f"({value})::{_TYPES[column.kind]}"
        items.append(f"{value} AS {column.name.lower()}")
    # A table without a site is for keys of all sites only.
    reached = f"({_SETTING}) = '{EVERY_SITE}'"
    if table.site:
        reached = f"({reached} OR s.{table.site} = ANY (({_LIST})::bigint[]))"
    columns, conditions = ",\n    ".join(items), "\n    AND ".join(filter(None, [table.present, reached]))
    return (
        f"CREATE VIEW {SCHEMA}.{table.view_name} WITH (security_barrier = true) AS\nSELECT\n    {columns}\n"
        f"FROM {table.source} s\nWHERE {conditions}"
    )
