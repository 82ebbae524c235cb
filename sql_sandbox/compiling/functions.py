import json
import math
import re
from collections.abc import Callable, Sequence
from datetime import datetime

from sql_sandbox.catalogue import ValueKind
from sql_sandbox.compiling import kinds
from sql_sandbox.compiling.resolved import Choice, Constant, Expression, Operation
from sql_sandbox.refusals import NotAllowed, shown

_Bind = Callable[..., Expression]


def call(name: str, arguments: Sequence[Expression], now: datetime) -> Expression:
    """Return the function's operation. Raise NotAllowed for an unknown name or unsuitable arguments."""
    if name == "random":
        raise NotAllowed("NEWID and RAND are allowed only in ORDER BY.")
    if name not in FUNCTIONS:
        raise NotAllowed(f"Function {shown(name)} is not available here.")
    least, most, bind = FUNCTIONS[name]
    if not least <= len(arguments) <= most:
        number = str(least) if least == most else f"{least} to {most}"
        raise NotAllowed(f"Function {name} takes {number} arguments, not {len(arguments)}.")
    return bind(now) if name in ("now", "today") else bind(*arguments)


def _literal(expression: Expression, what: str) -> str:
    if isinstance(expression, Constant) and isinstance(expression.value, str):
        return expression.value
    raise NotAllowed(f"{what} must be a text literal.")


def _clamped(expression: Expression, low: int, high: int) -> Expression:
    value = kinds.convert(kinds.numeric(expression), ValueKind.INTEGER)
    if isinstance(value, Constant):
        return Constant(None if value.value is None else max(low, min(high, int(value.value))), ValueKind.INTEGER)
    bounds = (Constant(low, ValueKind.INTEGER), Constant(high, ValueKind.INTEGER))
    return Operation("clamp", (value, *bounds), ValueKind.INTEGER)


_FAR = 1_000_000_000
_ALL = Constant(_FAR, ValueKind.INTEGER)


def _text(expression: Expression) -> Expression:
    return kinds.convert(expression, ValueKind.TEXT)


def cut(text: Expression, length: Expression) -> Expression:
    return _substring(text, Constant(1, ValueKind.INTEGER), length)


def _substring(text: Expression, start: Expression, length: Expression = _ALL) -> Expression:
    places = (_clamped(start, -_FAR, _FAR), _clamped(length, 0, _FAR))
    return Operation("substring", (_text(text), *places), ValueKind.TEXT)


def _right(text: Expression, length: Expression) -> Expression:
    return Operation("right", (_text(text), _clamped(length, 0, _FAR)), ValueKind.TEXT)


def _split_part(text: Expression, delimiter: Expression, place: Expression) -> Expression:
    """Return a part of a text, counted from 1, or from -1 at the end; empty if there is none."""
    places = (Constant(_literal(delimiter, "The delimiter"), ValueKind.TEXT), _clamped(place, -_FAR, _FAR))
    return Operation("split_part", (_text(text), *places), ValueKind.TEXT)


def _of_texts(name: str, kind: ValueKind) -> _Bind:
    return lambda *texts: Operation(name, tuple(map(_text, texts)), kind)


def _concat(*texts: Expression) -> Expression:
    empty = Constant("", ValueKind.TEXT)
    return Operation(
        "joined", tuple(Operation("coalesce", (_text(one), empty), ValueKind.TEXT) for one in texts), ValueKind.TEXT
    )


joined = _of_texts("joined", ValueKind.TEXT)


def _coalesce(*values: Expression) -> Expression:
    kind, merged = kinds.merge(values)
    return merged[0] if len(merged) == 1 else Operation("coalesce", merged, kind)


def _nullif(value: Expression, other: Expression) -> Expression:
    left, right = kinds.comparable(value, other)
    if left == value:
        return Operation("nullif", (left, right), value.kind)
    equal = Operation("=", (left, right), ValueKind.BOOLEAN)
    return Choice(((equal, Constant(None, value.kind)),), value, value.kind)


def _extreme(name: str) -> _Bind:
    def bind(*values: Expression) -> Expression:
        kind, merged = kinds.merge(values)
        if kind is ValueKind.BOOLEAN:
            raise NotAllowed(f"Function {name} does not take conditions.")
        ordered = tuple(kinds.in_order(one) for one in merged)
        return Operation(name, ordered, ordered[0].kind)

    return bind


def _abs(number: Expression) -> Expression:
    value = kinds.numeric(number)
    return Operation(f"abs {value.kind.value}", (value,), value.kind)


def _round(number: Expression, places: Expression = Constant(0, ValueKind.INTEGER)) -> Expression:  # noqa: B008 - frozen
    value, digits = kinds.numeric(number), kinds.numeric(places)
    if not isinstance(digits, Constant) or digits.kind is not ValueKind.INTEGER or digits.value is None:
        raise NotAllowed("The number of digits of round must be an integer literal.")
    exponent = max(-15, min(15, int(digits.value)))
    if value.kind is ValueKind.INTEGER and exponent >= 0:
        return value
    power = Constant(10.0**exponent, ValueKind.NUMBER)
    return Operation("round", (kinds.convert(value, ValueKind.NUMBER), power), ValueKind.NUMBER)


def _whole(name: str) -> _Bind:
    def bind(number: Expression) -> Expression:
        value = kinds.numeric(number)
        return value if value.kind is ValueKind.INTEGER else Operation(name, (value,), ValueKind.NUMBER)

    return bind


