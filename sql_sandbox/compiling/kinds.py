"""Converts values between kinds, so that both engines compare alike."""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import reduce

from sql_sandbox.catalogue import ValueKind
from sql_sandbox.compiling.resolved import Constant, Expression, Operation, Reference
from sql_sandbox.refusals import NotAllowed, shown

LARGEST = 2**63 - 1
SMALLEST = -(2**63)
LONGEST_CAST = 200  # bytes of a text that may be read as a number or date
LONGEST_JSON = 1024 * 1024  # bytes of a JSON text that is searched for a value

# For both engines and Python: an ASCII whole number, a decimal, and a date that exists.
INTEGER_PATTERN = "^ *[-+]?[0-9]{1,18} *$"
NUMBER_PATTERN = r"^ *[-+]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][-+]?[0-9]{1,2})? *$"
_LEAP = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)"
DATE_PATTERN = (
    "^(?!0000)("
    "[0-9]{4}-(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|"
    "[0-9]{4}-(0[469]|11)-(0[1-9]|[12][0-9]|30)|"
    "[0-9]{4}-02-(0[1-9]|1[0-9]|2[0-8])|"
    f"{_LEAP}-02-29"
    r")([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?)?$"
)
_TEXTS = frozenset({ValueKind.TEXT, ValueKind.JSON, ValueKind.FLAG})
_NUMBERS = frozenset({ValueKind.INTEGER, ValueKind.NUMBER})
_WORDS = {
    ValueKind.INTEGER: "a whole number",
    ValueKind.NUMBER: "a number",
    ValueKind.TEXT: "a text",
    ValueKind.FLAG: "True or False",
    ValueKind.JSON: "a JSON object",
    ValueKind.DATE: "a date",
    ValueKind.BOOLEAN: "a condition",
    ValueKind.NULL: "NULL",
}

# One-step conversions; others go through the kind in _THROUGH.
_STEPS: dict[tuple[ValueKind, ValueKind], str] = {
    (ValueKind.INTEGER, ValueKind.NUMBER): "integer as number",
    (ValueKind.INTEGER, ValueKind.TEXT): "integer as text",
    (ValueKind.INTEGER, ValueKind.BOOLEAN): "integer as condition",
    (ValueKind.NUMBER, ValueKind.INTEGER): "number as integer",
    (ValueKind.NUMBER, ValueKind.TEXT): "number as text",
    (ValueKind.NUMBER, ValueKind.BOOLEAN): "integer as condition",
    (ValueKind.TEXT, ValueKind.INTEGER): "text as integer",
    (ValueKind.TEXT, ValueKind.NUMBER): "text as number",
    (ValueKind.TEXT, ValueKind.DATE): "text as date",
    (ValueKind.DATE, ValueKind.TEXT): "date as text",
    (ValueKind.FLAG, ValueKind.TEXT): "as text",
    (ValueKind.FLAG, ValueKind.INTEGER): "flag as integer",
    (ValueKind.FLAG, ValueKind.BOOLEAN): "flag as condition",
    (ValueKind.JSON, ValueKind.TEXT): "as text",
    (ValueKind.BOOLEAN, ValueKind.INTEGER): "condition as integer",
    (ValueKind.BOOLEAN, ValueKind.FLAG): "condition as flag",
}
# Conversions left to the engine even for constants.
_WHEN_RUN = {(ValueKind.NUMBER, ValueKind.TEXT), (ValueKind.NUMBER, ValueKind.INTEGER)}
_THROUGH = {
    (ValueKind.FLAG, ValueKind.NUMBER): ValueKind.INTEGER,
    (ValueKind.BOOLEAN, ValueKind.NUMBER): ValueKind.INTEGER,
    (ValueKind.BOOLEAN, ValueKind.TEXT): ValueKind.FLAG,
    (ValueKind.JSON, ValueKind.INTEGER): ValueKind.TEXT,
    (ValueKind.JSON, ValueKind.NUMBER): ValueKind.TEXT,
    (ValueKind.JSON, ValueKind.DATE): ValueKind.TEXT,
}

