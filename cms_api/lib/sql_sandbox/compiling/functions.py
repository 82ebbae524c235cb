"""The functions that a statement may call, and what they take.

Most are a row of SIMPLE: their arguments are brought to the kinds given. The others choose among operations by
what their arguments are.
"""

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.compiling import kinds, literals
from cms_api.lib.sql_sandbox.compiling.bound import Choice, Constant, Expression, Operation
from cms_api.lib.sql_sandbox.refusals import NotAllowed
from cms_api.lib.sql_sandbox.wording import shown

_Arguments = Sequence[Expression]


@dataclass(frozen=True)
class Simple:
    """An operation of the function's own name."""

    takes: tuple[Kind, ...]
    gives: Kind


SIMPLE = {
    "length": Simple((Kind.TEXT,), Kind.INTEGER),
    "upper": Simple((Kind.TEXT,), Kind.TEXT),
    "lower": Simple((Kind.TEXT,), Kind.TEXT),
    "trim": Simple((Kind.TEXT,), Kind.TEXT),
    "ltrim": Simple((Kind.TEXT,), Kind.TEXT),
    "rtrim": Simple((Kind.TEXT,), Kind.TEXT),
    "replace": Simple((Kind.TEXT, Kind.TEXT, Kind.TEXT), Kind.TEXT),
    "position": Simple((Kind.TEXT, Kind.TEXT), Kind.INTEGER),
}


@dataclass(frozen=True)
class Special:
    """A function that is bound by a function of its own."""

    least: int
    most: int
    bind: Callable[[_Arguments], Expression]


def call(name: str, arguments: _Arguments, now: datetime) -> Expression:
    """The function's operation. Raises NotAllowed for an unknown name or for arguments that do not fit."""
    if clock := CLOCK.get(name):
        _expect(name, arguments, 0, 0)
        return Constant(literals.date_text(clock(now)), Kind.DATE)
    if simple := SIMPLE.get(name):
        _expect(name, arguments, len(simple.takes), len(simple.takes))
        taken = tuple(kinds.convert(*pair) for pair in zip(arguments, simple.takes, strict=True))
        return Operation(name, taken, simple.gives)
    if special := SPECIAL.get(name):
        _expect(name, arguments, special.least, special.most)
        return special.bind(arguments)
    if name == "random":
        raise NotAllowed("NEWID and RAND are possible in ORDER BY only.")
    raise NotAllowed(f"Function {shown(name)} is not available here.")


def _expect(name: str, arguments: _Arguments, least: int, most: int) -> None:
    if least <= len(arguments) <= most:
        return
    number = str(least) if least == most else f"{least} to {most}"
    raise NotAllowed(f"Function {name} takes {number} arguments, not {len(arguments)}.")


def _literal(expression: Expression, what: str) -> str:
    if isinstance(expression, Constant) and isinstance(expression.value, str):
        return expression.value
    raise NotAllowed(f"{what} must be a text written in the statement.")


def _clamped(expression: Expression, low: int, high: int) -> Expression:
    """A whole number within bounds: beyond them engines fail, or count otherwise."""
    value = kinds.convert(kinds.numeric(expression), Kind.INTEGER)
    if isinstance(value, Constant):
        return Constant(None if value.value is None else max(low, min(high, int(value.value))), Kind.INTEGER)
    bounds = (Constant(low, Kind.INTEGER), Constant(high, Kind.INTEGER))
    return Operation("clamp", (value, *bounds), Kind.INTEGER)


# ---- Texts

_FAR = 1_000_000_000


def _text(expression: Expression) -> Expression:
    return kinds.convert(expression, Kind.TEXT)


def cut(text: Expression, length: Expression) -> Expression:
    """The first characters of a text."""
    first = Constant(1, Kind.INTEGER)
    return Operation("substring", (_text(text), first, _clamped(length, 0, _FAR)), Kind.TEXT)


def _substring(arguments: _Arguments) -> Expression:
    length = arguments[2] if len(arguments) == 3 else Constant(_FAR, Kind.INTEGER)
    places = (_clamped(arguments[1], -_FAR, _FAR), _clamped(length, 0, _FAR))
    return Operation("substring", (_text(arguments[0]), *places), Kind.TEXT)


def _right(arguments: _Arguments) -> Expression:
    return Operation("right", (_text(arguments[0]), _clamped(arguments[1], 0, _FAR)), Kind.TEXT)


def _concat(arguments: _Arguments) -> Expression:
    empty = Constant("", Kind.TEXT)
    filled = tuple(Operation("coalesce", (_text(one), empty), Kind.TEXT) for one in arguments)
    return Operation("joined", filled, Kind.TEXT)


