"""The functions that a statement may call, and what they take."""

import json
import math
import re
from collections.abc import Callable, Sequence
from datetime import datetime

from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.compiling import kinds, literals
from cms_api.lib.sql_sandbox.compiling.bound import Choice, Constant, Expression, Operation
from cms_api.lib.sql_sandbox.refusals import NotAllowed
from cms_api.lib.sql_sandbox.wording import shown

_Bind = Callable[..., Expression]


# What the operation of the function's own name takes and gives.
SIMPLE: dict[str, tuple[tuple[Kind, ...], Kind]] = {
    "length": ((Kind.TEXT,), Kind.INTEGER),
    **dict.fromkeys(("upper", "lower", "trim", "ltrim", "rtrim"), ((Kind.TEXT,), Kind.TEXT)),
    "replace": ((Kind.TEXT, Kind.TEXT, Kind.TEXT), Kind.TEXT),
    "position": ((Kind.TEXT, Kind.TEXT), Kind.INTEGER),
}


def call(name: str, arguments: Sequence[Expression], now: datetime) -> Expression:
    """The function's operation. Raises NotAllowed for an unknown name or for arguments that do not fit."""
    if name == "random":
        raise NotAllowed("NEWID and RAND are possible in ORDER BY only.")
    if name in CLOCK:
        _expect(name, arguments, 0, 0)
        return Constant(literals.date_text(CLOCK[name](now)), Kind.DATE)
    if name in SIMPLE:
        takes, gives = SIMPLE[name]
        _expect(name, arguments, len(takes), len(takes))
        return Operation(name, tuple(kinds.convert(*pair) for pair in zip(arguments, takes, strict=True)), gives)
    if name in SPECIAL:
        least, most, bind = SPECIAL[name]
        _expect(name, arguments, least, most)
        return bind(*arguments)
    raise NotAllowed(f"Function {shown(name)} is not available here.")


def _expect(name: str, arguments: Sequence[Expression], least: int, most: int) -> None:
    if not least <= len(arguments) <= most:
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
_ALL = Constant(_FAR, Kind.INTEGER)


def _text(expression: Expression) -> Expression:
    return kinds.convert(expression, Kind.TEXT)


def cut(text: Expression, length: Expression) -> Expression:
    """The first characters of a text."""
    return _substring(text, Constant(1, Kind.INTEGER), length)


def _substring(text: Expression, start: Expression, length: Expression = _ALL) -> Expression:
    places = (_clamped(start, -_FAR, _FAR), _clamped(length, 0, _FAR))
    return Operation("substring", (_text(text), *places), Kind.TEXT)


def _right(text: Expression, length: Expression) -> Expression:
    return Operation("right", (_text(text), _clamped(length, 0, _FAR)), Kind.TEXT)


def _split_part(text: Expression, delimiter: Expression, place: Expression) -> Expression:
    """One of the parts of a text between delimiters, counted from 1, or from -1 at its end; empty if there is none."""
    places = (Constant(_literal(delimiter, "The delimiter"), Kind.TEXT), _clamped(place, -_FAR, _FAR))
    return Operation("split_part", (_text(text), *places), Kind.TEXT)


def _concat(*texts: Expression) -> Expression:
    empty = Constant("", Kind.TEXT)
    return Operation("joined", tuple(Operation("coalesce", (_text(one), empty), Kind.TEXT) for one in texts), Kind.TEXT)


def joined(left: Expression, right: Expression) -> Expression:
    """`left || right`, which is NULL when one of them is."""
    return Operation("joined", (_text(left), _text(right)), Kind.TEXT)


# ---- Any kind


def _coalesce(*values: Expression) -> Expression:
    kind, merged = kinds.merge(values)
    return merged[0] if len(merged) == 1 else Operation("coalesce", merged, kind)


def _nullif(value: Expression, other: Expression) -> Expression:
    left, right = kinds.comparable(value, other)
    if left == value:
        return Operation("nullif", (left, right), value.kind)
    equal = Operation("=", (left, right), Kind.BOOLEAN)
    return Choice(((equal, Constant(None, value.kind)),), value, value.kind)


def _extreme(name: str) -> _Bind:
    def bind(*values: Expression) -> Expression:
        kind, merged = kinds.merge(values)
        if kind is Kind.BOOLEAN:
            raise NotAllowed(f"Function {name} does not take conditions.")
        ordered = tuple(kinds.in_order(one) for one in merged)
        return Operation(name, ordered, ordered[0].kind)

    return bind


