"""Functions that are put together from others: they mean the same on every database, and cost what those cost."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from sqlglot import exp

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.reading import dates
from cms_api.lib.sql_sandbox.reading.predicates import like_pieces
from cms_api.lib.sql_sandbox.reading.rules import Reading
from cms_api.lib.sql_sandbox.refusals import NotAllowed

MAX_DELIMITER = 100
MAX_PARTS = 20

_SUNDAY = tree.Literal("0001-01-07")
_FIRST_DAY = tree.Literal("0001-01-01")
_FIRST_DAY_IN_MYSQL = 366
_EPOCH = tree.Literal("1970-01-01")
_NAME = 9  # letters of the longest name
_MONTHS = "January February March April May June July August September October November December"
_WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday"
_WEEKDAY_WORDS = frozenset({"weekday", "dw", "w"})

Arguments = list[exp.Expr]
Reader = Callable[[Reading, Arguments], tree.Expression]


def counted(read: Reader) -> Reader:
    """The reader, with each part of what it makes counted: an argument may stand in it many times."""

    def counting(reading: Reading, arguments: Arguments) -> tree.Expression:
        made = read(reading, arguments)
        waiting: list[Any] = [made]
        while waiting:
            part = waiting.pop()
            if isinstance(part, tuple):
                waiting += part
            elif is_dataclass(part):
                reading.count()
                waiting += (getattr(part, each.name) for each in fields(part))
        return made

    return counting


def _call(name: str, *arguments: tree.Expression | str | int) -> tree.Call:
    return tree.Call(name, tuple(tree.Literal(one) if isinstance(one, str | int) else one for one in arguments))


def _plus(left: tree.Expression, number: int) -> tree.Expression:
    return tree.Binary("+", left, tree.Literal(number)) if number else left


# ---- Texts


def concat_ws(separator: tree.Expression, *texts: tree.Expression) -> tree.Expression:
    """The texts that are not NULL with a separator between them; NULL if that is NULL."""
    pieces = (_call("coalesce", tree.Binary("||", separator, text), "") for text in texts)
    return _call("substring", _call("concat", *pieces), _plus(_call("length", separator), 1))


def stuff(
    text: tree.Expression, start: tree.Expression, length: tree.Expression, new: tree.Expression
) -> tree.Expression:
    """The text with another one in the place of some of its characters; NULL where there is no such place."""
    outside = tree.Binary(
        "or", tree.Binary("<", start, tree.Literal(1)), tree.Binary(">", start, _call("length", text))
    )
    outside = tree.Binary("or", outside, tree.Binary("<", length, tree.Literal(0)))
    before, behind = _call("left", text, _plus(start, -1)), _call("substring", text, tree.Binary("+", start, length))
    changed = tree.Binary("||", tree.Binary("||", before, _call("coalesce", new, "")), behind)
    return tree.Case(((outside, tree.Literal(None)),), changed)


def find_in_set(wanted: tree.Expression, listed: tree.Expression) -> tree.Expression:
    """The place of a text in a list with commas; 0 if it is not there."""
    begun = tree.Binary("||", tree.Literal(","), listed)
    place = _call("position", _between_commas(wanted), tree.Binary("||", begun, tree.Literal(",")))
    start = _call("left", begun, place)
    commas = tree.Binary("-", _call("length", start), _call("length", _call("replace", start, ",", "")))
    no_entry = tree.Binary(">", _call("position", ",", wanted), tree.Literal(0))
    nothing = tree.Binary("=", listed, tree.Literal(""))
    return tree.Case(
        ((tree.IsNull(listed), tree.Literal(None)), (no_entry, tree.Literal(0)), (nothing, tree.Literal(0))), commas
    )


def _between_commas(text: tree.Expression) -> tree.Expression:
    if isinstance(text, tree.Literal) and isinstance(text.value, str):
        return tree.Literal(f",{text.value},")
    return tree.Binary("||", tree.Binary("||", tree.Literal(","), text), tree.Literal(","))


def substring_index(text: tree.Expression, delimiter: tree.Expression, count: tree.Expression) -> tree.Expression:
    """The text up to the n-th delimiter, or behind the n-th from its end."""
    between = delimiter.value if isinstance(delimiter, tree.Literal) else None
    if not isinstance(between, str) or not 0 < len(between) <= MAX_DELIMITER:
        raise NotAllowed(
            f"The delimiter of SUBSTRING_INDEX is a text of 1 to {MAX_DELIMITER} characters in quotes here."
        )
    number = count.value if isinstance(count, tree.Literal) else None
    if not isinstance(number, int) or isinstance(number, bool) or abs(number) > MAX_PARTS:
        raise NotAllowed(f"The number of SUBSTRING_INDEX is a whole number from -{MAX_PARTS} to {MAX_PARTS} here.")
    if not number:
        return _call("left", text, 0)
    length: tree.Expression = tree.Literal((abs(number) - 1) * len(between))
    for place in range(1, abs(number) + 1):
        part = _call("split_part", text, between, place if number > 0 else -place)
        length = tree.Binary("+", length, _call("length", part))
    return _call("left" if number > 0 else "right", text, length)


def patindex(reading: Reading, arguments: Arguments) -> tree.Expression:
    """The place where a pattern begins in a text; the pattern is a text with % before or behind it."""
    pattern = arguments[0].name if isinstance(arguments[0], exp.Literal) and arguments[0].is_string else ""
    pieces = like_pieces(pattern, "")
    texts = [piece for piece in pieces if isinstance(piece, str)]
    if len(texts) != 1 or True in pieces:
        raise NotAllowed(
            "The pattern of PATINDEX is a text in quotes with % before or behind it here, such as '%pier%'."
        )
    text, wanted = reading.expression(arguments[1]), tree.Literal(texts[0])
    if pieces[0] is None and pieces[-1] is None:
        return _call("position", wanted, text)
    at_end = _plus(_call("length", text), 1 - len(texts[0]))
    found, place = text, tree.Literal(1)
    if pieces[-1] is None:
        found = _call("left", text, len(texts[0]))
    elif pieces[0] is None:
        found, place = _call("right", text, len(texts[0])), at_end  # type: ignore[assignment]
    same, other = tree.Binary("=", found, wanted), tree.Binary("<>", found, wanted)
    return tree.Case(((same, place), (other, tree.Literal(0))))


# ---- Dates


def datepart(reading: Reading, arguments: Arguments) -> tree.Expression:
    """A part of a date as SQL Server counts it: weeks from that of the first of January, weekdays from Sunday."""
    return _datepart(_part_name(arguments[0]), reading.expression(arguments[1]))


def datename(reading: Reading, arguments: Arguments) -> tree.Expression:
    """The same as a text; months and weekdays have their English names."""
    name, date = _part_name(arguments[0]), reading.expression(arguments[1])
    if name == "month":
        return _name_at(_MONTHS, _plus(_datepart(name, date), -1))
    if name == "weekday":
        return _name_at(_WEEKDAYS, _weekday(date))
    return tree.Cast(_datepart(name, date), Kind.TEXT)


def part_of(unit: str, date: tree.Expression) -> tree.Expression:
    """A part of a date that every dialect counts alike. Raises NotAllowed for the number of a week."""
    if unit == "quarter":
        month = _call("date_part", "month", date)
        return tree.Binary("/", tree.Binary("+", month, tree.Literal(2)), tree.Literal(3))
    if unit == "week":
        raise NotAllowed("Each dialect counts weeks in another way; DATEPART(week, …) is possible here.")
    return _call("date_part", unit, date)


def weeks_until(date: tree.Expression) -> tree.Expression:
    """The Sundays since one long ago; T-SQL's weeks begin on Sundays, whatever the country."""
    return tree.Binary("/", _days_until(date), tree.Literal(7))


