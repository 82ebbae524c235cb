"""Units, intervals and patterns of dates, as every dialect writes them."""

import re

from sqlglot import exp

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.reading.rules import Reading
from cms_api.lib.sql_sandbox.refusals import NotAllowed
from cms_api.lib.sql_sandbox.wording import shown

MAX_PATTERN = 60

_SPELLINGS = {
    "year": "years yy yyyy",
    "quarter": "quarters qq q",
    "month": "months mm m mon mons",
    "week": "weeks wk ww",
    "day": "days dd d",
    "hour": "hours hh",
    "minute": "minutes mi n min mins",
    "second": "seconds ss s sec secs",
}
UNITS = {name: unit for unit, names in _SPELLINGS.items() for name in (unit, *names.split())}
# Units that are so many of another.
MULTIPLES = {"quarter": ("month", 3), "week": ("day", 7)}

INTERVAL = re.compile(r"\s*([+-]?\d{1,9})\s+([A-Za-z]+)\s*", re.ASCII)
WHOLE = re.compile(r"\s*[+-]?\d{1,9}\s*", re.ASCII)

# Pattern pieces of each family of functions, and what they are here; "" is not possible.
PERCENT = {"%Y": "%Y", "%m": "%m", "%d": "%d", "%H": "%H", "%T": "%H:%M:%S"}
STRFTIME = {**PERCENT, "%M": "%M", "%S": "%S", "%F": "%Y-%m-%d"}
MYSQL = {**PERCENT, "%i": "%M", "%s": "%S", "%S": "%S"}
TO_CHAR = {"YYYY": "%Y", "MM": "%m", "DD": "%d", "HH24": "%H", "MI": "%M", "SS": "%S"}
DOT_NET = {"yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}

_DAY, _TIME = "%Y-%m-%d", "%H:%M:%S"
STYLES = {
    **dict.fromkeys((20, 21, 25, 120, 121), f"{_DAY} {_TIME}"),
    **dict.fromkeys((126, 127), f"{_DAY}T{_TIME}"),
    **dict.fromkeys((8, 24, 108), _TIME),
    23: _DAY,
    101: "%m/%d/%Y",
    102: "%Y.%m.%d",
    103: "%d/%m/%Y",
    104: "%d.%m.%Y",
    105: "%d-%m-%Y",
    110: "%m-%d-%Y",
    111: "%Y/%m/%d",
    112: "%Y%m%d",
}
# Styles in which a text is read as a date whatever its style: year first.
YEAR_FIRST = frozenset({20, 21, 23, 25, 102, 111, 112, 120, 121, 126, 127})


def unit_of(text: str) -> str:
    """The unit that a name or an abbreviation means; raises NotAllowed."""
    unit = UNITS.get(text.casefold())
    if unit is None:
        raise NotAllowed(f"{shown(text)} is not a unit of dates here.")
    return unit


def unit_node(node: exp.Expr) -> str:
    """The unit that an argument names, as a word or a text; raises NotAllowed."""
    if isinstance(node, exp.Column) and not node.table:
        return unit_of(node.name)
    if isinstance(node, exp.Literal) and node.is_string:
        return unit_of(node.name)
    raise NotAllowed("A unit of dates is a word here, such as day.")


def add(unit: str, amount: tree.Expression, date: tree.Expression) -> tree.Call:
    unit, times = MULTIPLES.get(unit, (unit, 1))
    return tree.Call("date_add", (tree.Literal(unit), multiplied(amount, times), date))


def multiplied(amount: tree.Expression, times: int) -> tree.Expression:
    """An amount several times, worked out if it is a whole number."""
    if times == 1:
        return amount
    if isinstance(amount, tree.Literal) and type(amount.value) is int:
        return tree.Literal(amount.value * times)
    return tree.Binary("*", amount, tree.Literal(times))


def add_interval(reading: Reading, date: tree.Expression, interval: exp.Interval, sign: int = 1) -> tree.Call:
    """The date that lies an interval later, or earlier with the sign -1."""
    reading.count()
    amount, unit = _interval(reading, interval)
    return add(unit, multiplied(amount, sign), date)


def _interval(reading: Reading, node: exp.Interval) -> tuple[tree.Expression, str]:
    unit = node.args.get("unit")
    if unit is None:
        return _parts(node.this.name if isinstance(node.this, exp.Literal) else "")
    if isinstance(node.this, exp.Literal) and WHOLE.fullmatch(node.this.name):
        return tree.Literal(int(node.this.name)), unit_of(unit.name)
    return reading.expression(node.this), unit_of(unit.name)


def _parts(text: str) -> tuple[tree.Expression, str]:
    found = INTERVAL.fullmatch(text)
    if found is None:
        raise NotAllowed("An interval is a whole number with one unit here, such as '7 days'.")
    return tree.Literal(int(found[1])), unit_of(found[2])


def modified(date: tree.Expression, modifier: exp.Expr) -> tree.Expression:
    """The date with one of SQLite's modifiers, such as '-7 days'; raises NotAllowed."""
    text = modifier.name.strip().casefold() if isinstance(modifier, exp.Literal) else ""
    if text in ("localtime", "utc"):
        return date
    if text == "start of day":
        return day_of(date)
    amount, unit = _parts(text)
    return add(unit, amount, date)


def day_of(date: tree.Expression) -> tree.Expression:
    """The midnight at which the date's day begins."""
    from_now = isinstance(date, tree.Call) and date.name == "now"
    return tree.Call("today") if from_now else tree.Cast(date, Kind.DATE, day_only=True)


def pattern_of(node: exp.Expr, pieces: dict[str, str]) -> tree.Literal:
    """The canonical pattern for one of a dialect, given its pieces; raises NotAllowed."""
    if not isinstance(node, exp.Literal) or not node.is_string or not 0 < len(node.name) <= MAX_PATTERN:
        raise NotAllowed("A pattern of dates is a text in quotes here.")
    with_percent = "%Y" in pieces
    found = re.split(r"(%.?)" if with_percent else f"({'|'.join(pieces)}|[A-Za-z\"'%])", node.name)
    return tree.Literal("".join(_piece(text, pieces) if index % 2 else text for index, text in enumerate(found)))


def _piece(text: str, pieces: dict[str, str]) -> str:
    if text not in pieces:
        raise NotAllowed(f"{shown(text)} is not possible in a pattern of dates; these are: {', '.join(pieces)}.")
    return pieces[text]


def style_of(node: exp.Expr) -> int:
    """The number of a CONVERT's style; raises NotAllowed for one that is not known here."""
    style = int(node.name) if isinstance(node, exp.Literal) and node.name.isdecimal() and len(node.name) < 4 else -1
    if style not in STYLES:
        raise NotAllowed(f"The style {shown(node.name)} of CONVERT is not known here.")
    return style