# ---- Numbers


def _abs(number: Expression) -> Expression:
    value = kinds.numeric(number)
    return Operation(f"abs {value.kind.value}", (value,), value.kind)


def _round(number: Expression, places: Expression = Constant(0, Kind.INTEGER)) -> Expression:  # noqa: B008 - frozen
    value, digits = kinds.numeric(number), kinds.numeric(places)
    if not isinstance(digits, Constant) or digits.kind is not Kind.INTEGER or digits.value is None:
        raise NotAllowed("The number of digits of round must be a whole number written in the statement.")
    exponent = max(-15, min(15, int(digits.value)))
    if value.kind is Kind.INTEGER and exponent >= 0:
        return value
    power = Constant(10.0**exponent, Kind.NUMBER)
    return Operation("round", (kinds.convert(value, Kind.NUMBER), power), Kind.NUMBER)


def _whole(name: str) -> _Bind:
    def bind(number: Expression) -> Expression:
        value = kinds.numeric(number)
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


def _date_part(unit: Expression, date: Expression) -> Expression:
    return Operation(f"{_unit(unit)} of", (kinds.convert(date, Kind.DATE),), Kind.INTEGER)


def _date_add(unit: Expression, amount: Expression, date: Expression) -> Expression:
    """A date some units on; the day is the month's last one where the month is shorter."""
    name = _unit(unit)
    number = _clamped(amount, -_FURTHEST[name], _FURTHEST[name])
    return Operation(f"add {name}", (number, kinds.convert(date, Kind.DATE)), Kind.DATE)


def _date_diff(unit: Expression, start: Expression, end: Expression) -> Expression:
    name, dates = _unit(unit), (kinds.convert(start, Kind.DATE), kinds.convert(end, Kind.DATE))
    return Operation(f"{name}s between", dates, Kind.INTEGER)


def _format_date(date: Expression, form: Expression) -> Expression:
    pattern = _literal(form, "The form of a date")
    if re.search("%(?![YmdHMS])", pattern):
        raise NotAllowed(f"{shown(pattern)} has a part that dates cannot be written with here.")
    return Operation("format_date", (kinds.convert(date, Kind.DATE), Constant(pattern, Kind.TEXT)), Kind.TEXT)


def postgresql_format(pattern: str) -> str:
    """A form of dates as to_char takes it: other characters than the date's own stand in double quotes."""
    pieces = re.split("(%[YmdHMS])", pattern)
    return "".join(_FORMATS.get(piece) or _quoted(piece) for piece in pieces if piece)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# ---- JSON

_STEP = re.compile(r"([^.\[\]]+)((?:\[[0-9]{1,6}\])*)")


def _json_value(column: Expression, member: Expression) -> Expression:
    path = _literal(member, "The path of json_value")
    steps: list[str] = []
    for part in path.split("."):
        match = _STEP.fullmatch(part)
        if match is None:
            raise NotAllowed(f"{shown(path)} is not a path of member names here.")
        steps += [match[1], *re.findall("[0-9]+", match[2])]
    if column.kind is not Kind.JSON:
        raise NotAllowed(f"{kinds.described(column)} is not a column of JSON, so it has no values inside.")
    return Operation("json_value", (column, Constant(json.dumps(steps), Kind.TEXT)), Kind.TEXT)


def postgresql_path(path: str) -> str:
    """A path, a JSON list of texts, as the text of an array of PostgreSQL."""
    return "{" + ",".join(_quoted(step) for step in json.loads(path)) + "}"


# The least and the most arguments, and what makes the operation of them.
SPECIAL: dict[str, tuple[int, int, _Bind]] = {
    "split_part": (3, 3, _split_part),
    "substring": (2, 3, _substring),
    "left": (2, 2, cut),
    "right": (2, 2, _right),
    "concat": (1, 100, _concat),
    "coalesce": (1, 100, _coalesce),
    "nullif": (2, 2, _nullif),
    "greatest": (1, 100, _extreme("greatest")),
    "least": (1, 100, _extreme("least")),
    "abs": (1, 1, _abs),
    "round": (1, 2, _round),
    "floor": (1, 1, _whole("floor")),
    "ceiling": (1, 1, _whole("ceiling")),
    "date_part": (2, 2, _date_part),
    "date_add": (3, 3, _date_add),
    "date_diff": (3, 3, _date_diff),
    "format_date": (2, 2, _format_date),
    "json_value": (2, 2, _json_value),
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
        return _date_add(Constant("day", Kind.TEXT), days, left)
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
