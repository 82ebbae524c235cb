"""Functions composed of others: they mean the same on every database, and cost as much as their parts."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from sqlglot import exp

from sql_sandbox import tree
from sql_sandbox.catalogue import ValueKind
from sql_sandbox.reading import dates
from sql_sandbox.reading.predicates import like_pieces
from sql_sandbox.reading.rules import Reading
from sql_sandbox.refusals import NotAllowed
from sql_sandbox.tree import Expression

MAX_DELIMITER = 100
MAX_PARTS = 20

_MONTHS = "January February March April May June July August September October November December"
_WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday"

Arguments = list[exp.Expr]
Reader = Callable[[Reading, Arguments], Expression]


def counted(read: Reader) -> Reader:
    """Return a reader that counts each part of the composed expression, which may repeat an argument."""

    def counting(reading: Reading, arguments: Arguments) -> Expression:
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


_Part = Expression | str | int | None


def _part(value: _Part) -> Expression:
    return tree.Literal(value) if value is None or isinstance(value, str | int) else value


def _call(name: str, *arguments: _Part) -> tree.Call:
    return tree.Call(name, tuple(map(_part, arguments)))


def _binary(operator: tree.Operator, left: _Part, right: _Part) -> tree.Binary:
    return tree.Binary(operator, _part(left), _part(right))


def _case(*branches: tuple[Expression, _Part], otherwise: Expression | None = None) -> tree.Case:
    return tree.Case(tuple((condition, _part(value)) for condition, value in branches), otherwise)


def _plus(left: Expression, number: int) -> Expression:
    return _binary("+", left, number) if number else left


def concat_ws(separator: Expression, *texts: Expression) -> Expression:
    """Join the texts that are not NULL with a separator; NULL if the separator is NULL."""
    pieces = (_call("coalesce", _binary("||", separator, text), "") for text in texts)
    return _call("substring", _call("concat", *pieces), _plus(_call("length", separator), 1))


def stuff(text: Expression, start: Expression, length: Expression, new: Expression) -> Expression:
    """Replace some characters of a text by another text; NULL if there is no such place."""
    outside = _binary("or", _binary("<", start, 1), _binary(">", start, _call("length", text)))
    outside = _binary("or", outside, _binary("<", length, 0))
    before, behind = _call("left", text, _plus(start, -1)), _call("substring", text, _binary("+", start, length))
    changed = _binary("||", _binary("||", before, _call("coalesce", new, "")), behind)
    return _case((outside, None), otherwise=changed)


def find_in_set(wanted: Expression, listed: Expression) -> Expression:
    begun = _binary("||", ",", listed)
    if isinstance(wanted, tree.Literal) and isinstance(wanted.value, str):
        entry: Expression = tree.Literal(f",{wanted.value},")
    else:
        entry = _binary("||", _binary("||", ",", wanted), ",")
    place = _call("position", entry, _binary("||", begun, ","))
    start = _call("left", begun, place)
    commas = _binary("-", _call("length", start), _call("length", _call("replace", start, ",", "")))
    no_entry, nothing = _binary(">", _call("position", ",", wanted), 0), _binary("=", listed, "")
    return _case((tree.IsNull(listed), None), (no_entry, 0), (nothing, 0), otherwise=commas)


def substring_index(text: Expression, delimiter: Expression, count: Expression) -> Expression:
    between = delimiter.value if isinstance(delimiter, tree.Literal) else None
    if not isinstance(between, str) or not 0 < len(between) <= MAX_DELIMITER:
        raise NotAllowed(f"The delimiter of SUBSTRING_INDEX must be a text literal of 1 to {MAX_DELIMITER} characters.")
    number = count.value if isinstance(count, tree.Literal) else None
    if not isinstance(number, int) or isinstance(number, bool) or abs(number) > MAX_PARTS:
        raise NotAllowed(f"The count of SUBSTRING_INDEX must be an integer literal from -{MAX_PARTS} to {MAX_PARTS}.")
    if not number:
        return _call("left", text, 0)
    length: Expression = tree.Literal((abs(number) - 1) * len(between))
    for place in range(1, abs(number) + 1):
        part = _call("split_part", text, between, place if number > 0 else -place)
        length = _binary("+", length, _call("length", part))
    return _call("left" if number > 0 else "right", text, length)


def patindex(reading: Reading, arguments: Arguments) -> Expression:
    """Return the place of a pattern in a text; the pattern is a text with % before or behind it."""
    pattern = arguments[0].name if isinstance(arguments[0], exp.Literal) and arguments[0].is_string else ""
    pieces = like_pieces(pattern, "")
    texts = [piece for piece in pieces if isinstance(piece, str)]
    if len(texts) != 1 or True in pieces:
        raise NotAllowed("The pattern of PATINDEX must be a text literal with % before or after it, such as '%pier%'.")
    text, wanted = reading.expression(arguments[1]), tree.Literal(texts[0])
    if pieces[0] is None and pieces[-1] is None:
        return _call("position", wanted, text)
    found, place = text, _part(1)
    if pieces[-1] is None:
        found = _call("left", text, len(texts[0]))
    elif pieces[0] is None:
        found, place = _call("right", text, len(texts[0])), _plus(_call("length", text), 1 - len(texts[0]))
    return _case((_binary("=", found, wanted), place), (_binary("<>", found, wanted), 0))


def datepart(reading: Reading, arguments: Arguments) -> Expression:
    """Return a date part as SQL Server counts: week 1 contains January 1, weekdays begin on Sunday."""
    return _datepart(_part_name(arguments[0]), reading.expression(arguments[1]))


def datename(reading: Reading, arguments: Arguments) -> Expression:
    """Return the part as a text; months and weekdays by their English names."""
    name, date = _part_name(arguments[0]), reading.expression(arguments[1])
    if name == "month":
        return _name_at(_MONTHS, _plus(_datepart(name, date), -1))
    if name == "weekday":
        return _name_at(_WEEKDAYS, _weekday(date))
    return tree.Cast(_datepart(name, date), ValueKind.TEXT)


def part_of(unit: str, date: Expression) -> Expression:
    """Return a date part that all dialects count alike; raise NotAllowed for week numbers."""
    if unit == "quarter":
        return _binary("/", _binary("+", _call("date_part", "month", date), 2), 3)
    if unit == "week":
        raise NotAllowed("SQL dialects count weeks differently; use DATEPART(week, …).")
    return _call("date_part", unit, date)


def weeks_until(date: Expression) -> Expression:
    """Count the Sundays since a fixed one; T-SQL weeks start on Sunday, regardless of locale."""
    return _binary("/", _days_until(date), 7)


def _days_until(date: Expression) -> Expression:
    # From the Sunday before the first date, so that the result is never negative.
    return _plus(_call("date_diff", "day", "0001-01-07", date), 7)


def _weekday(date: Expression) -> Expression:
    return _binary("%", _days_until(date), 7)


def _part_name(node: exp.Expr) -> str:
    is_word = isinstance(node, exp.Column) and not node.table
    return "weekday" if is_word and node.name.casefold() in ("weekday", "dw", "w") else dates.unit_node(node)


def _datepart(name: str, date: Expression) -> Expression:
    if name == "weekday":
        return _plus(_weekday(date), 1)
    if name == "week":
        new_year = tree.Cast(_call("format_date", date, "%Y-01-01"), ValueKind.DATE)
        return _plus(_binary("-", weeks_until(date), weeks_until(new_year)), 1)
    return part_of(name, date)


def _name_at(names: str, place: Expression) -> Expression:
    width = 9  # letters of the longest name
    padded = "".join(name.ljust(width) for name in names.split())
    start = _plus(_binary("*", place, width), 1)
    return _call("rtrim", _call("substring", padded, start, width))


def eomonth(date: Expression, *later: Expression) -> Expression:
    """Return the last day of the month, or of one some months later, at midnight."""
    january = tree.Cast(_call("format_date", date, "%Y-01-31"), ValueKind.DATE)
    months = _plus(_call("date_part", "month", date), -1)
    return _call("date_add", "month", _binary("+", months, later[0]) if later else months, january)


def to_days(date: Expression) -> Expression:
    return _plus(_call("date_diff", "day", "0001-01-01", date), 366)


def unix_timestamp(*date: Expression) -> Expression:
    """Return the wall-clock seconds since 1970."""
    return _call("date_diff", "second", "1970-01-01", *(date or (_call("now"),)))
