"""Pieces of SQL with the values that they bind."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.db import connection


@dataclass(frozen=True, slots=True)
class Condition:
    """A piece of SQL with the values it binds.

    `depth` is about how many of the 100 places of SQLite's parser stack it takes.
    """

    sql: str
    params: tuple[Any, ...] = ()
    depth: int = 1


NOTHING = Condition("")


def fetch(sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def join(conditions: Iterable[Condition], word: str = " AND ") -> Condition:
    """The pieces with a word between them, each in parentheses.

    A parenthesis takes a place of SQLite's stack besides those of what stands before it, so the deepest piece comes
    first; pieces of one depth keep their order.
    """
    pieces = sorted(conditions, key=_depth, reverse=True)
    depth = max([before + piece.depth for before, piece in zip((1, 3), pieces, strict=False)], default=1)
    return concatenate(word, [Condition(f"({one.sql})", one.params) for one in pieces], depth)


_depth = attrgetter("depth")


def concatenate(word: str, pieces: Iterable[Condition], depth: int = 1) -> Condition:
    """The pieces with a word between them."""
    pieces = list(pieces)
    params = tuple(value for piece in pieces for value in piece.params)
    return Condition(word.join([piece.sql for piece in pieces]), params, depth)


def among(column: str, numbers: Iterable[int]) -> Condition:
    """The column is one of our numbers; one parameter, however many they are."""
    chosen = list(numbers)
    if connection.vendor == "postgresql":
        # Only numbers of the column's own type are looked up in a hash table; others are compared one after another.
        return Condition(f"{column} = ANY(CAST(%s AS bigint[]))", (chosen,))
    return Condition(f"{column} IN (SELECT value FROM json_each(%s))", (str(chosen),))


def negate(condition: Condition) -> Condition:
    """What the condition does not let through: a value that is null differs from every value."""
    return Condition(f"({condition.sql}) IS NOT TRUE", condition.params, 1 + condition.depth)


def custom_text(name: str, *, is_postgresql: bool, of_several: str = "") -> str:
    """The text of a custom field of the content `c`: flags as True and False, numbers as stored, else empty.

    `name` is a literal. `of_several` are further cases of the type, such as of lists, which else stay as they are.
    """
    if is_postgresql:
        value, text = f"c.settings_xml::json -> {name}", f"c.settings_xml::json ->> {name}"
        cases = f"WHEN 'boolean' THEN initcap({text}) {of_several} ELSE {text}"
        return f"COALESCE(CASE json_typeof({value}) {cases} END, '')"
    as_stored = """c.settings_xml -> ('$."' || j.key || '"')"""  # null for some names, such as those with quotes
    cases = (
        f"WHEN 'true' THEN 'True' WHEN 'false' THEN 'False' {of_several} "
        f"WHEN 'real' THEN COALESCE({as_stored}, CAST(j.value AS TEXT)) ELSE CAST(j.value AS TEXT)"
    )
    return f"COALESCE((SELECT CASE j.type {cases} END FROM json_each(c.settings_xml) j WHERE j.key = {name}), '')"
