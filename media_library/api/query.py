"""The query string of the list of files."""

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django_filters import Filter
from rest_framework.request import Request

from core.rest.fields import invalid, read_boolean, read_integer
from core.rest.filters import FromFilter, ToFilter, WireFilterSet
from core.rest.names import to_wire
from media_library.api.paging import Listing
from media_library.kinds import MediaKind
from media_library.models import MediaFile, MediaFileQuerySet
from media_library.searching import with_words

MAX_WORDS = 10  # of a search
_MAX_TEXT = 255  # characters of a search, or of a name
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
    def read(self, text: str, name: str) -> str:
        if len((words := _read_text(text, name)).split()) > MAX_WORDS:
            raise invalid(name, f"a text of at most {MAX_WORDS} words")
        return words

    def filter(self, qs: Rows, value: str) -> Rows:
        return with_words(qs, value)


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
    rows: Rows = MediaFilters.chosen(request, MediaFile.objects.listed().filter(site=site_id))
    identity = [site_id, _chosen(request)]
    return Listing(rows.order_by("-created_at", "-pk"), _key, _after, identity).read_page(request)


def _key(file: MediaFile) -> tuple[str, int]:
    return file.created_at.isoformat(), file.pk


def _after(rows: QuerySet[Any, MediaFile], text: str, pk: int) -> QuerySet[Any, MediaFile]:
    if (moment := datetime.fromisoformat(text)).tzinfo is not None:
        raise ValueError(text)
    # The bound of the first key lets the index be used.
    return rows.filter(Q(created_at__lt=moment) | Q(created_at=moment, pk__lt=pk), created_at__lte=moment)


def _chosen(request: Request) -> list[tuple[str, str]]:
    known = {to_wire(name).casefold() for name in MediaFilters.base_filters}
    sent = {name.casefold(): text for name, text in request.query_params.items() if text}
    return sorted((name, str(text).strip()) for name, text in sent.items() if name in known)
