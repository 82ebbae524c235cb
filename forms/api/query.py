"""The entries of a form that the query of a request asks for, in pages."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Q, QuerySet
from django_filters import Filter
from rest_framework.request import Request

from core.lib.errors import InvalidInput
from core.lib.statement_limit import TooSlow, statement_limit
from core.rest.fields import invalid, read_boolean, read_integer
from core.rest.filters import MAX_LENGTH, FromFilter, ToFilter, WireFilterSet
from core.rest.names import raise_if_two_spellings
from forms.entry_search import with_words
from forms.models import Entry, Form

MAX_WORDS = 10  # of a search
PAGE_SIZE = 30  # entries, by default
_MAX_OFFSET = 2**62
Rows = QuerySet[Entry]


class WordFilter(Filter):
    def read(self, text: str, name: str) -> list[str]:
        words = text.split()
        if "\0" in text or len(text) > MAX_LENGTH or len(words) > MAX_WORDS:
            raise invalid(name, f"a text of at most {MAX_WORDS} words and {MAX_LENGTH} characters")
        return words

    def filter(self, qs: Rows, value: list[str]) -> Rows:
        return with_words(qs, value)


class NumberFilter(Filter):
    """Filters by a number; 0 counts as not sent, as in SiteServer."""

    read = staticmethod(read_integer)

    def filter(self, qs: Rows, value: int) -> Rows:
        return qs.filter(**{self.field_name: value}) if value else qs


class StateFilter(Filter):
    def read(self, text: str, name: str) -> str:
        if (state := text.strip().casefold()) not in Entry.State.values:
            raise invalid(name, f"one of {', '.join(Entry.State.values)}")
        return state

    def filter(self, qs: Rows, value: str) -> Rows:
        return qs.filter(state=value)


class GuidFilter(Filter):
    def read(self, text: str, name: str) -> UUID:
        try:
            return UUID(text.strip())
        except ValueError as error:
            raise invalid(name, "the guid of an entry") from error

    def filter(self, qs: Rows, value: UUID) -> Rows:
        return qs.filter(token=value)


class RepliedFilter(Filter):
    read = staticmethod(read_boolean)

    def filter(self, qs: Rows, value: bool) -> Rows:
        return qs.exclude(reply="") if value else qs.filter(reply="")


class EntryFilters(WireFilterSet):
    channel_id = NumberFilter("channel_id")
    content_id = NumberFilter("content_id")
    state = StateFilter()
    guid = GuidFilter()
    is_replied = RepliedFilter()
    since = FromFilter("created_at")
    until = ToFilter("created_at")
    word = WordFilter()  # last: it searches the newest of what the others leave


def read_page(request: Request, form: Form) -> tuple[list[Entry], int, int]:
    """Return the entries of the page, newest first, the number of all, and that of a page. Raises InvalidInput.

    Spam is left out unless its state is asked for.
    """
    page, size = _window(request)
    has_state = any(name.casefold() == "state" and text for name, text in request.query_params.items())
    rows = form.entries.filter(Q() if has_state else ~Q(state=Entry.State.SPAM))
    rows = EntryFilters.chosen(request, rows)
    start = min((page - 1) * size, _MAX_OFFSET)
    try:
        with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
            total = rows.count()
            return list(rows.order_by("-created_at", "-pk")[start : start + size]), total, size
    except TooSlow as error:
        message = f"The list takes longer than {settings.CMS_STATEMENT_SECONDS:g} seconds. Use fewer words, or filters."
        raise InvalidInput("query_too_slow", message) from error


def _window(request: Request) -> tuple[int, int]:
    """Return the number of the page, from 1, and the entries on it."""
    sent: dict[str, Any] = {
        name: text for name, text in request.query_params.items() if name.casefold() in {"page", "perpage"}
    }
    raise_if_two_spellings(sent)
    asked = {name.casefold(): read_integer(text, name) for name, text in sent.items() if text}
    size = asked.get("perpage", 0)
    if size > settings.CMS_MAX_PER_PAGE:
        message = f"perPage is {size}; at most {settings.CMS_MAX_PER_PAGE} entries are listed at once."
        raise InvalidInput("page_too_large", message, member="perPage")
    return max(asked.get("page", 1), 1), size if size > 0 else PAGE_SIZE
