"""Filters of GET lists: django-filter's, read as leniently as members of a body."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django_filters import Filter, FilterSet
from rest_framework.request import Request

from cms_api.rest.fields import invalid, read_boolean, read_date_time, read_text
from cms_api.rest.names import refuse_two_spellings, to_wire

RowT = TypeVar("RowT", bound=Model)
MAX_LENGTH = 255  # characters; no column that is searched holds more
_DATE_LENGTH = len("2026-11-20")
_LAST_MICROSECOND = 999_999


class _WireFilter(Filter):
    """A filter that reads what the client sent; `read` takes the text and the name that the client gave it."""

    def __init__(self, *arguments: str, read: Callable[[str, str], Any], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.read = read


class TextFilter(_WireFilter):
    """Chooses by a text, with a word of the queryset: `TextFilter("named")`."""

    def __init__(self, word: str, **options: Any) -> None:
        super().__init__(read=_read_text, **options)
        self._word = word

    def filter(self, qs: QuerySet[RowT], value: str) -> QuerySet[RowT]:
        chosen: QuerySet[RowT] = getattr(qs, self._word)(value)
        return chosen


class BooleanFilter(_WireFilter):
    """A column that is true or false."""

    def __init__(self, **options: Any) -> None:
        super().__init__(read=read_boolean, **options)


class FromFilter(_WireFilter):
    """The first moment of a column that counts."""

    def __init__(self, column: str, **options: Any) -> None:
        super().__init__(column, "gte", read=_read_moment, **options)


class ToFilter(_WireFilter):
    """The last moment of a column that counts; a date without a time lasts to the end of its day."""

    def __init__(self, column: str, **options: Any) -> None:
        super().__init__(column, "lte", read=_read_end, **options)


class WireFilterSet(FilterSet):
    """Filters with names in any letter case; an empty value counts as not sent, other names do not count.

    A view lists `SomeFilters.chosen(request, rows)`.
    """

    @classmethod
    def chosen(cls, request: Request, rows: QuerySet[RowT]) -> QuerySet[RowT]:
        """The rows that the query asks for.

        Raises InvalidInput for a value that cannot be read, and for one parameter in two spellings.
        """
        known = {to_wire(name).casefold(): name for name in cls.base_filters}
        sent = {name: text for name, text in request.query_params.items() if name.casefold() in known}
        refuse_two_spellings(sent)
        for name, text in sent.items():
            if text:
                # Not by django-filter's form, which costs a millisecond and leaves circles behind.
                chosen = cls.base_filters[known[name.casefold()]]
                rows = chosen.filter(rows, chosen.read(text, name))
        return rows


def _read_text(text: str, name: str) -> str:
    if "\0" in text:
        raise invalid(name, "a text without NUL characters")
    return read_text(text, name, MAX_LENGTH)


def _read_moment(text: str, name: str) -> datetime:
    # The ways to say "never" are dates before all others.
    return read_date_time(text, name) or datetime.min


def _read_end(text: str, name: str) -> datetime:
    moment = _read_moment(text, name).replace(microsecond=_LAST_MICROSECOND)
    is_date = len(text.strip()) == _DATE_LENGTH
    return moment.replace(hour=23, minute=59, second=59) if is_date else moment
