"""Reads a constant as the kind of value that it stands beside."""

import json
import re
from datetime import datetime

from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.compiling.bound import Constant

LARGEST = 2**63 - 1
SMALLEST = -(2**63)
LONGEST_CAST = 200  # bytes of a text that may be read as a number or date
LONGEST_JSON = 1024 * 1024  # bytes of a JSON text that is searched for a value

# One pattern for both engines and for Python: an ASCII whole number, a decimal, and a date that exists.
INTEGER_PATTERN = "^ *[-+]?[0-9]{1,18} *$"
NUMBER_PATTERN = r"^ *[-+]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][-+]?[0-9]{1,2})? *$"
_LEAP = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)"
DATE_PATTERN = (
    "^(?!0000)("
    "[0-9]{4}-(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|"
    "[0-9]{4}-(0[469]|11)-(0[1-9]|[12][0-9]|30)|"
    "[0-9]{4}-02-(0[1-9]|1[0-9]|2[0-8])|"
    f"{_LEAP}-02-29"
    r")([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?)?$"
)
_INTEGER = re.compile(r"\s*[-+]?[0-9]{1,30}\s*")
_NUMBER = re.compile(rf"(?:{NUMBER_PATTERN[1:-1]})")
_DATE = re.compile(
    r"\s*([0-9]{4})([-/.]?)([0-9]{1,2})\2([0-9]{1,2})"
    r"(?:[ T]([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\.[0-9]+)?)?)?Z?\s*"
)
_CONDITIONS = {"true": True, "1": True, "false": False, "0": False}


def date_text(moment: datetime) -> str:
    """A date and time as they are stored and answered."""
    return moment.replace(tzinfo=None).isoformat(sep=" ", timespec="seconds")


def number(value: int | float) -> Constant:
    """A number as it was written; a whole one beyond 64 bits is a double."""
    if isinstance(value, int) and SMALLEST <= value <= LARGEST:
        return Constant(int(value), Kind.INTEGER)
    return Constant(float(value), Kind.NUMBER)


def read(constant: Constant, kind: Kind) -> Constant | None:
    """The constant as this kind, or None where it cannot be read so. A number may be read as either kind of number."""
    if constant.value is None:
        return Constant(None, kind)
    if constant.kind is kind:
        return constant
    reader = _READERS.get(kind)
    return reader(constant) if reader else None


def _integer_or_number(constant: Constant) -> Constant | None:
    value = constant.value
    if isinstance(value, bool):
        return Constant(int(value), Kind.INTEGER)
    if isinstance(value, int | float):
        return number(value)
    if _INTEGER.fullmatch(str(value)):
        return number(int(str(value)))
    return Constant(float(str(value)), Kind.NUMBER) if _NUMBER.fullmatch(str(value)) else None


def _number(constant: Constant) -> Constant | None:
    read_as = _integer_or_number(constant)
    return Constant(float(read_as.value), Kind.NUMBER) if read_as and read_as.value is not None else None


def _date(constant: Constant) -> Constant | None:
    match = _DATE.fullmatch(constant.value) if isinstance(constant.value, str) else None
    if match is None or (not match[2] and len(match[3] + match[4]) != 4):
        return None
    year, month, day, hour, minute, second = (int(match[group] or 0) for group in (1, 3, 4, 5, 6, 7))
    try:
        moment = datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None
    return Constant(date_text(moment), Kind.DATE)


def _condition(constant: Constant) -> Constant | None:
    value = _CONDITIONS.get(str(constant.value).casefold())
    return None if value is None else Constant(value, Kind.BOOLEAN)


def _flag(constant: Constant) -> Constant | None:
    condition = _condition(constant)
    return condition and Constant(str(condition.value), Kind.FLAG)


def _json(constant: Constant) -> Constant | None:
    try:
        is_object = isinstance(json.loads(str(constant.value)), dict)
    except (ValueError, RecursionError):
        return None
    return Constant(constant.value, Kind.JSON) if is_object else None


def _text(constant: Constant) -> Constant | None:
    value = constant.value
    return None if isinstance(value, float) else Constant(str(value), Kind.TEXT)


_READERS = {
    Kind.INTEGER: _integer_or_number,
    Kind.NUMBER: _number,
    Kind.DATE: _date,
    Kind.BOOLEAN: _condition,
    Kind.FLAG: _flag,
    Kind.JSON: _json,
    Kind.TEXT: _text,
}
