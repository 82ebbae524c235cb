"""Fields that accept the spellings real clients send and report errors in one sentence."""

import re
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.urls.converters import IntConverter
from rest_framework import serializers

from core.lib.errors import InvalidInput

INT64_MAX = 2**63 - 1
_DIGITS = re.compile(r"\s*[+-]?\d{1,19}\s*", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?", re.ASCII)
_BLANK_BEFORE_OFFSET = re.compile(r" (?=(Z|[+-]\d{2}:?\d{2})$)", re.ASCII)
# SiteServer's spellings of "never" are earlier: 0001-01-01 and 1754-01-01.
_FIRST_YEAR = 1755


def invalid(name: str, expected: str) -> InvalidInput:
    return InvalidInput("invalid_value", f"{name} must be {expected}.", member=name)


def read_integer(value: Any, name: str) -> int:
    """Read a 64-bit integer, also as digits in a text."""
    is_digits = isinstance(value, str) and _DIGITS.fullmatch(value)
    if is_digits or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not -INT64_MAX - 1 <= value <= INT64_MAX:
        raise invalid(name, "an integer of at most 64 bits")
    return value


def read_boolean(value: Any, name: str) -> bool:
    """Read a boolean, also as the text True or False in any letter case."""
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.strip().lower())
    if not isinstance(value, bool):
        raise invalid(name, "true or false")
    return value


def read_text(value: Any, name: str, max_length: int | None = None) -> str:
    if not isinstance(value, str):
        raise invalid(name, "a text")
    if max_length is not None and len(value) > max_length:
        raise invalid(name, f"a text of at most {max_length} characters, and has {len(value)}")
    return value


def read_date_time(value: Any, name: str) -> datetime | None:
    """Return a wall-clock time of CMS_TIME_ZONE; None for SiteServer's spellings of "never"."""
    text = _BLANK_BEFORE_OFFSET.sub("", value.strip()) if isinstance(value, str) else ""
    try:
        if not _DATE.fullmatch(text):
            raise ValueError(text)
        # East of Greenwich, browsers turn the first day of year 1 into the last of year 0, which Python lacks.
        moment = datetime.fromisoformat("0001" + text[4:] if text.startswith("0000") else text)
    except ValueError as error:
        raise invalid(name, "a date and time such as 2026-11-20 09:30:00") from error
    # Only then converted: in some time zones the first and last days of the calendar have no equivalent.
    if moment.tzinfo is not None and moment.year >= _FIRST_YEAR:
        try:
            moment = moment.astimezone(ZoneInfo(settings.TIME_ZONE)).replace(tzinfo=None)
        except OverflowError:
            moment = datetime.max
    return moment.replace(microsecond=0) if moment.year >= _FIRST_YEAR else None


class IntegerField(serializers.IntegerField):
    def read(self, value: Any, name: str) -> int:
        number = read_integer(value, name)
        if self.min_value is not None and number < self.min_value:
            raise invalid(name, f"at least {self.min_value}")
        if self.max_value is not None and number > self.max_value:
            raise invalid(name, f"at most {self.max_value}")
        return number


class BooleanField(serializers.BooleanField):
    def read(self, value: Any, name: str) -> bool:
        return read_boolean(value, name)


class TextField(serializers.CharField):
    """A text, never null and never trimmed.

    For the OpenAPI document, `words` lists all accepted texts (a component of the class's name), `pattern` matches the
    whole text.
    """

    words: tuple[str, ...] = ()
    pattern = ""

    def read(self, value: Any, name: str) -> str:
        return read_text(value, name, self.max_length)


class AddressField(TextField):
    """An address used in links and pictures of pages; schemes that run code are refused."""

    _refused = re.compile(r"[\s\x00-\x20]*(javascript|data|vbscript)\s*:", re.IGNORECASE)

    def read(self, value: Any, name: str) -> str:
        text = super().read(value, name)
        # Browsers drop tabs and line ends inside a scheme.
        if self._refused.match(re.sub(r"[\t\r\n]", "", text)):
            raise invalid(name, "a URL without a javascript: or data: scheme")
        return text


class DateTimeField(serializers.DateTimeField):
    def read(self, value: Any, name: str) -> datetime | None:
        return read_date_time(value, name)


class IdConverter(IntConverter):
    """An id of at most 64 bits; longer numbers do not match."""

    regex = "-?[0-9]+"

    def to_python(self, value: str) -> int:
        number = int(value) if len(value) <= 20 else INT64_MAX + 1
        if abs(number) > INT64_MAX:
            raise ValueError(value)
        return number
