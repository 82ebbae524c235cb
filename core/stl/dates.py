"""`formatString`: dates in .NET's formats, with English names in any language of the server."""

import re
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings

from core.lib.errors import InvalidInput

MAX_FORMAT = 100  # characters
DATE = "yyyy-MM-dd"
DATE_TIME = "yyyy-MM-dd HH:mm:ss"
# SiteServer's dates for "never", 0001-01-01 and 1754-01-01, are before this year.
_FIRST_YEAR = 1755
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MONTHS = [
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
]
_LONG_DATE = "dddd, dd MMMM yyyy"
_SHORT_DATE = "MM/dd/yyyy"
_RFC_1123 = "ddd, dd MMM yyyy HH:mm:ss 'GMT'"
_ROUND_TRIP = "yyyy-MM-ddTHH:mm:ss.fffffff"
# Standard formats of one character, as custom formats.
_STANDARD = {
    "d": _SHORT_DATE,
    "D": _LONG_DATE,
    "f": f"{_LONG_DATE} HH:mm",
    "F": f"{_LONG_DATE} HH:mm:ss",
    "g": f"{_SHORT_DATE} HH:mm",
    "G": f"{_SHORT_DATE} HH:mm:ss",
    "m": "MMMM dd",
    "M": "MMMM dd",
    "o": _ROUND_TRIP,
    "O": _ROUND_TRIP,
    "r": _RFC_1123,
    "R": _RFC_1123,
    "s": "yyyy-MM-ddTHH:mm:ss",
    "t": "HH:mm",
    "T": "HH:mm:ss",
    "u": "yyyy-MM-dd HH:mm:ss'Z'",
    "y": "yyyy MMMM",
    "Y": "yyyy MMMM",
}
_PART = re.compile(
    r"""
      (?P<run>    ([dfFgHhMmstyzK])\2* )
    | %(?P<alone> [^%'"\\] )
    | '(?P<quoted> (?:[^'\\]|\\.)* )' | "(?P<double_quoted> (?:[^"\\]|\\.)* )"
    | \\(?P<escaped> . )
    | (?P<literal> [^%'"\\] )
    """,
    re.VERBOSE | re.DOTALL,
)
# A composite format: places of the date, doubled braces, other text.
_COMPOSITE = re.compile(r"\{0(?P<place>:(?P<format>[^{}]*))?\}|(?P<brace>\{\{|\}\})|(?P<text>[^{}]+)")


def format_date(moment: datetime | None, format_string: str, *, completed: bool) -> str:
    """Format a date; empty for "never". `completed` (channel, content) adds a missing `{0:…}`. Raises InvalidInput."""
    if len(format_string) > MAX_FORMAT:
        raise _bad_format(f"is longer than {MAX_FORMAT} characters")
    if completed and (format_string := format_string.strip()):
        start = "" if format_string.startswith("{0") else "{0:"
        end = "" if format_string.endswith("}") else "}"
        format_string = start + format_string + end
    if moment is None or moment.year < _FIRST_YEAR:
        return ""
    return _compose(moment, format_string) if "{0" in format_string else _format(moment, format_string or DATE)


def _compose(moment: datetime, composite: str) -> str:
    """Fill the places of a composite format such as `{0:yyyy}年`."""
    written, place = [], 0
    while place < len(composite):
        part = _COMPOSITE.match(composite, place)
        if part is None:
            raise _bad_format("has an unmatched brace")
        place = part.end()
        # A place without its own format uses .NET's general one.
        written.append(part["text"] or (part["brace"] or "")[:1] or _format(moment, part["format"] or "G"))
    return "".join(written)


def _format(moment: datetime, format_string: str) -> str:
    if len(format_string) == 1:
        if format_string not in _STANDARD:
            raise _bad_format(f"has no standard format {format_string}")
        format_string = _STANDARD[format_string]
    written, place = "", 0
    while place < len(format_string):
        part = _PART.match(format_string, place)
        if part is None:
            raise _bad_format("ends inside a quotation, or after a % or \\")
        place = part.end()
        run, quoted = part["run"] or part["alone"], part["quoted"] or part["double_quoted"]
        if run:
            write = _SPECIFIERS.get(run[0])
            piece = write(moment, len(run)) if write else run
        elif quoted:
            piece = re.sub(r"(?s)\\(.)", r"\1", quoted)
        else:
            piece = part["escaped"] or part["literal"] or ""
        # An optional fraction of zero removes the point before it.
        written = written.removesuffix(".") if part[0][0] == "F" and not piece else written + piece
    return written


def _padded(number: int, length: int) -> str:
    return str(number).zfill(min(length, 2))


def _named(number: int, name: str, length: int) -> str:
    if length < len("ddd"):
        return _padded(number, length)
    return name[:3] if length == len("ddd") else name


def _fraction(moment: datetime, length: int) -> str:
    digits = f"{moment.microsecond:06}0"
    if length > len(digits):
        raise _bad_format(f"has more than {len(digits)} digits for fractions of a second")
    return digits[:length]


def _offset(moment: datetime, length: int) -> str:
    offset = moment.replace(tzinfo=ZoneInfo(settings.TIME_ZONE)).utcoffset()
    minutes = int(offset.total_seconds()) // 60 if offset else 0
    sign, (hours, rest) = "-" if minutes < 0 else "+", divmod(abs(minutes), 60)
    return f"{sign}{_padded(hours, length)}" + (f":{rest:02}" if length > len("zz") else "")


# The letters of a custom format: each writes by the length of its run.
_SPECIFIERS: dict[str, Callable[[datetime, int], str]] = {
    "d": lambda moment, length: _named(moment.day, _DAYS[moment.weekday()], length),
    "f": _fraction,
    "F": lambda moment, length: _fraction(moment, length).rstrip("0"),
    "g": lambda moment, length: "A.D.",
    "H": lambda moment, length: _padded(moment.hour, length),
    "h": lambda moment, length: _padded(moment.hour % 12 or 12, length),
    "K": lambda moment, length: "",  # the kind of a wall-clock time is unknown
    "M": lambda moment, length: _named(moment.month, _MONTHS[moment.month - 1], length),
    "m": lambda moment, length: _padded(moment.minute, length),
    "s": lambda moment, length: _padded(moment.second, length),
    "t": lambda moment, length: ("AM", "PM")[moment.hour >= 12][:length],
    "y": lambda moment, length: _padded(moment.year % 100, length) if length <= 2 else str(moment.year).zfill(length),
    "z": _offset,
}


def _bad_format(what: str) -> InvalidInput:
    return InvalidInput("bad_format", f"The formatString {what}.", member="formatString")
