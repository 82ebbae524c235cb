"""The query string of the list of files: filters, and a page by number or by cursor."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from hashlib import blake2b
from typing import Any

import orjson
from django.conf import settings
from django.db import connection
from django.db.models import Q
from django_filters import Filter
from rest_framework.request import Request

from core.lib.errors import InvalidInput
from core.lib.statement_limit import TooSlow, statement_limit
from core.rest.fields import INT64_MAX, invalid, read_boolean, read_integer
from core.rest.filters import FromFilter, ToFilter, WireFilterSet
from core.rest.names import raise_if_two_spellings, to_wire
from core.rest.pagination import DEFAULT_TOP, Window, page_members
from media_library.kinds import MediaKind
from media_library.models import MediaFile, MediaFileQuerySet

MAX_WORDS = 10  # of a search
_MAX_TEXT = 255  # characters of a search, or of a name
_MAX_OFFSET = 2**62
_DIGEST = 8  # bytes
_MAX_CURSOR = 200  # characters
Rows = MediaFileQuerySet


def _read_text(text: str, name: str) -> str:
    if "\0" in text or len(text) > _MAX_TEXT:
        raise invalid(name, f"a text of at most {_MAX_TEXT} characters without NUL characters")
    return text.strip()


class KindFilter(Filter):
    def read(self, text: str, name: str) -> str:
        if (kind := text.strip().casefold()) not in MediaKind.values:
            raise invalid(name, f"one of {', '.join(MediaKind.values)}")
        return kind

    def filter(self, qs: Rows, value: str) -> Rows:
        return qs.filter(kind=value)


class FolderFilter(Filter):
    read = staticmethod(read_integer)

    def filter(self, qs: Rows, value: int) -> Rows:
        return qs.filter(folder=value) if value else qs.filter(folder__isnull=True)


class WordsFilter(Filter):
    def read(self, text: str, name: str) -> list[str]:
        words = _read_text(text, name).split()
        if len(words) > MAX_WORDS:
            raise invalid(name, f"a text of at most {MAX_WORDS} words")
        return words

    def filter(self, qs: Rows, value: list[str]) -> Rows:
        return qs.with_words(value)


class WithoutAlternativeTextFilter(Filter):
    read = staticmethod(read_boolean)

    def filter(self, qs: Rows, value: bool) -> Rows:
        return qs.filter(kind=MediaKind.IMAGE, alternative_text="") if value else qs.exclude(alternative_text="")


class UploaderFilter(Filter):
    read = staticmethod(_read_text)

    def filter(self, qs: Rows, value: str) -> Rows:
        return qs.filter(uploader=value)


# `from` is no name in Python.
_Dates: Any = type("_Dates", (WireFilterSet,), {"from": FromFilter("created_at"), "to": ToFilter("created_at")})


class MediaFilters(_Dates):
    kind = KindFilter()
    folder = FolderFilter()
    text = WordsFilter()
    without_alternative_text = WithoutAlternativeTextFilter()
    uploader = UploaderFilter()


def read_page(request: Request, site_id: int) -> tuple[list[MediaFile], dict[str, Any]]:
    """Return the files of the page, newest first, and the further members of the response. Raises InvalidInput."""
    window, cursor = _window_of(request), _cursor_of(request)
    rows: Rows = MediaFilters.chosen(request, MediaFile.objects.listed().filter(site=site_id))
    rows = rows.order_by("-created_at", "-pk")
    try:
        with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
            if cursor is None:
                skip = min(window.skip, _MAX_OFFSET)
                return list(rows[skip : skip + window.top]), page_members(request, window, rows.count())
            digest = _digest(request, site_id)
            found = list(_after(rows, cursor, digest)[: window.top + 1])
    except TooSlow as error:
        message = f"The list takes longer than {settings.CMS_STATEMENT_SECONDS:g} seconds. Use fewer words, or filters."
        raise InvalidInput("query_too_slow", message) from error
    files = found[: window.top]
    return files, {"nextCursor": _write_cursor(files[-1], digest) if len(found) > window.top else None}


def _window_of(request: Request) -> Window:
    window = Window.of(request) or Window(DEFAULT_TOP, 0)
    if window.top > settings.CMS_MAX_PER_PAGE:
        message = f"top is {window.top}; at most {settings.CMS_MAX_PER_PAGE} files are listed at once."
        raise InvalidInput("page_too_large", message, member="top")
    return window


def _cursor_of(request: Request) -> str | None:
    sent = {name: str(text) for name, text in request.query_params.items() if name.casefold() in {"cursor", "skip"}}
    raise_if_two_spellings(sent)
    cursor = next((text for name, text in sent.items() if name.casefold() == "cursor"), None)
    if cursor is not None and len(sent) > 1:
        raise InvalidInput("invalid_cursor", "The request has both skip and cursor; send one of them.", member="cursor")
    return cursor


def _after(rows: Rows, cursor: str, digest: bytes) -> Rows:
    if not cursor:
        return rows
    moment, pk = _read_cursor(cursor, digest)
    # The bound of the first key lets the index be used.
    return rows.filter(Q(created_at__lt=moment) | Q(created_at=moment, pk__lt=pk), created_at__lte=moment)


def _write_cursor(file: MediaFile, digest: bytes) -> str:
    plain = orjson.dumps([file.created_at.isoformat(), file.pk])
    return urlsafe_b64encode(digest + plain).decode().rstrip("=")


def _read_cursor(text: str, digest: bytes) -> tuple[datetime, int]:
    try:
        if len(text) > _MAX_CURSOR or not text.isascii():
            raise ValueError(text)
        decoded = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        moment, pk = orjson.loads(decoded[_DIGEST:])
        if not isinstance(pk, int) or not 0 < pk <= INT64_MAX:
            raise ValueError(text)
        values = datetime.fromisoformat(moment), pk
        if values[0].tzinfo is not None:
            raise ValueError(text)
    except (ValueError, TypeError) as error:
        raise InvalidInput("invalid_cursor", "The cursor was not issued by the service.", member="cursor") from error
    if decoded[:_DIGEST] != digest:
        message = "The cursor belongs to another list: keep filters the same between pages."
        raise InvalidInput("invalid_cursor", message, member="cursor")
    return values


def _digest(request: Request, site_id: int) -> bytes:
    known = {to_wire(name).casefold() for name in MediaFilters.base_filters}
    sent = {name.casefold(): text for name, text in request.query_params.items() if text}
    chosen = sorted((name, str(text).strip()) for name, text in sent.items() if name in known)
    return blake2b(orjson.dumps([site_id, chosen]), digest_size=_DIGEST).digest()
