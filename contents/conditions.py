"""Pieces of SQL with the values that they bind."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


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
