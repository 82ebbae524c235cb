import re
from collections.abc import Callable
from functools import reduce
from typing import Literal

from sqlglot import exp

from sql_sandbox import tree
from sql_sandbox.catalogue import ValueKind
from sql_sandbox.reading import composed, dates
from sql_sandbox.reading.composed import Arguments, Reader, counted
from sql_sandbox.reading.rules import Reading
from sql_sandbox.refusals import NotAllowed, shown

MANY = 60  # arguments of functions that take any number

JSON_PATH = re.compile(r"(?:(?:lax|strict)\s+)?\$\.(\w+(?:\.\w+|\[[0-9]{1,4}\])*+)")

# Minimum and maximum number of arguments, and the reader of the call.
Function = tuple[int, int, Reader]


def _made(make: Callable[..., tree.Expression]) -> Reader:
    return lambda reading, arguments: make(*map(reading.expression, arguments))


def _call(name: str) -> Reader:
    return _made(lambda *values: tree.Call(name, values))


def _isnull(value: tree.Expression, *other: tree.Expression) -> tree.Expression:
    # One argument in MySQL, two in T-SQL.
    return tree.Call("coalesce", (value, *other)) if other else tree.IsNull(value)


def _now(reading: Reading, arguments: Arguments) -> tree.Expression:
    # NOW(3) requests fractions of seconds, which dates do not have here.
    if arguments and not isinstance(arguments[0], exp.Literal):
        raise NotAllowed("Functions for the current time take no argument.")
    return tree.Call("now")


def _moment(reading: Reading, arguments: Arguments) -> tree.Expression:
    first, *modifiers = arguments
    is_now = isinstance(first, exp.Literal) and first.is_string and first.name.casefold() == "now"
    date: tree.Expression = tree.Call("now") if is_now else tree.Cast(reading.expression(first), ValueKind.DATE)
    return reduce(dates.modified, modifiers, date)


def _date(reading: Reading, arguments: Arguments) -> tree.Expression:
    moment = _moment(reading, arguments)
    return tree.Cast(moment.operand, ValueKind.DATE, True) if isinstance(moment, tree.Cast) else dates.day_of(moment)


def _part(unit: str) -> Reader:
    return _made(lambda date: composed.part_of(unit, date))


def _date_part(reading: Reading, arguments: Arguments) -> tree.Expression:
    return composed.part_of(dates.unit_node(arguments[0]), reading.expression(arguments[1]))


def _dateadd(reading: Reading, arguments: Arguments) -> tree.Expression:
    unit, amount, date = arguments
    return dates.add(dates.unit_node(unit), reading.expression(amount), reading.expression(date))


def _date_add(sign: int) -> Reader:
    def read(reading: Reading, arguments: Arguments) -> tree.Expression:
        date, interval = arguments
        if isinstance(interval, exp.Interval):  # DATE_ADD(x, INTERVAL 7 DAY)
            return dates.add_interval(reading, reading.expression(date), interval, sign)
        amount = dates.multiplied(reading.expression(interval), sign)
        return dates.add("day", amount, reading.expression(date))  # ADDDATE(x, 7)

    return read


def _datediff(reading: Reading, arguments: Arguments) -> tree.Expression:
    *unit_node, first, second = arguments
    unit = dates.unit_node(unit_node[0]) if unit_node else "day"
    start, end = reading.expression(first), reading.expression(second)
    if not unit_node:
        start, end = end, start  # (unit, from, to) in T-SQL; (to, from) in days in MySQL
    if unit == "quarter":
        raise NotAllowed("Differences in quarters are not supported.")
    if unit == "week":
        return tree.Binary("-", composed.weeks_until(end), composed.weeks_until(start))
    return tree.Call("date_diff", (tree.Literal(unit), start, end))


def _format(pieces: dict[str, str]) -> Reader:
    def read(reading: Reading, arguments: Arguments) -> tree.Expression:
        pattern = dates.pattern_of(arguments[1], pieces)
        return tree.Call("format_date", (reading.expression(arguments[0]), pattern))

    return read


def _strftime(reading: Reading, arguments: Arguments) -> tree.Expression:
    pattern = dates.pattern_of(arguments[0], dates.STRFTIME)
    return tree.Call("format_date", (_moment(reading, arguments[1:]), pattern))


def _json(member_alone: bool) -> Reader:
    """Return a reader that turns the path `$.a.b` into `a.b`."""

    def read(reading: Reading, arguments: Arguments) -> tree.Expression:
        column, node = arguments
        text = node.name if isinstance(node, exp.Literal) and node.is_string else ""
        path = JSON_PATH.fullmatch(text) if len(text) <= 200 else None
        if member_alone and re.fullmatch(r"\w+", text):
            members = text
        elif path:
            members = path[1]
        else:
            raise NotAllowed("A JSON path must be a text literal such as '$.name'.")
        return tree.Call("json_value", (reading.expression(column), tree.Literal(members)))

    return read


def _aggregate(name: Literal["count", "sum", "avg", "min", "max"]) -> Reader:
    def read(reading: Reading, arguments: Arguments) -> tree.Expression:
        (operand,) = arguments
        if isinstance(operand, exp.Star) and name == "count":
            return tree.Aggregate("count")
        if isinstance(operand, exp.Distinct):
            if len(operand.expressions) != 1:
                raise NotAllowed(f"{name.upper()} takes only one DISTINCT value.")
            return tree.Aggregate(name, reading.expression(operand.expressions[0]), distinct=True)
        return tree.Aggregate(name, reading.expression(operand))

    return read


