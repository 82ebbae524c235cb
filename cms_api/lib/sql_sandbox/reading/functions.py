"""Every dialect's functions, by name: which they are here, and in which order their arguments come."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.reading import composed, dates
from cms_api.lib.sql_sandbox.reading.rules import Reading
from cms_api.lib.sql_sandbox.refusals import NotAllowed
from cms_api.lib.sql_sandbox.wording import shown

MANY = 60  # arguments of the functions that take any number

JSON_PATH = re.compile(r"(?:(?:lax|strict)\s+)?\$\.(\w+(?:\.\w+|\[[0-9]{1,4}\])*+)")
JSON_MEMBER = re.compile(r"\w+")

Arguments = list[exp.Expr]


@dataclass(frozen=True)
class Function:
    """A function by a client's name: how many arguments it takes, and what it becomes."""

    least: int
    most: int
    read: Callable[[Reading, Arguments], tree.Expression]


def _call(name: str, *order: int) -> Callable[[Reading, Arguments], tree.Expression]:
    """The canonical function of the name, with the arguments in another order if one is given."""

    def read(reading: Reading, arguments: Arguments) -> tree.Expression:
        read_ones = [reading.expression(one) for one in arguments]
        return tree.Call(name, tuple(read_ones[at] for at in order) if order else tuple(read_ones))

    return read


def _isnull(reading: Reading, arguments: Arguments) -> tree.Expression:
    # One argument in MySQL, two in T-SQL.
    if len(arguments) == 1:
        return tree.IsNull(reading.expression(arguments[0]))
    return _call("coalesce")(reading, arguments)


def _if(reading: Reading, arguments: Arguments) -> tree.Expression:
    condition, yes, no = (reading.expression(one) for one in arguments)
    return tree.Case(((condition, yes),), no)


def _mod(reading: Reading, arguments: Arguments) -> tree.Expression:
    return tree.Binary("%", reading.expression(arguments[0]), reading.expression(arguments[1]))


def _now(reading: Reading, arguments: Arguments) -> tree.Expression:
    # NOW(3) asks for parts of seconds, which dates do not have here.
    if arguments and not isinstance(arguments[0], exp.Literal):
        raise NotAllowed("The present moment takes no argument here.")
    return tree.Call("now")


def _today(reading: Reading, arguments: Arguments) -> tree.Expression:
    return tree.Call("today")


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


def _part(unit: str) -> Callable[[Reading, Arguments], tree.Expression]:
    return lambda reading, arguments: composed.part_of(unit, reading.expression(arguments[0]))


def _date_part(reading: Reading, arguments: Arguments) -> tree.Expression:
    return composed.part_of(dates.unit_node(arguments[0]), reading.expression(arguments[1]))


def _dateadd(reading: Reading, arguments: Arguments) -> tree.Expression:
    unit, amount, date = arguments
    return dates.add(dates.unit_node(unit), reading.expression(amount), reading.expression(date))


def _date_add(sign: int) -> Callable[[Reading, Arguments], tree.Expression]:
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
    # (unit, from, to) in T-SQL; (to, from) in days in MySQL.
    if len(arguments) == 2:
        end, start = (reading.expression(one) for one in arguments)
        return tree.Call("date_diff", (tree.Literal("day"), start, end))
    return _difference(dates.unit_node(arguments[0]), *(reading.expression(one) for one in arguments[1:]))


def _difference(unit: str, start: tree.Expression, end: tree.Expression) -> tree.Expression:
    if unit == "quarter":
        raise NotAllowed("A difference in quarters is not possible here.")
    if unit == "week":
        return tree.Binary("-", composed.weeks_until(end), composed.weeks_until(start))
    return tree.Call("date_diff", (tree.Literal(unit), start, end))


def _format(pieces: dict[str, str], date: int, pattern: int) -> Callable[[Reading, Arguments], tree.Expression]:
    def read(reading: Reading, arguments: Arguments) -> tree.Expression:
        literal = dates.pattern_of(arguments[pattern], pieces)
        return tree.Call("format_date", (reading.expression(arguments[date]), literal))

    return read


def _strftime(reading: Reading, arguments: Arguments) -> tree.Expression:
    literal = dates.pattern_of(arguments[0], dates.STRFTIME)
    return tree.Call("format_date", (_moment(reading, arguments[1:]), literal))


def _json_value(reading: Reading, arguments: Arguments) -> tree.Expression:
    path = json_path(arguments[1], member_alone=False)
    return tree.Call("json_value", (reading.expression(arguments[0]), tree.Literal(path)))


def _json_arrow(reading: Reading, arguments: Arguments) -> tree.Expression:
    path = json_path(arguments[1], member_alone=True)
    return tree.Call("json_value", (reading.expression(arguments[0]), tree.Literal(path)))


def json_path(node: exp.Expr, member_alone: bool) -> str:
    """The members of a path `$.a.b` as `a.b`; raises NotAllowed."""
    text = node.name if isinstance(node, exp.Literal) and node.is_string else ""
    if member_alone and JSON_MEMBER.fullmatch(text):
        return text
    found = JSON_PATH.fullmatch(text)
    if found is None or len(text) > 200:
        raise NotAllowed("A path into JSON is a text such as '$.name' here.")
    return found[1]


def _same(reading: Reading, arguments: Arguments) -> tree.Expression:
    return reading.expression(arguments[0])


def _aggregate(name: str) -> Callable[[Reading, Arguments], tree.Expression]:
    def read(reading: Reading, arguments: Arguments) -> tree.Expression:
        (operand,) = arguments
        if isinstance(operand, exp.Star) and name == "count":
            return tree.Aggregate("count")
        if isinstance(operand, exp.Distinct):
            (operand,) = _one_of(name, operand.expressions)
            return tree.Aggregate(name, reading.expression(operand), distinct=True)  # type: ignore[arg-type]  # ours
        return tree.Aggregate(name, reading.expression(operand))  # type: ignore[arg-type]  # out of the table below

    return read