# The largest amount to add: some 8000 years, which no engine fails on.
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
    # `reading` has turned weeks and quarters into days and months.
    unit = _literal(expression, "The unit of a date function").lower()
    if unit not in _FURTHEST:
        raise NotAllowed(f"{shown(unit)} is not a date unit; use one of: {', '.join(_FURTHEST)}.")
    return unit


def _moment(moment: datetime) -> Expression:
    return Constant(kinds.date_text(moment), ValueKind.DATE)


def _date_part(unit: Expression, date: Expression) -> Expression:
    return Operation(f"{_unit(unit)} of", (kinds.convert(date, ValueKind.DATE),), ValueKind.INTEGER)


def _date_add(unit: Expression, amount: Expression, date: Expression) -> Expression:
    name = _unit(unit)
    number = _clamped(amount, -_FURTHEST[name], _FURTHEST[name])
    return Operation(f"add {name}", (number, kinds.convert(date, ValueKind.DATE)), ValueKind.DATE)


def _date_diff(unit: Expression, start: Expression, end: Expression) -> Expression:
    name, dates = _unit(unit), (kinds.convert(start, ValueKind.DATE), kinds.convert(end, ValueKind.DATE))
    return Operation(f"{name}s between", dates, ValueKind.INTEGER)


def _format_date(date: Expression, form: Expression) -> Expression:
    pattern = _literal(form, "The format of a date")
    if re.search("%(?![YmdHMS])", pattern):
        raise NotAllowed(f"{shown(pattern)} has a part that is not supported in date formats.")
    return Operation(
        "format_date", (kinds.convert(date, ValueKind.DATE), Constant(pattern, ValueKind.TEXT)), ValueKind.TEXT
    )


def postgresql_format(pattern: str) -> str:
    """Return a date format for to_char, with all other characters in double quotes."""
    pieces = re.split("(%[YmdHMS])", pattern)
    return "".join(_FORMATS.get(piece) or _quoted(piece) for piece in pieces if piece)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_STEP = re.compile(r"([^.\[\]]+)((?:\[[0-9]{1,6}\])*)")


def _json_value(column: Expression, member: Expression) -> Expression:
    path = _literal(member, "The path of json_value")
    steps: list[str] = []
    for part in path.split("."):
        match = _STEP.fullmatch(part)
        if match is None:
            raise NotAllowed(f"{shown(path)} is not a path of member names.")
        steps += [match[1], *re.findall("[0-9]+", match[2])]
    if column.kind is not ValueKind.JSON:
        raise NotAllowed(f"{kinds.described(column)} is not a JSON column.")
    return Operation("json_value", (column, Constant(json.dumps(steps), ValueKind.TEXT)), ValueKind.TEXT)


def postgresql_path(path: str) -> str:
    return "{" + ",".join(_quoted(step) for step in json.loads(path)) + "}"


# Minimum and maximum number of arguments, and the function that makes the operation.
FUNCTIONS: dict[str, tuple[int, int, _Bind]] = {
    "length": (1, 1, _of_texts("length", ValueKind.INTEGER)),
    **{name: (1, 1, _of_texts(name, ValueKind.TEXT)) for name in ("upper", "lower", "trim", "ltrim", "rtrim")},
    "replace": (3, 3, _of_texts("replace", ValueKind.TEXT)),
    "position": (2, 2, _of_texts("position", ValueKind.INTEGER)),
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
    "now": (0, 0, _moment),
    "today": (0, 0, lambda now: _moment(now.replace(hour=0, minute=0, second=0))),
}


def arithmetic(operator: str, left: Expression, right: Expression) -> Expression:
    """Return `left operator right` in whole numbers or doubles; `+` also joins texts and moves dates by days."""
    texts = (ValueKind.TEXT, ValueKind.JSON)
    left, right = _as_number_beside(left, right), _as_number_beside(right, left)
    if operator == "+" and (left.kind in texts or right.kind in texts):
        return joined(left, right)
    if operator == "+" and right.kind is ValueKind.DATE:
        left, right = right, left
    if operator in "+-" and left.kind is ValueKind.DATE and right.kind is not ValueKind.DATE:
        days = right if operator == "+" else negative(right)
        return _date_add(Constant("day", ValueKind.TEXT), days, left)
    first, second = kinds.numeric(left), kinds.numeric(right)
    kind = kinds.common(first.kind, second.kind)
    if operator == "%" and kind is ValueKind.NUMBER:
        raise NotAllowed("% takes whole numbers.")
    arguments = (kinds.convert(first, kind), kinds.convert(second, kind))
    return Operation(f"{operator} {kind.value}", arguments, kind)


def _as_number_beside(value: Expression, other: Expression) -> Expression:
    """Read a literal text beside a number as a number, as in `Hits + '1'`."""
    if value.kind is not ValueKind.TEXT or not isinstance(value, Constant) or value.value is None:
        return value
    return kinds.read(value, other.kind) or value if other.kind in (ValueKind.INTEGER, ValueKind.NUMBER) else value


def negative(operand: Expression) -> Expression:
    value = kinds.numeric(operand)
    if isinstance(value, Constant):
        if value.value is None or isinstance(value.value, str):
            return value
        turned = -value.value
        return kinds.number(turned) if math.isfinite(turned) else value
    return Operation(f"negative {value.kind.value}", (value,), value.kind)