_INTEGER = re.compile(r"\s*[-+]?[0-9]{1,30}\s*")
_NUMBER = re.compile(rf"(?:{NUMBER_PATTERN[1:-1]})")
_DATE = re.compile(
    r"\s*([0-9]{4})([-/.]?)([0-9]{1,2})\2([0-9]{1,2})"
    r"(?:[ T]([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\.[0-9]+)?)?)?Z?\s*"
)
_CONDITIONS = {"true": True, "1": True, "false": False, "0": False}


def date_text(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(sep=" ", timespec="seconds")


def number(value: int | float) -> Constant:
    """Return a number as written; a whole one beyond 64 bits becomes a double."""
    if isinstance(value, int) and SMALLEST <= value <= LARGEST:
        return Constant(int(value), ValueKind.INTEGER)
    return Constant(float(value), ValueKind.NUMBER)


def read(constant: Constant, kind: ValueKind) -> Constant | None:
    """Return the constant as this kind, or None; as INTEGER it may become either kind of number."""
    value = constant.value
    if value is None:
        return Constant(None, kind)
    if constant.kind is kind:
        return constant
    match kind:
        case ValueKind.INTEGER:
            return _read_number(value)
        case ValueKind.NUMBER:
            found = _read_number(value)
            return Constant(float(found.value), kind) if found and found.value is not None else None
        case ValueKind.DATE:
            return _read_date(value) if isinstance(value, str) else None
        case ValueKind.BOOLEAN | ValueKind.FLAG:
            condition = _CONDITIONS.get(str(value).casefold())
            if condition is None:
                return None
            return Constant(condition if kind is ValueKind.BOOLEAN else str(condition), kind)
        case ValueKind.JSON:
            try:
                return Constant(value, kind) if isinstance(json.loads(str(value)), dict) else None
            except (ValueError, RecursionError):
                return None
        case ValueKind.TEXT:
            return None if isinstance(value, float) else Constant(str(value), kind)
    return None


def _read_number(value: str | int | float) -> Constant | None:
    if isinstance(value, bool):
        return Constant(int(value), ValueKind.INTEGER)
    if isinstance(value, int | float):
        return number(value)
    if _INTEGER.fullmatch(value):
        return number(int(value))
    return Constant(float(value), ValueKind.NUMBER) if _NUMBER.fullmatch(value) else None


def _read_date(text: str) -> Constant | None:
    match = _DATE.fullmatch(text)
    if match is None or (not match[2] and len(match[3] + match[4]) != 4):
        return None
    year, month, day, hour, minute, second = (int(match[group] or 0) for group in (1, 3, 4, 5, 6, 7))
    try:
        return Constant(date_text(datetime(year, month, day, hour, minute, second)), ValueKind.DATE)
    except ValueError:
        return None


def convert(expression: Expression, kind: ValueKind) -> Expression:
    """Return the expression as another kind; constants are read immediately. Raise NotAllowed if impossible."""
    pair = expression.kind, kind
    if expression.kind is kind:
        return expression
    if isinstance(expression, Constant):
        value = expression.value
        if pair in _WHEN_RUN and value is not None:
            return Operation(_STEPS[pair], (expression,), kind)
        if pair == (ValueKind.DATE, ValueKind.TEXT):
            return Constant(value, kind)
        if pair == (ValueKind.BOOLEAN, ValueKind.FLAG) and value is not None:
            return Constant(str(value), kind)
        found = read(expression, kind)
        if found is None:
            raise NotAllowed(f"{shown(str(value))} cannot be read as {_WORDS[kind]}.")
        return convert(found, kind) if found.kind in _NUMBERS else found
    if pair in _STEPS:
        return Operation(_STEPS[pair], (expression,), kind)
    if pair in _THROUGH:
        return convert(convert(expression, _THROUGH[pair]), kind)
    raise NotAllowed(f"{described(expression)} is {_WORDS[expression.kind]} and cannot be used as {_WORDS[kind]}.")


def described(expression: Expression) -> str:
    if isinstance(expression, Reference):
        return f"Column {shown(expression.offer.name)}"
    return shown(str(expression.value)) if isinstance(expression, Constant) else "A value"


def condition(expression: Expression) -> Expression:
    if expression.kind in (ValueKind.TEXT, ValueKind.JSON, ValueKind.DATE):
        raise NotAllowed(f"{described(expression)} is {_WORDS[expression.kind]}, where a condition is needed.")
    return convert(expression, ValueKind.BOOLEAN)


def numeric(expression: Expression) -> Expression:
    """Return the expression as a number; a text that is none becomes NULL."""
    if expression.kind in _NUMBERS:
        return expression
    if isinstance(expression, Constant):
        found = read(expression, ValueKind.INTEGER)
        if found is None or expression.kind is ValueKind.DATE:
            raise NotAllowed(f"{shown(str(expression.value))} is not a number.")
        return found
    return convert(
        expression, ValueKind.NUMBER if expression.kind in (ValueKind.TEXT, ValueKind.JSON) else ValueKind.INTEGER
    )


def common(first: ValueKind, second: ValueKind) -> ValueKind:
    pair = {first, second} - {ValueKind.NULL}
    if len(pair) < 2:
        return next(iter(pair), ValueKind.NULL)
    if pair <= {ValueKind.FLAG, ValueKind.BOOLEAN}:
        return ValueKind.BOOLEAN
    if pair <= _NUMBERS | {ValueKind.FLAG, ValueKind.BOOLEAN}:
        return ValueKind.NUMBER if ValueKind.NUMBER in pair else ValueKind.INTEGER
    if ValueKind.BOOLEAN in pair and ValueKind.DATE in pair:
        raise NotAllowed("A condition cannot be combined with a date.")
    return ValueKind.TEXT


def merge(values: Sequence[Expression]) -> tuple[ValueKind, tuple[Expression, ...]]:
    kind = reduce(common, (one.kind for one in values if not isinstance(one, Constant)), ValueKind.NULL)
    for value in values:
        if isinstance(value, Constant) and value.value is not None:
            # A constant takes the kind of the others if it can be read as such; otherwise the kind widens.
            found = None if kind in (ValueKind.NULL, ValueKind.TEXT) else read(value, kind)
            kind = common(kind, found.kind if found else value.kind)
    kind = ValueKind.TEXT if kind is ValueKind.NULL else kind
    return kind, tuple(convert(one, kind) for one in values)


def comparable(left: Expression, right: Expression, ordered: bool = False) -> tuple[Expression, Expression]:
    """Convert two values for comparison: a constant becomes the other's kind. Raise NotAllowed."""
    left, right = (convert(one, ValueKind.TEXT) if one.kind is ValueKind.JSON else one for one in (left, right))
    if isinstance(left, Constant) and not isinstance(right, Constant):
        second, first = comparable(right, left, ordered)
        return first, second
    if isinstance(right, Constant) and right.value is not None and left.kind is not right.kind:
        if left.kind is ValueKind.TEXT and right.kind in _NUMBERS and ordered:
            left = numeric(left)
        elif left.kind is ValueKind.TEXT and isinstance(left, Constant):
            # Of the constants '5' and 5, the text is read.
            left = read(left, right.kind) or left
        else:
            found = read(right, left.kind)
            if found is None and left.kind not in _TEXTS | {ValueKind.NULL}:
                text = shown(str(right.value))
                hint = "" if text else " Use IS NULL or IS NOT NULL to test whether there is a value."
                wrong = f"{text or 'an empty text'} cannot be compared with it"
                raise NotAllowed(f"{described(left)} is {_WORDS[left.kind]}, and {wrong}.{hint}")
            right = found or right
    kind = common(left.kind, right.kind)
    kind = ValueKind.TEXT if kind is ValueKind.NULL else kind
    return convert(left, kind), convert(right, kind)


def in_order(expression: Expression) -> Expression:
    """Return the expression for sorting: texts by code points on both engines."""
    if expression.kind in _TEXTS:
        return Operation("sorted", (convert(expression, ValueKind.TEXT),), ValueKind.TEXT)
    return expression


def compare(operator: str, left: Expression, right: Expression) -> Expression:
    ordered = operator not in ("=", "<>")
    first, second = comparable(left, right, ordered)
    first = in_order(first) if ordered else first
    return Operation(operator, (first, second), ValueKind.BOOLEAN)


def all_of(conditions: Iterable[Expression], operator: str = "and") -> Expression:
    return reduce(lambda left, right: Operation(operator, (left, right), ValueKind.BOOLEAN), conditions)