def _one_of(name: str, arguments: Arguments) -> Arguments:
    if len(arguments) != 1:
        raise NotAllowed(f"{name.upper()} takes one DISTINCT value here.")
    return arguments


_LENGTH = Function(1, 1, _call("length"))
_SUBSTRING = Function(2, 3, _call("substring"))
_COALESCE = Function(2, 2, _call("coalesce"))
_NOW = Function(0, 1, _now)
_TODAY = Function(0, 0, _today)

FUNCTIONS: dict[str, Function] = {
    # Texts
    **dict.fromkeys(("LEN", "LENGTH", "CHAR_LENGTH", "CHARACTER_LENGTH"), _LENGTH),
    **dict.fromkeys(("UPPER", "UCASE"), Function(1, 1, _call("upper"))),
    **dict.fromkeys(("LOWER", "LCASE"), Function(1, 1, _call("lower"))),
    **{name.upper(): Function(1, 1, _call(name)) for name in ("trim", "ltrim", "rtrim")},
    **dict.fromkeys(("SUBSTRING", "SUBSTR", "MID"), _SUBSTRING),
    "LEFT": Function(2, 2, _call("left")),
    "RIGHT": Function(2, 2, _call("right")),
    "REPLACE": Function(3, 3, _call("replace")),
    "CONCAT": Function(1, MANY, _call("concat")),
    "CONCAT_WS": Function(2, MANY, composed.concat_ws),
    "STUFF": Function(4, 4, composed.stuff),
    "SUBSTRING_INDEX": Function(3, 3, composed.substring_index),
    "FIND_IN_SET": Function(2, 2, composed.find_in_set),
    "PATINDEX": Function(2, 2, composed.patindex),
    **dict.fromkeys(("CHARINDEX", "LOCATE", "POSITION"), Function(2, 2, _call("position"))),
    **dict.fromkeys(("INSTR", "STRPOS"), Function(2, 2, _call("position", 1, 0))),
    # Choices
    "COALESCE": Function(1, MANY, _call("coalesce")),
    "ISNULL": Function(1, 2, _isnull),
    **dict.fromkeys(("IFNULL", "NVL"), _COALESCE),
    "NULLIF": Function(2, 2, _call("nullif")),
    **dict.fromkeys(("IIF", "IF"), Function(3, 3, _if)),
    # Numbers
    "ABS": Function(1, 1, _call("abs")),
    "ROUND": Function(1, 2, _call("round")),
    "FLOOR": Function(1, 1, _call("floor")),
    **dict.fromkeys(("CEILING", "CEIL"), Function(1, 1, _call("ceiling"))),
    "GREATEST": Function(1, MANY, _call("greatest")),
    "LEAST": Function(1, MANY, _call("least")),
    "MOD": Function(2, 2, _mod),
    # Dates
    **dict.fromkeys(("NEWID", "RAND"), Function(0, 0, _call("random"))),
    **dict.fromkeys(("NOW", "GETDATE", "SYSDATETIME", "SYSDATE", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP"), _NOW),
    **dict.fromkeys(("CURDATE", "CURRENT_DATE"), _TODAY),
    "DATETIME": Function(1, 4, _moment),
    "DATE": Function(1, 4, _date),
    **{unit.upper(): Function(1, 1, _part(unit)) for unit in ("year", "month", "day", "hour", "minute", "second")},
    "DAYOFMONTH": Function(1, 1, _part("day")),
    "DATEPART": Function(2, 2, composed.datepart),
    "DATENAME": Function(2, 2, composed.datename),
    **dict.fromkeys(("DATE_PART", "EXTRACT"), Function(2, 2, _date_part)),
    **dict.fromkeys(("DATEADD", "TIMESTAMPADD"), Function(3, 3, _dateadd)),
    **dict.fromkeys(("DATE_ADD", "ADDDATE"), Function(2, 2, _date_add(1))),
    **dict.fromkeys(("DATE_SUB", "SUBDATE"), Function(2, 2, _date_add(-1))),
    "DATEDIFF": Function(2, 3, _datediff),
    "EOMONTH": Function(1, 2, composed.eomonth),
    "TO_DAYS": Function(1, 1, composed.to_days),
    "UNIX_TIMESTAMP": Function(0, 1, composed.unix_timestamp),
    "STRFTIME": Function(2, 5, _strftime),
    "DATE_FORMAT": Function(2, 2, _format(dates.MYSQL, 0, 1)),
    "TO_CHAR": Function(2, 2, _format(dates.TO_CHAR, 0, 1)),
    "FORMAT": Function(2, 2, _format(dates.DOT_NET, 0, 1)),
    # JSON
    **dict.fromkeys(("JSON_VALUE", "JSON_EXTRACT"), Function(2, 2, _json_value)),
    "JSON_UNQUOTE": Function(1, 1, _same),
    "->>": Function(2, 2, _json_arrow),
    # Aggregates
    **{name.upper(): Function(1, 1, _aggregate(name)) for name in ("count", "sum", "avg", "min", "max")},
    "COUNT_BIG": Function(1, 1, _aggregate("count")),
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
    if not function.least <= len(node.expressions) <= function.most:
        raise NotAllowed(f"The function {shown(name)} takes another number of arguments here: {_range(function)}.")
    return function.read(reading, node.expressions)


def _range(function: Function) -> str:
    if function.most == MANY:
        return f"{function.least} or more"
    return str(function.least) if function.least == function.most else f"{function.least} to {function.most}"