def joined(left: Expression, right: Expression) -> Expression:
    """`left || right`, which is NULL when one of them is."""
    return Operation("joined", (_text(left), _text(right)), Kind.TEXT)


# ---- Any kind


def _coalesce(arguments: _Arguments) -> Expression:
    kind, merged = kinds.merge(arguments)
    return merged[0] if len(merged) == 1 else Operation("coalesce", merged, kind)


def _nullif(arguments: _Arguments) -> Expression:
    value = arguments[0]
    left, right = kinds.comparable(value, arguments[1])
    if left == value:
        return Operation("nullif", (left, right), value.kind)
    equal = Operation("=", (left, right), Kind.BOOLEAN)
    return Choice(((equal, Constant(None, value.kind)),), value, value.kind)


def _extreme(name: str) -> Callable[[_Arguments], Expression]:
    def bind(arguments: _Arguments) -> Expression:
        kind, merged = kinds.merge(arguments)
        if kind is Kind.BOOLEAN:
            raise NotAllowed(f"Function {name} does not take conditions.")
        ordered = tuple(kinds.in_order(one) for one in merged)
        return Operation(name, ordered, ordered[0].kind)

    return bind


# ---- Numbers


def _abs(arguments: _Arguments) -> Expression:
    value = kinds.numeric(arguments[0])
    return Operation(f"abs {value.kind.value}", (value,), value.kind)


def _round(arguments: _Arguments) -> Expression:
    value = kinds.numeric(arguments[0])
    digits = kinds.numeric(arguments[1]) if len(arguments) == 2 else Constant(0, Kind.INTEGER)
    if not isinstance(digits, Constant) or digits.kind is not Kind.INTEGER or digits.value is None:
        raise NotAllowed("The number of digits of round must be a whole number written in the statement.")
    places = max(-15, min(15, int(digits.value)))
    if value.kind is Kind.INTEGER and places >= 0:
        return value
    power = Constant(10.0**places, Kind.NUMBER)
    return Operation("round", (kinds.convert(value, Kind.NUMBER), power), Kind.NUMBER)


def _whole(name: str) -> Callable[[_Arguments], Expression]:
    def bind(arguments: _Arguments) -> Expression:
        value = kinds.numeric(arguments[0])
        return value if value.kind is Kind.INTEGER else Operation(name, (value,), Kind.NUMBER)

    return bind


# ---- Dates

# The most that is added: some 8000 years, which no engine fails on.
_FURTHEST = {
    "year": 8_000,
    "month": 96_000,
    "day": 2_922_000,
    "hour": 70_000_000,
    "minute": 4_200_000_000,
    "second": 250_000_000_000,
}
_FORMATS = {"%Y": "YYYY", "%m": "MM", "%d": "DD", "%H": "HH24", "%M": "MI", "%S": "SS"}


def _unit(expression: Expression) -> str:
    """A unit of dates; the reading has turned weeks and quarters into days and months."""
    unit = _literal(expression, "The unit of a date function").lower()
    if unit in _FURTHEST:
        return unit
    raise NotAllowed(f"{shown(unit)} is not a unit of dates here; these are: {', '.join(_FURTHEST)}.")


def date(expression: Expression) -> Expression:
    """The expression as a date; a number is none."""
    return kinds.convert(expression, Kind.DATE)


def _date_part(arguments: _Arguments) -> Expression:
    return Operation(f"{_unit(arguments[0])} of", (date(arguments[1]),), Kind.INTEGER)


def date_add(arguments: _Arguments) -> Expression:
    """A date some units on; the day is the month's last one where the month is shorter."""
    unit = _unit(arguments[0])
    number = _clamped(arguments[1], -_FURTHEST[unit], _FURTHEST[unit])
    return Operation(f"add {unit}", (number, date(arguments[2])), Kind.DATE)


def _date_diff(arguments: _Arguments) -> Expression:
    unit = _unit(arguments[0])
    return Operation(f"{unit}s between", (date(arguments[1]), date(arguments[2])), Kind.INTEGER)


def _format_date(arguments: _Arguments) -> Expression:
    pattern = _literal(arguments[1], "The form of a date")
    if re.search("%(?![YmdHMS])", pattern):
        raise NotAllowed(f"{shown(pattern)} has a part that dates cannot be written with here.")
    return Operation("format_date", (date(arguments[0]), Constant(pattern, Kind.TEXT)), Kind.TEXT)


