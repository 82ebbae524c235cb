"""Deterministic functions that SQLite lacks. None raises for any value."""

import json
import math
import re
from calendar import monthrange
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TypeGuard

from sql_sandbox.compiling import kinds

_INTEGER, _NUMBER = re.compile(kinds.INTEGER_PATTERN), re.compile(kinds.NUMBER_PATTERN)
_DATE = re.compile(kinds.DATE_PATTERN)
_Value = str | int | float | None


def _is(text: _Value, pattern: re.Pattern[str]) -> TypeGuard[str]:
    return isinstance(text, str) and len(text) <= kinds.LONGEST_CAST and pattern.fullmatch(text) is not None


def _date(text: _Value) -> str | None:
    if not _is(text, _DATE):
        return None
    return f"{text[:10]} {text[11:19] or '00:00'}:00"[:19]


def _number_text(number: _Value) -> str | None:
    """Return the shortest text of a double in PostgreSQL's form: `3`, `0.1`, `1e+20`."""
    if not isinstance(number, int | float) or not math.isfinite(number):
        return None
    shortest = Decimal(repr(float(number))).normalize()
    exponent = shortest.adjusted()
    if -4 <= exponent < 15:
        return f"{shortest:f}"
    text = "".join(map(str, shortest.as_tuple().digits))
    mantissa = text[0] + ("." + text[1:] if text[1:] else "")
    return f"{'-' if number < 0 else ''}{mantissa}e{exponent:+03d}"


def _cased(change: Callable[[str], str]) -> Callable[[_Value], str | None]:
    """Return a change of case that maps one character to one, as in PostgreSQL."""

    def cased(text: _Value) -> str | None:
        if not isinstance(text, str):
            return None
        changed = change(text)
        if len(changed) == len(text):
            return changed
        return "".join(one if len(change(one)) != 1 else change(one) for one in text)

    return cased


def _substring(text: _Value, start: _Value, length: _Value) -> str | None:
    """Return a part of a text from a place counted from 1; places before the first character count, but are empty."""
    if not (isinstance(text, str) and isinstance(start, int) and isinstance(length, int)):
        return None
    return text[max(start - 1, 0) : max(start - 1 + length, 0)]


def _right(text: _Value, length: _Value) -> str | None:
    if not (isinstance(text, str) and isinstance(length, int)):
        return None
    return text[max(len(text) - length, 0) :] if length > 0 else ""


def _split_part(text: _Value, delimiter: str, place: int) -> str | None:
    if not isinstance(text, str):
        return None
    parts = text.split(delimiter, place) if place > 0 else text.rsplit(delimiter, -place)
    index = place - 1 if place > 0 else place
    return parts[index] if -len(parts) <= index < len(parts) else ""


def _round(number: _Value, power: _Value) -> float | None:
    """Round a double half away from zero; `power` is the power of ten to scale by."""
    if not (isinstance(number, int | float) and isinstance(power, int | float)):
        return None
    scaled = abs(number) * power + 0.5
    if not math.isfinite(scaled):
        return float(number)
    return math.copysign(math.floor(scaled) / power, number) if number else 0.0


def _whole(change: Callable[[float], int]) -> Callable[[_Value], float | None]:
    def whole(number: _Value) -> float | None:
        if not isinstance(number, int | float):
            return None
        return float(change(number)) if math.isfinite(number) else float(number)

    return whole


def _extreme(choose: Callable[[list[str]], str]) -> Callable[..., _Value]:
    def extreme(*values: str) -> _Value:
        present = [one for one in values if one is not None]
        return choose(present) if present else None

    return extreme


def _read(date: _Value) -> datetime | None:
    try:
        return datetime.fromisoformat(date) if isinstance(date, str) else None
    except ValueError:
        return None


def _add_months(moment: datetime, months: int) -> datetime:
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    _, last_day = monthrange(year, month + 1)
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last_day))


def _date_add(unit: str, number: _Value, date: _Value) -> str | None:
    moment = _read(date)
    if moment is None or not isinstance(number, int):
        return None
    try:
        if unit in ("year", "month"):
            return kinds.date_text(_add_months(moment, number * 12 if unit == "year" else number))
        return kinds.date_text(moment + timedelta(**{f"{unit}s": number}))
    except (ValueError, OverflowError):
        return None


def _date_diff(unit: str, start: _Value, end: _Value) -> int | None:
    """Return the number of boundaries of the unit between two dates."""
    first, last = _read(start), _read(end)
    return None if first is None or last is None else _place(unit, last) - _place(unit, first)


def _place(unit: str, moment: datetime) -> int:
    if unit in ("year", "month"):
        return moment.year if unit == "year" else moment.year * 12 + moment.month
    return (moment - datetime(1, 1, 1)) // timedelta(**{f"{unit}s": 1})


def _json_value(text: _Value, path: str) -> str | None:
    """Return a single value of a JSON text as text; `path` is a JSON list of names and places."""
    longest = kinds.LONGEST_JSON
    if not isinstance(text, str) or len(text) > longest or len(text.encode(errors="replace")) > longest:
        return None
    try:
        value = json.loads(text, parse_float=Decimal)
        for step in json.loads(path):
            value = value[step] if isinstance(value, dict) else value[int(step)] if isinstance(value, list) else None
    except (ValueError, ArithmeticError, LookupError, RecursionError):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}" if abs(value.adjusted()) < 400 else None
    return str(value) if isinstance(value, str | int) else None


# By name: number of arguments (-1: any) and function.
FUNCTIONS: dict[str, tuple[int, Callable[..., object]]] = {
    "cms_integer": (1, lambda text: int(text) if _is(text, _INTEGER) else None),
    "cms_number": (1, lambda text: float(text) if _is(text, _NUMBER) else None),
    "cms_number_text": (1, _number_text),
    "cms_date": (1, _date),
    "cms_upper": (1, _cased(str.upper)),
    "cms_lower": (1, _cased(str.lower)),
    "cms_substring": (3, _substring),
    "cms_right": (2, _right),
    "cms_split_part": (3, _split_part),
    "cms_round": (2, _round),
    "cms_floor": (1, _whole(math.floor)),
    "cms_ceiling": (1, _whole(math.ceil)),
    "cms_greatest": (-1, _extreme(max)),
    "cms_least": (-1, _extreme(min)),
    "cms_date_add": (3, _date_add),
    "cms_date_diff": (3, _date_diff),
    "cms_json_value": (2, _json_value),
}
