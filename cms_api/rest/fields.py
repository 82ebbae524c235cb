"""Fields that read what real clients send (design §4.5) and say in one sentence what is wrong."""

import re
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.urls.converters import IntConverter
from rest_framework import serializers

from cms_api.lib.errors import InvalidInput

INT64_MAX = 2**63 - 1
_DIGITS = re.compile(r"\s*[+-]?\d{1,19}\s*", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?", re.ASCII)
_BLANK_BEFORE_OFFSET = re.compile(r" (?=(Z|[+-]\d{2}:?\d{2})$)", re.ASCII)
# Dates before this one are the original's ways to say "never": 0001-01-01 and 1754-01-01.
_FIRST_YEAR = 1755


def invalid(name: str, expected: str) -> InvalidInput:
    """The refusal of a value: which member, and what is expected of it."""
    return InvalidInput("invalid_value", f"{name} must be {expected}.", member=name)


def read_integer(value: Any, name: str) -> int:
    """An integer of 64 bits, also as digit text."""
    is_digits = isinstance(value, str) and _DIGITS.fullmatch(value)
    if is_digits or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not -INT64_MAX - 1 <= value <= INT64_MAX:
        raise invalid(name, "an integer of at most 64 bits")
    return value


def read_boolean(value: Any, name: str) -> bool:
    """A boolean, also as the text True or False in any letter case."""
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.strip().lower())
    if not isinstance(value, bool):
        raise invalid(name, "true or false")
    return value


def read_text(value: Any, name: str, max_length: int | None = None) -> str:
    """A text within its length."""
    if not isinstance(value, str):
        raise invalid(name, "a text")
    if max_length is not None and len(value) > max_length:
        raise invalid(name, f"a text of at most {max_length} characters, and has {len(value)}")
    return value


def read_date_time(value: Any, name: str) -> datetime | None:
    """A wall-clock time of CMS_TIME_ZONE; None for the ways in which the original says "never"."""
    text = _BLANK_BEFORE_OFFSET.sub("", value.strip()) if isinstance(value, str) else ""
    try:
        if not _DATE.fullmatch(text):
            raise ValueError(text)
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            moment = moment.astimezone(ZoneInfo(settings.TIME_ZONE)).replace(tzinfo=None)
    except (ValueError, OverflowError) as error:
        raise invalid(name, "a date and time such as 2026-11-20 09:30:00") from error
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

    A field that reads not every text declares it for the OpenAPI document: `words` are all that it reads, in any
    letter case, and a component of the class's name lists them; `pattern` is what the whole text looks like.
    """

    words: tuple[str, ...] = ()
    pattern = ""

    def read(self, value: Any, name: str) -> str:
        return read_text(value, name, self.max_length)


class AddressField(TextField):
    """An address that ends up in links and pictures of pages: no scheme that runs code (design §10)."""

    _refused = re.compile(r"[\s\x00-\x20]*(javascript|data|vbscript)\s*:", re.IGNORECASE)

    def read(self, value: Any, name: str) -> str:
        text = super().read(value, name)
        # Browsers drop tabs and line ends inside a scheme before they act on it.
        if self._refused.match(re.sub(r"[\t\r\n]", "", text)):
            raise invalid(name, "an address without a javascript: or data: scheme")
        return text


class DateTimeField(serializers.DateTimeField):
    def read(self, value: Any, name: str) -> datetime | None:
        """The value; None for "never". Raises InvalidInput."""
        return read_date_time(value, name)


class IdConverter(IntConverter):
    """An id of at most 64 bits; a longer number is no address of anything."""

    regex = "-?[0-9]+"

    def to_python(self, value: str) -> int:
        number = int(value) if len(value) <= 20 else INT64_MAX + 1
        if abs(number) > INT64_MAX:
            raise ValueError(value)
        return number