def postgresql_format(pattern: str) -> str:
    """A form of dates as to_char takes it: other characters than the date's own stand in double quotes."""
    pieces = re.split("(%[YmdHMS])", pattern)
    return "".join(_FORMATS.get(piece) or _quoted(piece) for piece in pieces if piece)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# ---- JSON

_STEP = re.compile(r"([^.\[\]]+)((?:\[[0-9]{1,6}\])*)")


def _json_value(arguments: _Arguments) -> Expression:
    path = _literal(arguments[1], "The path of json_value")
    steps: list[str] = []
    for part in path.split("."):
        match = _STEP.fullmatch(part)
        if match is None:
            raise NotAllowed(f"{shown(path)} is not a path of member names here.")
        steps += [match[1], *re.findall("[0-9]+", match[2])]
    if arguments[0].kind is not Kind.JSON:
        raise NotAllowed(f"{kinds.described(arguments[0])} is not a column of JSON, so it has no values inside.")
    return Operation("json_value", (arguments[0], Constant(json.dumps(steps), Kind.TEXT)), Kind.TEXT)


def postgresql_path(path: str) -> str:
    """A path, a JSON list of texts, as the text of an array of PostgreSQL."""
    return "{" + ",".join(_quoted(step) for step in json.loads(path)) + "}"


def _split_part(arguments: _Arguments) -> Expression:
    """One of the parts of a text between delimiters, counted from 1, or from -1 at its end; empty if there is none."""
    places = (Constant(_literal(arguments[1], "The delimiter"), Kind.TEXT), _clamped(arguments[2], -_FAR, _FAR))
    return Operation("split_part", (_text(arguments[0]), *places), Kind.TEXT)


SPECIAL = {
    "split_part": Special(3, 3, _split_part),
    "substring": Special(2, 3, _substring),
    "left": Special(2, 2, lambda arguments: cut(*arguments)),
    "right": Special(2, 2, _right),
    "concat": Special(1, 100, _concat),
    "coalesce": Special(1, 100, _coalesce),
    "nullif": Special(2, 2, _nullif),
    "greatest": Special(1, 100, _extreme("greatest")),
    "least": Special(1, 100, _extreme("least")),
    "abs": Special(1, 1, _abs),
    "round": Special(1, 2, _round),
    "floor": Special(1, 1, _whole("floor")),
    "ceiling": Special(1, 1, _whole("ceiling")),
    "date_part": Special(2, 2, _date_part),
    "date_add": Special(3, 3, date_add),
    "date_diff": Special(3, 3, _date_diff),
    "format_date": Special(2, 2, _format_date),
    "json_value": Special(2, 2, _json_value),
}
CLOCK: dict[str, Callable[[datetime], datetime]] = {
    "now": lambda now: now,
    "today": lambda now: now.replace(hour=0, minute=0, second=0),
}

# ---- Arithmetic

_LIMIT = 2**63


def arithmetic(operator: str, left: Expression, right: Expression) -> Expression:
    """`left operator right` in whole numbers or doubles; `+` joins where a text is, and moves dates by days."""
    texts = (Kind.TEXT, Kind.JSON)
    left, right = _as_number_beside(left, right), _as_number_beside(right, left)
    if operator == "+" and (left.kind in texts or right.kind in texts):
        return joined(left, right)
    if operator == "+" and right.kind is Kind.DATE:
        left, right = right, left
    if operator in "+-" and left.kind is Kind.DATE and right.kind is not Kind.DATE:
        days = right if operator == "+" else negative(right)
        return date_add((Constant("day", Kind.TEXT), days, left))
    first, second = kinds.numeric(left), kinds.numeric(right)
    kind = kinds.common(first.kind, second.kind)
    if operator == "%" and kind is Kind.NUMBER:
        raise NotAllowed("% takes whole numbers.")
    arguments = (kinds.convert(first, kind), kinds.convert(second, kind))
    return Operation(f"{operator} {kind.value}", arguments, kind)


def _as_number_beside(value: Expression, other: Expression) -> Expression:
    """A text of the statement that is a number, beside a number: `Hits + '1'`."""
    if value.kind is not Kind.TEXT or not isinstance(value, Constant) or value.value is None:
        return value
    return literals.read(value, other.kind) or value if other.kind in (Kind.INTEGER, Kind.NUMBER) else value


def negative(operand: Expression) -> Expression:
    """`-operand`; a constant is turned when compiling."""
    value = kinds.numeric(operand)
    if isinstance(value, Constant):
        if value.value is None or isinstance(value.value, str):
            return value
        turned = -value.value
        return literals.number(turned) if math.isfinite(turned) else value
    return Operation(f"negative {value.kind.value}", (value,), value.kind)
