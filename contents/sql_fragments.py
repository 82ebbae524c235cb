from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.db import connection


@dataclass(slots=True)
class SqlFragment:
    """A piece of SQL and its bound values."""

    sql: str
    params: tuple[Any, ...] = ()
    depth: int = 1  # approximate use of SQLite's parser stack, which has 100 entries


NOTHING = SqlFragment("")


def fetch(sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def join(conditions: Iterable[SqlFragment], word: str = " AND ") -> SqlFragment:
    """Join the pieces with a word, each in parentheses.

    The deepest piece comes first, since a parenthesis adds to the SQLite parser stack of the preceding text.
    """
    pieces = sorted(conditions, key=attrgetter("depth"), reverse=True)
    depth = max([before + piece.depth for before, piece in zip((1, 3), pieces, strict=False)], default=1)
    return concatenate(word, [SqlFragment(f"({one.sql})", one.params) for one in pieces], depth)


def concatenate(word: str, pieces: Iterable[SqlFragment], depth: int = 1) -> SqlFragment:
    pieces = list(pieces)
    params = tuple(value for piece in pieces for value in piece.params)
    return SqlFragment(word.join([piece.sql for piece in pieces]), params, depth)


def among(column: str, numbers: Iterable[int]) -> SqlFragment:
    """Match the column against numbers with a single parameter."""
    chosen = list(numbers)
    if len(chosen) == 1:
        # For an array, PostgreSQL would make a new plan each time.
        return SqlFragment(f"{column} = %s", (chosen[0],))
    if connection.vendor == "postgresql":
        # PostgreSQL hashes the list only if its type is the column's; otherwise it compares one by one.
        return SqlFragment(f"{column} = ANY(CAST(%s AS bigint[]))", (chosen,))
    return SqlFragment(f"{column} IN (SELECT value FROM json_each(%s))", (str(chosen),))


def negate(condition: SqlFragment) -> SqlFragment:
    """Negate the condition; rows where it is null match too."""
    return SqlFragment(f"({condition.sql}) IS NOT TRUE", condition.params, 1 + condition.depth)


def literal(text: str) -> str:
    """Quote the text as an SQL literal; % is doubled for the driver."""
    return "'" + text.replace("'", "''").replace("%", "%%") + "'"


def custom_text(name: str, *, of_several: str = "") -> str:
    """SQL for a custom field of `c` as text, "" if missing; `of_several` adds CASE branches by JSON type."""
    key = literal(name)
    if connection.vendor == "postgresql":
        value, text = f"c.settings_xml::json -> {key}", f"c.settings_xml::json ->> {key}"
        cases = f"WHEN 'boolean' THEN initcap({text}) {of_several} ELSE {text}"
        return f"COALESCE(CASE json_typeof({value}) {cases} END, '')"
    as_stored = """c.settings_xml -> ('$."' || j.key || '"')"""  # null for some names, such as those with quotes
    cases = (
        f"WHEN 'true' THEN 'True' WHEN 'false' THEN 'False' {of_several} "
        f"WHEN 'real' THEN COALESCE({as_stored}, CAST(j.value AS TEXT)) ELSE CAST(j.value AS TEXT)"
    )
    return f"COALESCE((SELECT CASE j.type {cases} END FROM json_each(c.settings_xml) j WHERE j.key = {key}), '')"