def _days_until(date: tree.Expression) -> tree.Expression:
    """The days since the Sunday before the first day of all, so that none is negative."""
    return _plus(_call("date_diff", "day", _SUNDAY, date), 7)


def _weekday(date: tree.Expression) -> tree.Expression:
    return tree.Binary("%", _days_until(date), tree.Literal(7))


def _part_name(node: exp.Expr) -> str:
    is_word = isinstance(node, exp.Column) and not node.table
    return "weekday" if is_word and node.name.casefold() in _WEEKDAY_WORDS else dates.unit_node(node)


def _datepart(name: str, date: tree.Expression) -> tree.Expression:
    if name == "weekday":
        return _plus(_weekday(date), 1)
    if name == "week":
        new_year = tree.Cast(_call("format_date", date, "%Y-01-01"), Kind.DATE)
        return _plus(tree.Binary("-", weeks_until(date), weeks_until(new_year)), 1)
    return part_of(name, date)


def _name_at(names: str, place: tree.Expression) -> tree.Expression:
    """One of the names, counted from 0."""
    padded = "".join(name.ljust(_NAME) for name in names.split())
    start = _plus(tree.Binary("*", place, tree.Literal(_NAME)), 1)
    return _call("rtrim", _call("substring", padded, start, _NAME))


def eomonth(date: tree.Expression, *later: tree.Expression) -> tree.Expression:
    """The midnight at which the last day of the month begins, or of one some months later."""
    january = tree.Cast(_call("format_date", date, "%Y-01-31"), Kind.DATE)
    months = _plus(_call("date_part", "month", date), -1)
    return _call("date_add", "month", tree.Binary("+", months, later[0]) if later else months, january)


def to_days(date: tree.Expression) -> tree.Expression:
    """The days since the year 0, as MySQL counts them."""
    return _plus(_call("date_diff", "day", _FIRST_DAY, date), _FIRST_DAY_IN_MYSQL)


def unix_timestamp(*date: tree.Expression) -> tree.Expression:
    """The seconds that the clock has gone since it showed 1970."""
    return _call("date_diff", "second", _EPOCH, *(date or (_call("now"),)))
