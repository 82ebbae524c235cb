"""What SQLite lacks, as deterministic functions for its connection. None of them raises for any value."""

import json
import math
import re
from calendar import monthrange
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TypeGuard

from cms_api.lib.sql_sandbox.compiling.literals import (
    DATE_PATTERN,
    INTEGER_PATTERN,
    LONGEST_CAST,
    LONGEST_JSON,
    NUMBER_PATTERN,
    date_text,
)

_INTEGER, _NUMBER, _DATE = (re.compile(one) for one in (INTEGER_PATTERN, NUMBER_PATTERN, DATE_PATTERN))
_Value = str | int | float | None

# ---- Conversions


def _is(text: _Value, pattern: re.Pattern[str]) -> TypeGuard[str]:
    return isinstance(text, str) and len(text) <= LONGEST_CAST and pattern.fullmatch(text) is not None


def _integer(text: _Value) -> int | None:
    return int(text) if _is(text, _INTEGER) else None


def _number(text: _Value) -> float | None:
    return float(text) if _is(text, _NUMBER) else None


def _date(text: _Value) -> str | None:
    if not _is(text, _DATE):
        return None
    return f"{text[:10]} {text[11:19] or '00:00'}:00"[:19]


def _number_text(number: _Value) -> str | None:
    """The shortest text of a double, in PostgreSQL's form: `3`, `0.1`, `1e+20`."""
    if not isinstance(number, int | float) or not math.isfinite(number):
        return None
    shortest = Decimal(repr(float(number))).normalize()
    exponent = shortest.adjusted()
    if -4 <= exponent < 15:
        return f"{shortest:f}"
    text = "".join(map(str, shortest.as_tuple().digits))
    mantissa = text[0] + ("." + text[1:] if text[1:] else "")
    return f"{'-' if number < 0 else ''}{mantissa}e{exponent:+03d}"


# ---- Texts


def _cased(change: Callable[[str], str]) -> Callable[[_Value], str | None]:
    """Changes letter case one character to one, as PostgreSQL does."""

    def cased(text: _Value) -> str | None:
        if not isinstance(text, str):
            return None
        changed = change(text)
        if len(changed) == len(text):
            return changed
        return "".join(one if len(change(one)) != 1 else change(one) for one in text)

    return cased


def _substring(text: _Value, start: _Value, length: _Value) -> str | None:
    """What lies between two places counted from 1; places before the first character count, but are empty."""
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


# ---- Numbers


def _round(number: _Value, power: _Value) -> float | None:
    """A double rounded half away from zero, at the power of ten given."""
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
    """The greatest or least of values of one kind, NULL left out."""

    def extreme(*values: str) -> _Value:
        present = [one for one in values if one is not None]
        return choose(present) if present else None

    return extreme


# ---- Dates


def _read(date: _Value) -> datetime | None:
    try:
        return datetime.fromisoformat(date) if isinstance(date, str) else None
    except ValueError:
        return None


def _add_months(moment: datetime, months: int) -> datetime:
    """The same day some months on, or the month's last one."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    _, last_day = monthrange(year, month + 1)
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last_day))


_STEPS: dict[str, Callable[[datetime, int], datetime]] = {
    "year": lambda moment, number: _add_months(moment, number * 12),
    "month": _add_months,
    "day": lambda moment, number: moment + timedelta(days=number),
    "hour": lambda moment, number: moment + timedelta(hours=number),
    "minute": lambda moment, number: moment + timedelta(minutes=number),
    "second": lambda moment, number: moment + timedelta(seconds=number),
}
_EPOCH = datetime(1, 1, 1)
_PLACES: dict[str, Callable[[datetime], int]] = {
    "year": lambda moment: moment.year,
    "month": lambda moment: moment.year * 12 + moment.month,
    "day": lambda moment: (moment - _EPOCH).days,
    "hour": lambda moment: (moment - _EPOCH) // timedelta(hours=1),
    "minute": lambda moment: (moment - _EPOCH) // timedelta(minutes=1),
    "second": lambda moment: (moment - _EPOCH) // timedelta(seconds=1),
}


def _date_add(unit: str, number: _Value, date: _Value) -> str | None:
    moment = _read(date)
    if moment is None or not isinstance(number, int):
        return None
    try:
        return date_text(_STEPS[unit](moment, number))
    except (ValueError, OverflowError):
        return None


def _date_diff(unit: str, start: _Value, end: _Value) -> int | None:
    """How many boundaries of the unit lie between two dates."""
    first, last = _read(start), _read(end)
    return None if first is None or last is None else _PLACES[unit](last) - _PLACES[unit](first)


# ---- JSON


def _json_value(text: _Value, path: str) -> str | None:
    """The text of a single value inside a JSON text; `path` is a JSON list of names and places."""
    try:
        value = json.loads(text, parse_float=Decimal) if _is_short_json(text) else None
        for step in json.loads(path):
            value = value[step] if isinstance(value, dict) else value[int(step)] if isinstance(value, list) else None
    except (ValueError, ArithmeticError, LookupError, RecursionError):
        return None
    return _json_text(value)


def _is_short_json(text: _Value) -> TypeGuard[str]:
    return isinstance(text, str) and len(text) <= LONGEST_JSON and len(text.encode(errors="replace")) <= LONGEST_JSON


def _json_text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}" if abs(value.adjusted()) < 400 else None
    return str(value) if isinstance(value, str | int) else None


# By name, how many arguments (-1: any number) and the function.
FUNCTIONS: dict[str, tuple[int, Callable[..., object]]] = {
    "cms_integer": (1, _integer),
    "cms_number": (1, _number),
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
