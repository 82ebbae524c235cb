import re

from sqlglot import exp

from sql_sandbox import tree
from sql_sandbox.catalogue import ValueKind
from sql_sandbox.reading.rules import Reading
from sql_sandbox.refusals import NotAllowed, shown

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
MULTIPLES = {"quarter": ("month", 3), "week": ("day", 7)}

INTERVAL = re.compile(r"\s*([+-]?\d{1,9})\s+([A-Za-z]+)\s*", re.ASCII)
WHOLE = re.compile(r"\s*[+-]?\d{1,9}\s*", re.ASCII)

# Pattern pieces of each family of functions and their canonical form.
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
# Styles that read a text as a date, year first.
YEAR_FIRST = frozenset({20, 21, 23, 25, 102, 111, 112, 120, 121, 126, 127})


def unit_of(text: str) -> str:
    unit = UNITS.get(text.casefold())
    if unit is None:
        raise NotAllowed(f"{shown(text)} is not a supported date unit.")
    return unit


def unit_node(node: exp.Expr) -> str:
    is_word = isinstance(node, exp.Column) and not node.table
    if is_word or (isinstance(node, exp.Literal) and node.is_string):
        return unit_of(node.name)
    raise NotAllowed("A date unit must be a word, such as day.")


def add(unit: str, amount: tree.Expression, date: tree.Expression) -> tree.Call:
    unit, times = MULTIPLES.get(unit, (unit, 1))
    return tree.Call("date_add", (tree.Literal(unit), multiplied(amount, times), date))


def multiplied(amount: tree.Expression, times: int) -> tree.Expression:
    if times == 1:
        return amount
    if isinstance(amount, tree.Literal) and type(amount.value) is int:
        return tree.Literal(amount.value * times)
    return tree.Binary("*", amount, tree.Literal(times))


def add_interval(reading: Reading, date: tree.Expression, interval: exp.Interval, sign: int = 1) -> tree.Call:
    reading.count()
    written = interval.this.name if isinstance(interval.this, exp.Literal) else ""
    amount: tree.Expression
    if (word := interval.args.get("unit")) is None:
        amount, unit = _amount_and_unit(written)
    else:
        amount = tree.Literal(int(written)) if WHOLE.fullmatch(written) else reading.expression(interval.this)
        unit = unit_of(word.name)
    return add(unit, multiplied(amount, sign), date)


def _amount_and_unit(text: str) -> tuple[tree.Literal, str]:
    found = INTERVAL.fullmatch(text)
    if found is None:
        raise NotAllowed("An interval must be a whole number with one unit, such as '7 days'.")
    return tree.Literal(int(found[1])), unit_of(found[2])


def modified(date: tree.Expression, modifier: exp.Expr) -> tree.Expression:
    """Apply one of SQLite's modifiers to the date, such as '-7 days'; raise NotAllowed."""
    text = modifier.name.strip().casefold() if isinstance(modifier, exp.Literal) else ""
    if text in ("localtime", "utc"):
        return date
    if text == "start of day":
        return day_of(date)
    amount, unit = _amount_and_unit(text)
    return add(unit, amount, date)


def day_of(date: tree.Expression) -> tree.Expression:
    from_now = isinstance(date, tree.Call) and date.name == "now"
    return tree.Call("today") if from_now else tree.Cast(date, ValueKind.DATE, day_only=True)


def pattern_of(node: exp.Expr, pieces: dict[str, str]) -> tree.Literal:
    """Return the canonical pattern for the pieces of a dialect's; raise NotAllowed."""
    if not isinstance(node, exp.Literal) or not node.is_string or not 0 < len(node.name) <= MAX_PATTERN:
        raise NotAllowed("A date format must be a text literal.")
    with_percent = "%Y" in pieces
    found = re.split(r"(%.?)" if with_percent else f"({'|'.join(pieces)}|[A-Za-z\"'%])", node.name)
    for piece in found[1::2]:
        if piece not in pieces:
            raise NotAllowed(f"{shown(piece)} is not supported in date formats; use: {', '.join(pieces)}.")
    return tree.Literal("".join(pieces[text] if index % 2 else text for index, text in enumerate(found)))


def style_of(node: exp.Expr) -> int:
    style = int(node.name) if isinstance(node, exp.Literal) and node.name.isdecimal() and len(node.name) < 4 else -1
    if style not in STYLES:
        raise NotAllowed(f"The style {shown(node.name)} of CONVERT is not supported.")
    return style
