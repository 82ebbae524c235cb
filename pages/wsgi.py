"""Answers requests for kept pages before Django makes requests of them, which takes longer than all the rest."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from math import inf
from typing import Any, NamedTuple

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.wsgi import get_path_info
from django.db import Error, connection
from django.http import Http404, HttpRequest
from django.utils.functional import cached_property

from cms_api.lib.arrival import ARRIVED_AT
from cms_api.lib.request_headers import REQUEST_ID, request_id_of
from cms_api.rest.conditional import matches
from pages import page_cache
from pages.page_cache import KeptPage, Key
from pages.places import FoundSite, Version, Wanted, fetch_sites, find_place, shared_sites, wanted_by
from pages.views import inside_of, is_document
from sites.file_urls import SITES

_OK, _NOT_MODIFIED = 200, 304  # plain numbers: members of HTTPStatus cost a microsecond
_LINES = {status: f"{status} {HTTPStatus(status).phrase}" for status in (_OK, _NOT_MODIFIED)}
_METHODS = frozenset({"GET", "HEAD"})
_MAX_KNOWN = 5000  # addresses
_MAX_HOST = 300  # characters of a host with its port; the names of DNS have at most 253
Application = Callable[..., Iterable[bytes]]


class _Request(HttpRequest):
    """A request without query, form and cookies: Django's constructor takes as long as finding a page."""

    def __init__(self, environ: dict[str, Any]) -> None:
        self.META = environ

    @cached_property
    def path_info(self) -> str:  # type: ignore[override]
        return get_path_info(self.META)


class _Known(NamedTuple):
    """Where an address leads, as long as the statement for its sites returns the same."""

    wanted: Wanted
    sites: list[FoundSite]
    key: Key
    version: Version


class ShortPath:
    """Returns a page with the headers that the middleware gave it when it was last asked for; all else goes on.

    Host, scheme and numbers of the site are checked as in `pages.middleware` and `pages.views`.
    """

    def __init__(self, application: Application) -> None:
        self._application = application
        self._known: dict[tuple[str | None, str | None], _Known] = {}  # by host and path

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if not settings.PAGES_SHORT_PATH or not _may_be_kept(environ):
            return self._application(environ, start_response)
        request = _Request(environ)
        page = self._find(request)
        if page is None or (status := _status(environ, page)) not in page.headers:
            return self._application(environ, start_response)
        start_response(_LINES[status], [*page.headers[status], (REQUEST_ID, request_id_of(request))])
        return [page.content] if status == _OK and environ["REQUEST_METHOD"] == "GET" else []

    def _find(self, request: HttpRequest) -> KeptPage | None:
        environ = request.META
        address = environ.get("HTTP_HOST", environ.get("SERVER_NAME")), environ.get("PATH_INFO")
        if settings.SECURE_SSL_REDIRECT and not request.is_secure():
            return None
        try:
            if known := self._known.get(address):
                sites = shared_sites(known.wanted, environ.get(ARRIVED_AT, inf))
                if sites is None:
                    with _usable_connection():
                        sites = fetch_sites(known.wanted)
                if sites == known.sites:
                    return page_cache.find(known.key, known.version)
            with _usable_connection():
                known = _look_up(request)
        except (DisallowedHost, Http404, Error):  # refused or reported by the view
            return None
        if known is None or (page := page_cache.find(known.key, known.version)) is None:
            return None
        if len(request.get_host()) <= _MAX_HOST:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            self._known[address] = known
        return page


def _may_be_kept(environ: dict[str, Any]) -> bool:
    return (
        environ["REQUEST_METHOD"] in _METHODS
        and not environ.get("QUERY_STRING")
        and "HTTP_IF_MATCH" not in environ
        and is_document(environ.get("PATH_INFO", ""))
    )


@contextmanager
def _usable_connection() -> Iterator[None]:
    """Close a connection that is broken or too old, as Django does before and after a request."""
    connection.close_if_unusable_or_obsolete()
    try:
        yield
    finally:
        connection.close_if_unusable_or_obsolete()


def _look_up(request: HttpRequest) -> _Known | None:
    """Return where the request's host and path lead. Raises DisallowedHost, Http404 and database errors."""
    request.get_host()
    place = find_place(request)
    inside = inside_of(request.path_info, place) if place else ""
    if not place or not inside or (version := place.site.version) is None:
        return None
    key = Key(place.site.pk, inside, place.has_own_host)
    return _Known(wanted_by(request), request.META[SITES], key, version)


def _status(environ: dict[str, Any], page: KeptPage) -> int:
    known = environ.get("HTTP_IF_NONE_MATCH")
    return _NOT_MODIFIED if known and matches(known, page.etag) else _OK
