"""Conditions and orders of the stl parameters over lists that stand in memory, such as sites and channels.

A row is a mapping by wire name, its dates datetimes or texts in the wire form. What holds is what
contents.rules.writer makes of the same words over a database.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol, TypeVar

from rest_framework import serializers

from cms_api.lib.errors import InvalidInput
from cms_api.rest import fields
from cms_api.rest.names import to_wire
from cms_api.rest.rules import AllOf, Expression, Negation, OrderRule, Rule
from cms_api.stl.where import IS_NULL

MAX_PATTERN = 255  # characters of a Like pattern, as in a database

Row = Mapping[str, Any]
Test = Callable[[Row], bool]
AnyRow = TypeVar("AnyRow", bound=Row)


class Column(Protocol):
    """A member of a row. `read` is a `read_…` of cms_api.rest.fields, which tells the member's type."""

    @property
    def wire(self) -> str:
        """The member's name in a row."""

    @property
    def read(self) -> Callable[[Any, str], Any]:
        """Turns a text into a value of the member's type, or refuses it."""


Columns = Mapping[str, Column]


class MemberColumn(NamedTuple):
    """A member that a serializer declares."""

    wire: str
    read: Callable[[Any, str], Any]


_READERS: tuple[tuple[type, Callable[[Any, str], Any]], ...] = (
    (fields.IntegerField, fields.read_integer),
    (fields.BooleanField, fields.read_boolean),
    (fields.DateTimeField, fields.read_date_time),
)
# Lists and objects compare with nothing.
_COMPOUND = (serializers.ListField, serializers.DictField)


def columns_of(declared: Mapping[str, serializers.Field[Any, Any, Any, Any]]) -> Columns:
    """The columns by folded wire name of a serializer's fields."""
    columns = {}
    for name, field in declared.items():
        if not isinstance(field, _COMPOUND):
            read = next((read for kind, read in _READERS if isinstance(field, kind)), fields.read_text)
            columns[to_wire(name).casefold()] = MemberColumn(to_wire(name), read)
    return columns


def compile_expression(expression: Expression, columns: Columns) -> Test:
    """The function that tells whether the expression holds for a row; columns are by folded wire name.

    Raises InvalidInput for an unknown column and for a value that does not fit its column.
    """
    if isinstance(expression, Rule):
        return _compile_rule(expression, _find(expression.column, columns, "where"))
    if isinstance(expression, Negation):
        return _negate(compile_expression(expression.part, columns))
    tests = [compile_expression(part, columns) for part in expression.parts]
    if isinstance(expression, AllOf):
        return lambda row: all(test(row) for test in tests)
    return lambda row: any(test(row) for test in tests)


def sort_rows(rows: Iterable[AnyRow], rules: Sequence[OrderRule], columns: Columns) -> list[AnyRow]:
    """The rows by the rules, equal ones in their old order; "never" lies before every date.

    Raises InvalidInput for an unknown column.
    """
    getters = [(_getter(_find(rule.column, columns, "order")), rule.desc) for rule in rules]
    ordered = list(rows)
    # Python's sort is stable, also in reverse: the least rule goes first.
    for get, descending in reversed(getters):
        ordered.sort(key=_sort_key(get), reverse=descending)
    return ordered


def _find(name: str, columns: Columns, parameter: str) -> Column:
    column = columns.get(name.strip().casefold())
    if column is None:
        message = f"{parameter} has the unknown column {name}; nothing in the list has such a member."
        raise InvalidInput("unknown_column", message, member=parameter)
    return column


# ---- values

Get = Callable[[Row], Any]


def _getter(column: Column) -> Get:
    """The function that takes what is compared out of a row; None for a date that never was."""
    wire = column.wire
    if column.read is fields.read_text:
        return lambda row: _as_text(row.get(wire))
    if column.read is fields.read_date_time:
        return lambda row: _as_text(row.get(wire)) or None
    return lambda row: row.get(wire)


