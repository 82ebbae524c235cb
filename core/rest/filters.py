"""Filters of GET lists: django-filter's, as lenient as body members."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django_filters import Filter, FilterSet
from rest_framework.request import Request

from core.rest.fields import invalid, read_boolean, read_date_time, read_text
from core.rest.names import raise_if_two_spellings, to_wire

RowT = TypeVar("RowT", bound=Model)
MAX_LENGTH = 255  # characters; longer than any searched column


class _WireFilter(Filter):
    """A filter with its own reader, called with the text and the parameter's name as sent."""

    def __init__(self, *arguments: str, read: Callable[[str, str], Any], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.read = read


class TextFilter(_WireFilter):
    """Filters by a text with a method of the queryset: `TextFilter("named")`."""

    def __init__(self, word: str, **options: Any) -> None:
        super().__init__(read=_read_text, **options)
        self._word = word

    def filter(self, qs: QuerySet[RowT], value: str) -> Any:
        return getattr(qs, self._word)(value)


class BooleanFilter(_WireFilter):
    def __init__(self, **options: Any) -> None:
        super().__init__(read=read_boolean, **options)


class FromFilter(_WireFilter):
    def __init__(self, column: str, **options: Any) -> None:
        super().__init__(column, "gte", read=_read_moment, **options)


class ToFilter(_WireFilter):
    """Upper bound of a column; a date without a time includes the whole day."""

    def __init__(self, column: str, **options: Any) -> None:
        super().__init__(column, "lte", read=_read_end, **options)


class WireFilterSet(FilterSet):
    """Filters with names in any letter case; empty values and unknown names are ignored."""

    @classmethod
    def chosen(cls, request: Request, rows: QuerySet[RowT]) -> QuerySet[RowT]:
        """Raises `InvalidInput` for an unreadable value or one parameter in two spellings."""
        known = {to_wire(name).casefold(): name for name in cls.base_filters}
        sent = {name: text for name, text in request.query_params.items() if name.casefold() in known}
        raise_if_two_spellings(sent)
        for name, text in sent.items():
            if text:
                # Not django-filter's form, which costs a millisecond and leaves reference cycles behind.
                chosen = cls.base_filters[known[name.casefold()]]
                rows = chosen.filter(rows, chosen.read(text, name))
        return rows


def _read_text(text: str, name: str) -> str:
    if "\0" in text:
        raise invalid(name, "a text without NUL characters")
    return read_text(text, name, MAX_LENGTH)


def _read_moment(text: str, name: str) -> datetime:
    # "Never" is earlier than every date.
    return read_date_time(text, name) or datetime.min


def _read_end(text: str, name: str) -> datetime:
    moment = _read_moment(text, name).replace(microsecond=999_999)
    is_date = len(text.strip()) == len("2026-11-20")
    return moment.replace(hour=23, minute=59, second=59) if is_date else moment
