"""The catalogue as views of PostgreSQL: what the reader's role may select from, and nothing besides.

Each view is a security barrier, so that no condition of a client sees a row that the view does not show, and
shows rows of the sites in the transaction's setting `cms_sql.site_ids`: numbers joined by commas, or `*`.
Without the setting it shows nothing.
"""

import hashlib
from collections.abc import Iterable, Sequence

from cms_api.lib.sql_sandbox.catalogue import Column, Kind, Table
from cms_api.lib.sql_sandbox.running.postgresql_reader import EVERY_SITE, SITES_SETTING

SCHEMA = "cms_sql"

_TYPES = {
    Kind.INTEGER: "bigint",
    Kind.TEXT: "text",
    Kind.FLAG: "text",
    Kind.JSON: "text",
    Kind.DATE: "timestamp without time zone",
}
# Sub-selects, so that the setting is read once and not for each row.
_SETTING = f"SELECT current_setting('{SITES_SETTING}', true)"
_LIST = f"SELECT string_to_array(nullif(current_setting('{SITES_SETTING}', true), '{EVERY_SITE}'), ',')::bigint[]"


def view_name(table: Table) -> str:
    """The name of the table's view in the schema."""
    return table.name.lower()


def view_columns(table: Table) -> list[tuple[str, str]]:
    """The names of the view's columns with their types, in order."""
    return [(column.name.lower(), _TYPES[column.kind]) for column in table.columns]


def create_view(table: Table, time_zone: str) -> str:
    """The statement that makes the table's view; dates are wall-clock times of the zone."""
    return _definition(table, quote_text(time_zone))


def comment_view(table: Table, time_zone: str) -> str:
    """The statement that notes on the view which definition it has."""
    name, note = view_note(table, time_zone)
    return f"COMMENT ON VIEW {SCHEMA}.{name} IS {quote_text(note)}"


def view_note(table: Table, time_zone: str) -> tuple[str, str]:
    """The name of the table's view, and the note that tells its definition and its time zone."""
    return view_name(table), f"{fingerprint(table)} {time_zone}"


def fingerprint(table: Table) -> str:
    """A short text that differs as soon as the definition of the table's view does, whatever the time zone."""
    return hashlib.sha256(_definition(table, "").encode()).hexdigest()[:16]


def quote_text(text: str) -> str:
    """The text as a literal of PostgreSQL. Raises ValueError for one that has no plain form."""
    if "\\" in text or "\0" in text:
        raise ValueError("A backslash or NUL cannot stand in a literal.")
    return "'" + text.replace("'", "''") + "'"


def quote_name(name: str) -> str:
    """The name as an identifier of PostgreSQL."""
    return '"' + name.replace('"', '""') + '"'


def _definition(table: Table, time_zone: str) -> str:
    columns = ",\n    ".join(f"{_value(column, time_zone)} AS {column.name.lower()}" for column in table.columns)
    conditions = "\n    AND ".join(filter(None, [table.present, _of_reached_sites(table)]))
    return (
        f"CREATE VIEW {SCHEMA}.{view_name(table)} WITH (security_barrier = true) AS\nSELECT\n    {columns}\n"
        f"FROM {table.source} s\nWHERE {conditions}"
    )


def _value(column: Column, time_zone: str) -> str:
    if column.kind is Kind.DATE:
        return f"(s.{column.source} AT TIME ZONE {time_zone})"
    return f"({f's.{column.source}' if column.source else column.postgresql})::{_TYPES[column.kind]}"


def _of_reached_sites(table: Table) -> str:
    if not table.site:
        # A table without a site is for keys of every site.
        return f"({_SETTING}) = '{EVERY_SITE}'"
    return f"(({_SETTING}) = '{EVERY_SITE}' OR s.{table.site} = ANY (({_LIST})::bigint[]))"


def all_views(tables: Iterable[Table], time_zone: str) -> Sequence[str]:
    """The statements that make the views of the tables, with their notes."""
    return [make(table, time_zone) for table in tables for make in (create_view, comment_view)]
