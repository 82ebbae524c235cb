"""Every dialect's functions, by name: which they are here, and in which order their arguments come."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.reading import composed, dates
from cms_api.lib.sql_sandbox.reading.composed import Arguments, Reader, counted
from cms_api.lib.sql_sandbox.reading.rules import Reading
from cms_api.lib.sql_sandbox.refusals import NotAllowed
from cms_api.lib.sql_sandbox.wording import shown

MANY = 60  # arguments of the functions that take any number

JSON_PATH = re.compile(r"(?:(?:lax|strict)\s+)?\$\.(\w+(?:\.\w+|\[[0-9]{1,4}\])*+)")
JSON_MEMBER = re.compile(r"\w+")


@dataclass(frozen=True)
class Function:
    """A function by a client's name: how many arguments it takes, and what it becomes."""

    least: int
    most: int
    read: Reader


def _made(make: Callable[..., tree.Expression]) -> Reader:
    """Reads the arguments and hands them on."""
    return lambda reading, arguments: make(*map(reading.expression, arguments))


def _call(name: str, *order: int) -> Reader:
    """The canonical function of the name, with the arguments in another order if one is given."""
    return _made(lambda *values: tree.Call(name, tuple(values[at] for at in order) if order else values))


def _isnull(value: tree.Expression, *other: tree.Expression) -> tree.Expression:
    # One argument in MySQL, two in T-SQL.
    return tree.Call("coalesce", (value, *other)) if other else tree.IsNull(value)


def _now(reading: Reading, arguments: Arguments) -> tree.Expression:
    # NOW(3) asks for parts of seconds, which dates do not have here.
    if arguments and not isinstance(arguments[0], exp.Literal):
        raise NotAllowed("The present moment takes no argument here.")
    return tree.Call("now")


def _moment(reading: Reading, arguments: Arguments) -> tree.Expression:
    """SQLite's datetime(x, modifier, …)."""
    first = arguments[0]
    is_now = isinstance(first, exp.Literal) and first.is_string and first.name.casefold() == "now"
    date = tree.Call("now") if is_now else tree.Cast(reading.expression(first), Kind.DATE)
    result: tree.Expression = date
    for modifier in arguments[1:]:
        result = dates.modified(result, modifier)
    return result


def _date(reading: Reading, arguments: Arguments) -> tree.Expression:
    moment = _moment(reading, arguments)
    return tree.Cast(moment.operand, Kind.DATE, True) if isinstance(moment, tree.Cast) else dates.day_of(moment)


def _part(unit: str) -> Reader:
    return _made(lambda date: composed.part_of(unit, date))


def _date_part(reading: Reading, arguments: Arguments) -> tree.Expression:
    return composed.part_of(dates.unit_node(arguments[0]), reading.expression(arguments[1]))


def _dateadd(reading: Reading, arguments: Arguments) -> tree.Expression:
    unit, amount, date = arguments
    return dates.add(dates.unit_node(unit), reading.expression(amount), reading.expression(date))


def _date_add(sign: int) -> Reader:
    """MySQL's DATE_ADD(x, INTERVAL 7 DAY), and DATE_SUB."""

    def read(reading: Reading, arguments: Arguments) -> tree.Expression:
        date, interval = arguments
        if isinstance(interval, exp.Interval):
            return dates.add_interval(reading, reading.expression(date), interval, sign)
        # ADDDATE(x, 7) means days.
        amount = dates.multiplied(reading.expression(interval), sign)
        return dates.add("day", amount, reading.expression(date))

    return read


def _datediff(reading: Reading, arguments: Arguments) -> tree.Expression:
    *unit_node, first, second = arguments
    unit = dates.unit_node(unit_node[0]) if unit_node else "day"
    start, end = reading.expression(first), reading.expression(second)
    if not unit_node:
        start, end = end, start  # (unit, from, to) in T-SQL; (to, from) in days in MySQL
    if unit == "quarter":
        raise NotAllowed("A difference in quarters is not possible here.")
    if unit == "week":
        return tree.Binary("-", composed.weeks_until(end), composed.weeks_until(start))
    return tree.Call("date_diff", (tree.Literal(unit), start, end))


