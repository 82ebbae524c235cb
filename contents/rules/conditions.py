"""Pieces of SQL with the values that they bind."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import connection


@dataclass(frozen=True, slots=True)
class Condition:
    """A piece of SQL with the values it binds."""

    sql: str
    params: tuple[Any, ...] = ()


def join(conditions: Iterable[Condition], word: str = " AND ") -> Condition:
    """The pieces with a word between them, each in parentheses."""
    return concatenate(word, [Condition(f"({one.sql})", one.params) for one in conditions])


def concatenate(word: str, pieces: Iterable[Condition]) -> Condition:
    """The pieces with a word between them."""
    pieces = list(pieces)
    params = tuple(value for piece in pieces for value in piece.params)
    return Condition(word.join(piece.sql for piece in pieces), params)


def among(column: str, numbers: Iterable[int]) -> Condition:
    """The column is one of our numbers; one parameter, however many they are."""
    chosen = list(numbers)
    if connection.vendor == "postgresql":
        # Only numbers of the column's own type are looked up in a hash table; others are compared one after another.
        return Condition(f"{column} = ANY(CAST(%s AS bigint[]))", (chosen,))
    return Condition(f"{column} IN (SELECT value FROM json_each(%s))", (str(chosen),))


def negate(condition: Condition) -> Condition:
    """What the condition does not let through: a value that is null differs from every value."""
    return Condition(f"({condition.sql}) IS NOT TRUE", condition.params)