def _as_text(value: Any) -> str:
    """The wire form; that of a date sorts as the date does."""
    if value is None:
        return ""
    return value.isoformat(" ", "seconds") if isinstance(value, datetime) else str(value)


def _sort_key(get: Get) -> Callable[[Row], tuple[bool, Any]]:
    def key(row: Row) -> tuple[bool, Any]:
        value = get(row)
        return value is not None, value

    return key


# ---- rules


def _compile_rule(rule: Rule, column: Column) -> Test:
    if rule.operator in _NEGATED:
        return _negate(_compile_rule(Rule(rule.column, _NEGATED[rule.operator], rule.value), column))
    get = _getter(column)
    if rule.operator == IS_NULL:
        return lambda row: get(row) in {None, ""}
    fits = _compile_like(rule.value, column) if rule.operator == "Like" else _compile_comparison(rule, column)

    def holds(row: Row) -> bool:
        value = get(row)
        return value is not None and fits(value)

    return holds


def _compile_comparison(rule: Rule, column: Column) -> Callable[[Any], bool]:
    compare, literal = _COMPARISONS[rule.operator], column.read(rule.value, column.wire)
    if column.read is fields.read_date_time:
        # "Never" lies before every date.
        literal = _as_text(literal or datetime.min)
    return lambda value: bool(compare(value, literal))


def _compile_like(pattern: str, column: Column) -> Callable[[Any], bool]:
    if len(pattern) > MAX_PATTERN:
        raise fields.invalid(column.wire, f"a pattern of at most {MAX_PATTERN} characters")
    matches = compile_pattern(pattern)
    return lambda value: matches(_as_text(value))


def _negate(test: Test) -> Test:
    return lambda row: not test(row)


_NEGATED = {"!=": "=", "NotLike": "Like"}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}

# ---- patterns


def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """The function that tells whether a text is like the pattern, in time linear in the text.

    The pieces between the % are looked for from left to right, each at its first place behind the one
    before: a later place leaves the rest less room, so that no choice is ever taken back.
    """
    first, *others = _fold(pattern).split("%")
    if not others:
        return lambda text: len(text) == len(first) and _stands_at(_fold(text), first, 0)
    *middle, last = others

    def matches(text: str) -> bool:
        text = _fold(text)
        place, end = len(first), len(text) - len(last)
        if place > end or not _stands_at(text, first, 0) or not _stands_at(text, last, end):
            return False
        for piece in middle:
            place = _find_piece(text, piece, place, end)
            if place < 0:
                return False
        return True

    return matches


def _fold(text: str) -> str:
    """Small letters, one for each letter: lower() alone makes two of İ, and looks at the neighbours of Σ."""
    return text.replace("İ", "i").replace("Σ", "σ").lower()


def _stands_at(text: str, piece: str, place: int) -> bool:
    return all(mark in ("_", letter) for mark, letter in zip(piece, text[place : place + len(piece)], strict=True))


def _find_piece(text: str, piece: str, place: int, end: int) -> int:
    """The place behind the first occurrence of the piece between the places, -1 if there is none."""
    if "_" not in piece:
        found = text.find(piece, place, end)
        return found + len(piece) if found >= 0 else -1
    # All beginnings of the piece at once: bit i says that i + 1 of its marks stand before the place.
    accepts, of_any, whole = _masks(piece)
    state = 0
    for index in range(place, end):
        state = (state << 1 | 1) & accepts.get(text[index], of_any)
        if state & whole:
            return index + 1
    return -1


def _masks(piece: str) -> tuple[dict[str, int], int, int]:
    """By letter the marks that it fits, those that any letter fits, and the last mark."""
    of_any = sum(1 << bit for bit, mark in enumerate(piece) if mark == "_")
    accepts: dict[str, int] = {}
    for bit, mark in enumerate(piece):
        accepts[mark] = accepts.get(mark, of_any) | 1 << bit
    return accepts, of_any, 1 << len(piece) - 1