FUNCTIONS: dict[str, Function] = {
    **dict.fromkeys(("LEN", "LENGTH", "CHAR_LENGTH", "CHARACTER_LENGTH"), (1, 1, _call("length"))),
    **dict.fromkeys(("UPPER", "UCASE"), (1, 1, _call("upper"))),
    **dict.fromkeys(("LOWER", "LCASE"), (1, 1, _call("lower"))),
    **{name.upper(): (1, 1, _call(name)) for name in ("trim", "ltrim", "rtrim", "abs", "floor")},
    **{name.upper(): (2, 2, _call(name)) for name in ("left", "right", "nullif")},
    **{name.upper(): (1, MANY, _call(name)) for name in ("concat", "coalesce", "greatest", "least")},
    **dict.fromkeys(("SUBSTRING", "SUBSTR", "MID"), (2, 3, _call("substring"))),
    "REPLACE": (3, 3, _call("replace")),
    "CONCAT_WS": (2, MANY, counted(_made(composed.concat_ws))),
    "STUFF": (4, 4, counted(_made(composed.stuff))),
    "SUBSTRING_INDEX": (3, 3, counted(_made(composed.substring_index))),
    "FIND_IN_SET": (2, 2, counted(_made(composed.find_in_set))),
    "PATINDEX": (2, 2, counted(composed.patindex)),
    **dict.fromkeys(("CHARINDEX", "LOCATE", "POSITION"), (2, 2, _call("position"))),
    **dict.fromkeys(("INSTR", "STRPOS"), (2, 2, _made(lambda text, wanted: tree.Call("position", (wanted, text))))),
    "ISNULL": (1, 2, _made(_isnull)),
    **dict.fromkeys(("IFNULL", "NVL"), (2, 2, _call("coalesce"))),
    **dict.fromkeys(("IIF", "IF"), (3, 3, _made(lambda condition, yes, no: tree.Case(((condition, yes),), no)))),
    "ROUND": (1, 2, _call("round")),
    **dict.fromkeys(("CEILING", "CEIL"), (1, 1, _call("ceiling"))),
    "MOD": (2, 2, _made(lambda left, right: tree.Binary("%", left, right))),
    **dict.fromkeys(("NEWID", "RAND"), (0, 0, _call("random"))),
    **dict.fromkeys(("NOW", "GETDATE", "SYSDATETIME", "SYSDATE", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP"), (0, 1, _now)),
    **dict.fromkeys(("CURDATE", "CURRENT_DATE"), (0, 0, _call("today"))),
    "DATETIME": (1, 4, _moment),
    "DATE": (1, 4, _date),
    **{unit.upper(): (1, 1, _part(unit)) for unit in ("year", "month", "day", "hour", "minute", "second")},
    "DAYOFMONTH": (1, 1, _part("day")),
    "DATEPART": (2, 2, counted(composed.datepart)),
    "DATENAME": (2, 2, counted(composed.datename)),
    **dict.fromkeys(("DATE_PART", "EXTRACT"), (2, 2, _date_part)),
    **dict.fromkeys(("DATEADD", "TIMESTAMPADD"), (3, 3, _dateadd)),
    **dict.fromkeys(("DATE_ADD", "ADDDATE"), (2, 2, _date_add(1))),
    **dict.fromkeys(("DATE_SUB", "SUBDATE"), (2, 2, _date_add(-1))),
    "DATEDIFF": (2, 3, _datediff),
    "EOMONTH": (1, 2, counted(_made(composed.eomonth))),
    "TO_DAYS": (1, 1, counted(_made(composed.to_days))),
    "UNIX_TIMESTAMP": (0, 1, counted(_made(composed.unix_timestamp))),
    "STRFTIME": (2, 5, _strftime),
    "DATE_FORMAT": (2, 2, _format(dates.MYSQL)),
    "TO_CHAR": (2, 2, _format(dates.TO_CHAR)),
    "FORMAT": (2, 2, _format(dates.DOT_NET)),
    **dict.fromkeys(("JSON_VALUE", "JSON_EXTRACT"), (2, 2, _json(member_alone=False))),
    "JSON_UNQUOTE": (1, 1, _made(lambda value: value)),
    "->>": (2, 2, _json(member_alone=True)),
    **dict.fromkeys(("COUNT", "COUNT_BIG"), (1, 1, _aggregate("count"))),
    "SUM": (1, 1, _aggregate("sum")),
    "AVG": (1, 1, _aggregate("avg")),
    "MIN": (1, 1, _aggregate("min")),
    "MAX": (1, 1, _aggregate("max")),
}

WINDOW_FUNCTIONS: dict[str, Function] = {
    **{name.upper(): (0, 0, _call(name)) for name in ("row_number", "rank", "dense_rank")},
    **{name.upper(): (1, 3, _call(name)) for name in ("lag", "lead")},
    **{name.upper(): (1, 1, _call(name)) for name in ("first_value", "last_value")},
    "NTILE": (1, 1, _call("ntile")),
}

# Names that may precede a bracket; CAST and CONVERT are read by the parser.
NAMES = frozenset({*FUNCTIONS, *WINDOW_FUNCTIONS, "CAST", "CONVERT", "TRY_CAST", "TRY_CONVERT"})


def read_function(reading: Reading, node: exp.Anonymous, functions: dict[str, Function] = FUNCTIONS) -> tree.Expression:
    name = str(node.this)
    function = functions.get(name.upper())
    if function is None:
        over = " without OVER" if name.upper() in WINDOW_FUNCTIONS else ""
        raise NotAllowed(
            f"The function {shown(name)}{over} is not supported; the documentation lists the supported functions."
        )
    least, most, read = function
    if not least <= len(node.expressions) <= most:
        possible = f"{least} or more" if most == MANY else str(least) if least == most else f"{least} to {most}"
        raise NotAllowed(f"The function {shown(name)} takes a different number of arguments: {possible}.")
    return read(reading, node.expressions)