def _format(pieces: dict[str, str], date: int, pattern: int) -> Reader:
    def read(reading: Reading, arguments: Arguments) -> tree.Expression:
        literal = dates.pattern_of(arguments[pattern], pieces)
        return tree.Call("format_date", (reading.expression(arguments[date]), literal))

    return read


def _strftime(reading: Reading, arguments: Arguments) -> tree.Expression:
    literal = dates.pattern_of(arguments[0], dates.STRFTIME)
    return tree.Call("format_date", (_moment(reading, arguments[1:]), literal))


def _json(member_alone: bool) -> Reader:
    def read(reading: Reading, arguments: Arguments) -> tree.Expression:
        path = _json_path(arguments[1], member_alone)
        return tree.Call("json_value", (reading.expression(arguments[0]), tree.Literal(path)))

    return read


def _json_path(node: exp.Expr, member_alone: bool) -> str:
    """The members of a path `$.a.b` as `a.b`; raises NotAllowed."""
    text = node.name if isinstance(node, exp.Literal) and node.is_string else ""
    if member_alone and JSON_MEMBER.fullmatch(text):
        return text
    found = JSON_PATH.fullmatch(text)
    if found is None or len(text) > 200:
        raise NotAllowed("A path into JSON is a text such as '$.name' here.")
    return found[1]


def _aggregate(name: Literal["count", "sum", "avg", "min", "max"]) -> Reader:
    def read(reading: Reading, arguments: Arguments) -> tree.Expression:
        (operand,) = arguments
        if isinstance(operand, exp.Star) and name == "count":
            return tree.Aggregate("count")
        if isinstance(operand, exp.Distinct):
            if len(operand.expressions) != 1:
                raise NotAllowed(f"{name.upper()} takes one DISTINCT value here.")
            return tree.Aggregate(name, reading.expression(operand.expressions[0]), distinct=True)
        return tree.Aggregate(name, reading.expression(operand))

    return read


_NOW = Function(0, 1, _now)

