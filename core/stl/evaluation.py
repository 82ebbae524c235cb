"""Conditions and orders over lists in memory, as contents.rules.sql does in a database."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from rest_framework import serializers

from core.lib.errors import InvalidInput
from core.rest import fields
from core.rest.names import to_wire
from core.rest.rules import AllOf, Expression, Negation, OrderRule, Rule
from core.stl.where import IS_NULL

MAX_PATTERN = 255  # characters of a Like pattern, as in the database

Row = Mapping[str, Any]
Test = Callable[[Row], bool]
AnyRow = TypeVar("AnyRow", bound=Row)


class Column(NamedTuple):
    """A member of a row; `read`, a `read_…` of core.rest.fields, determines its type."""

    wire: str  # its name in a row
    read: Callable[[Any, str], Any]


Columns = Mapping[str, Column]
_READERS: tuple[tuple[type, Callable[[Any, str], Any]], ...] = (
    (fields.IntegerField, fields.read_integer),
    (fields.BooleanField, fields.read_boolean),
    (fields.DateTimeField, fields.read_date_time),
)
# Lists and objects cannot be compared.
_COMPOUND = (serializers.ListField, serializers.DictField)


def columns_of(declared: Mapping[str, serializers.Field[Any, Any, Any, Any]]) -> Columns:
    columns = {}
    for name, field in declared.items():
        if not isinstance(field, _COMPOUND):
            read = next((read for kind, read in _READERS if isinstance(field, kind)), fields.read_text)
            columns[to_wire(name).casefold()] = Column(to_wire(name), read)
    return columns


def compile_expression(expression: Expression, columns: Columns) -> Test:
    """Return the test of a row; raises InvalidInput for an unknown column or an unsuitable value."""
    if isinstance(expression, Rule):
        return _compile_rule(expression, _find(expression.column, columns, "where"))
    if isinstance(expression, Negation):
        return _negate(compile_expression(expression.part, columns))
    tests = [compile_expression(part, columns) for part in expression.parts]
    if isinstance(expression, AllOf):
        return lambda row: all(test(row) for test in tests)
    return lambda row: any(test(row) for test in tests)


def sort_rows(rows: Iterable[AnyRow], rules: Sequence[OrderRule], columns: Columns) -> list[AnyRow]:
    """Sort stably by the rules; "never" comes before every date. Raises InvalidInput."""
    getters = [(_getter(_find(rule.column, columns, "order")), rule.desc) for rule in rules]
    ordered = list(rows)
    # Python's sort is stable, even in reverse: sort by the last rule first.
    for get, descending in reversed(getters):
        ordered.sort(key=lambda row: ((value := get(row)) is not None, value), reverse=descending)
    return ordered


def _find(name: str, columns: Columns, parameter: str) -> Column:
    column = columns.get(name.strip().casefold())
    if column is None:
        message = f"{parameter} has the unknown column {name}; no item of the list has such a member."
        raise InvalidInput("unknown_column", message, member=parameter)
    return column


Get = Callable[[Row], Any]


def _getter(column: Column) -> Get:
    """Return a function that takes the value to compare from a row; None for "never"."""
    wire = column.wire
    if column.read is fields.read_text:
        return lambda row: _as_text(row.get(wire))
    if column.read is fields.read_date_time:
        return lambda row: _as_text(row.get(wire)) or None
    return lambda row: row.get(wire)


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    return value.isoformat(" ", "seconds") if isinstance(value, datetime) else str(value)


def _compile_rule(rule: Rule, column: Column) -> Test:
    if rule.operator in _NEGATED:
        return _negate(_compile_rule(Rule(rule.column, _NEGATED[rule.operator], rule.value), column))
    get = _getter(column)
    if rule.operator == IS_NULL:
        return lambda row: get(row) in {None, ""}
    fits: Callable[[Any], bool]
    if rule.operator == "Like":
        if len(rule.value) > MAX_PATTERN:
            raise fields.invalid(column.wire, f"a pattern of at most {MAX_PATTERN} characters")
        matches = compile_pattern(rule.value)
        fits = lambda value: matches(_as_text(value))  # noqa: E731
    else:
        compare, literal = _COMPARISONS[rule.operator], column.read(rule.value, column.wire)
        if column.read is fields.read_date_time:
            literal = _as_text(literal or datetime.min)  # "never" comes before every date
        fits = lambda value: bool(compare(value, literal))  # noqa: E731
    return lambda row: (value := get(row)) is not None and fits(value)


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


def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Return the test for a LIKE pattern, in linear time: each piece matches at its first place, without retries."""
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
    return text.replace("İ", "i").replace("Σ", "σ").lower()


def _stands_at(text: str, piece: str, place: int) -> bool:
    return all(mark in ("_", letter) for mark, letter in zip(piece, text[place : place + len(piece)], strict=True))


def _find_piece(text: str, piece: str, place: int, end: int) -> int:
    """Return the place after the first occurrence of the piece between the places, -1 if there is none."""
    if "_" not in piece:
        found = text.find(piece, place, end)
        return found + len(piece) if found >= 0 else -1
    # All prefixes of the piece together: bit i says that i + 1 of its marks match before the place. `accepts` has the
    # marks that each letter fits: marks that any letter fits, and the letter itself.
    of_any = sum(1 << bit for bit, mark in enumerate(piece) if mark == "_")
    accepts: dict[str, int] = {}
    for bit, mark in enumerate(piece):
        accepts[mark] = accepts.get(mark, of_any) | 1 << bit
    whole, state = 1 << len(piece) - 1, 0
    for index in range(place, end):
        state = (state << 1 | 1) & accepts.get(text[index], of_any)
        if state & whole:
            return index + 1
    return -1