FUNCTIONS: dict[str, Function] = {
    # Texts
    **dict.fromkeys(("LEN", "LENGTH", "CHAR_LENGTH", "CHARACTER_LENGTH"), Function(1, 1, _call("length"))),
    **dict.fromkeys(("UPPER", "UCASE"), Function(1, 1, _call("upper"))),
    **dict.fromkeys(("LOWER", "LCASE"), Function(1, 1, _call("lower"))),
    **{name.upper(): Function(1, 1, _call(name)) for name in ("trim", "ltrim", "rtrim")},
    **dict.fromkeys(("SUBSTRING", "SUBSTR", "MID"), Function(2, 3, _call("substring"))),
    "LEFT": Function(2, 2, _call("left")),
    "RIGHT": Function(2, 2, _call("right")),
    "REPLACE": Function(3, 3, _call("replace")),
    "CONCAT": Function(1, MANY, _call("concat")),
    "CONCAT_WS": Function(2, MANY, counted(_made(composed.concat_ws))),
    "STUFF": Function(4, 4, counted(_made(composed.stuff))),
    "SUBSTRING_INDEX": Function(3, 3, counted(_made(composed.substring_index))),
    "FIND_IN_SET": Function(2, 2, counted(_made(composed.find_in_set))),
    "PATINDEX": Function(2, 2, counted(composed.patindex)),
    **dict.fromkeys(("CHARINDEX", "LOCATE", "POSITION"), Function(2, 2, _call("position"))),
    **dict.fromkeys(("INSTR", "STRPOS"), Function(2, 2, _call("position", 1, 0))),
    # Choices
    "COALESCE": Function(1, MANY, _call("coalesce")),
    "ISNULL": Function(1, 2, _made(_isnull)),
    **dict.fromkeys(("IFNULL", "NVL"), Function(2, 2, _call("coalesce"))),
    "NULLIF": Function(2, 2, _call("nullif")),
    **dict.fromkeys(
        ("IIF", "IF"), Function(3, 3, _made(lambda condition, yes, no: tree.Case(((condition, yes),), no)))
    ),
    # Numbers
    "ABS": Function(1, 1, _call("abs")),
    "ROUND": Function(1, 2, _call("round")),
    "FLOOR": Function(1, 1, _call("floor")),
    **dict.fromkeys(("CEILING", "CEIL"), Function(1, 1, _call("ceiling"))),
    "GREATEST": Function(1, MANY, _call("greatest")),
    "LEAST": Function(1, MANY, _call("least")),
    "MOD": Function(2, 2, _made(lambda left, right: tree.Binary("%", left, right))),
    # Dates
    **dict.fromkeys(("NEWID", "RAND"), Function(0, 0, _call("random"))),
    **dict.fromkeys(("NOW", "GETDATE", "SYSDATETIME", "SYSDATE", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP"), _NOW),
    **dict.fromkeys(("CURDATE", "CURRENT_DATE"), Function(0, 0, _call("today"))),
    "DATETIME": Function(1, 4, _moment),
    "DATE": Function(1, 4, _date),
    **{unit.upper(): Function(1, 1, _part(unit)) for unit in ("year", "month", "day", "hour", "minute", "second")},
    "DAYOFMONTH": Function(1, 1, _part("day")),
    "DATEPART": Function(2, 2, counted(composed.datepart)),
    "DATENAME": Function(2, 2, counted(composed.datename)),
    **dict.fromkeys(("DATE_PART", "EXTRACT"), Function(2, 2, _date_part)),
    **dict.fromkeys(("DATEADD", "TIMESTAMPADD"), Function(3, 3, _dateadd)),
    **dict.fromkeys(("DATE_ADD", "ADDDATE"), Function(2, 2, _date_add(1))),
    **dict.fromkeys(("DATE_SUB", "SUBDATE"), Function(2, 2, _date_add(-1))),
    "DATEDIFF": Function(2, 3, _datediff),
    "EOMONTH": Function(1, 2, counted(_made(composed.eomonth))),
    "TO_DAYS": Function(1, 1, counted(_made(composed.to_days))),
    "UNIX_TIMESTAMP": Function(0, 1, counted(_made(composed.unix_timestamp))),
    "STRFTIME": Function(2, 5, _strftime),
    "DATE_FORMAT": Function(2, 2, _format(dates.MYSQL, 0, 1)),
    "TO_CHAR": Function(2, 2, _format(dates.TO_CHAR, 0, 1)),
    "FORMAT": Function(2, 2, _format(dates.DOT_NET, 0, 1)),
    # JSON
    **dict.fromkeys(("JSON_VALUE", "JSON_EXTRACT"), Function(2, 2, _json(member_alone=False))),
    "JSON_UNQUOTE": Function(1, 1, _made(lambda value: value)),
    "->>": Function(2, 2, _json(member_alone=True)),
    # Aggregates
    **dict.fromkeys(("COUNT", "COUNT_BIG"), Function(1, 1, _aggregate("count"))),
    "SUM": Function(1, 1, _aggregate("sum")),
    "AVG": Function(1, 1, _aggregate("avg")),
    "MIN": Function(1, 1, _aggregate("min")),
    "MAX": Function(1, 1, _aggregate("max")),
}

# Functions that need OVER.
WINDOW_FUNCTIONS: dict[str, Function] = {
    **{name.upper(): Function(0, 0, _call(name)) for name in ("row_number", "rank", "dense_rank")},
    **{name.upper(): Function(1, 3, _call(name)) for name in ("lag", "lead")},
    **{name.upper(): Function(1, 1, _call(name)) for name in ("first_value", "last_value")},
    "NTILE": Function(1, 1, _call("ntile")),
}

# What may stand before a bracket; CAST and CONVERT are read by the parser.
NAMES = frozenset({*FUNCTIONS, *WINDOW_FUNCTIONS, "CAST", "CONVERT", "TRY_CAST", "TRY_CONVERT"})


def read_function(reading: Reading, node: exp.Anonymous, functions: dict[str, Function] = FUNCTIONS) -> tree.Expression:
    """The expression that a call stands for; raises NotAllowed for an unknown name or too few or many arguments."""
    name = str(node.this)
    function = functions.get(name.upper())
    if function is None:
        over = " without OVER" if name.upper() in WINDOW_FUNCTIONS else ""
        raise NotAllowed(f"The function {shown(name)}{over} is not known here; the documentation lists the functions.")
    least, most = function.least, function.most
    if not least <= len(node.expressions) <= most:
        possible = f"{least} or more" if most == MANY else str(least) if least == most else f"{least} to {most}"
        raise NotAllowed(f"The function {shown(name)} takes another number of arguments here: {possible}.")
    return function.read(reading, node.expressions)
