"""Responds with cached pages before Django creates request objects, which takes longer than all the rest."""

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
from django.utils.module_loading import import_string

from core.audit.middleware import REQUEST_ID, request_id_of
from core.lib.arrival import ARRIVED_AT
from core.rest.conditional import matches
from pages import page_cache
from pages.page_cache import KeptPage, Key
from pages.site_lookup import FoundSite, Version, Wanted, fetch_sites, find_place, shared_sites, wanted_by
from pages.views import inside_of, is_document, of_page
from sites.file_urls import SITES

_OK, _NOT_MODIFIED = 200, 304  # plain numbers: members of HTTPStatus cost a microsecond
_LINES = {status: f"{status} {HTTPStatus(status).phrase}" for status in (_OK, _NOT_MODIFIED)}
_METHODS = frozenset({"GET", "HEAD"})
_OF_SERVICE = ("/api/", "/admin/")  # hardly ever of a site
_MAX_KNOWN = 5000  # addresses
_MAX_HOST = 300  # characters of a host with its port; the names of DNS have at most 253
Application = Callable[..., Iterable[bytes]]


class _Request(HttpRequest):
    """A request without query, form and cookies: Django's constructor takes as long as finding a page."""

    def __init__(self, environ: dict[str, Any]) -> None:
        self.META, self.method = environ, environ["REQUEST_METHOD"]

    @cached_property
    def request_id(self) -> str:
        return request_id_of(self)

    @cached_property
    def path_info(self) -> str:  # type: ignore[override]
        return get_path_info(self.META)


class _Known(NamedTuple):
    """The page of an address, while the statement for its sites returns the same."""

    wanted: Wanted
    sites: list[FoundSite]
    key: Key
    version: Version


class _Response(NamedTuple):
    """A cached page, with the attributes that the middleware for metrics and logs needs in a response."""

    page: KeptPage
    status_code: int
    streaming: bool = False


class _NotKept(Exception):
    """Django must answer the request."""


class ShortPath:
    """Returns a page with the headers that the middleware last added to it; passes other requests on.

    Host, scheme and numbers of the site are checked as in `pages.middleware` and `pages.views`.
    """

    def __init__(self, application: Application) -> None:
        self._application = application
        self._known: dict[tuple[str | None, str | None], _Known] = {}  # by host and path
        self._answer: Callable[[_Request], _Response] = self._respond
        for path in reversed(settings.WATCHING_MIDDLEWARE):
            self._answer = import_string(path)(self._answer)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if not _may_be_kept(environ):
            return self._application(environ, start_response)
        request = _Request(environ)
        try:
            page, status, _ = self._answer(request)
        except _NotKept:
            return self._application(environ, start_response)
        start_response(_LINES[status], [*page.headers[status], (REQUEST_ID, request.request_id)])
        return [page.content] if status == _OK and environ["REQUEST_METHOD"] == "GET" else []

    def _respond(self, request: _Request) -> _Response:
        page = self._find(request)
        if page is None or (status := _status(request.META, page)) not in page.headers:
            raise _NotKept
        request.resolver_match = of_page()
        return _Response(page, status)

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
    path = environ.get("PATH_INFO", "")
    return (
        environ["REQUEST_METHOD"] in _METHODS
        and not environ.get("QUERY_STRING")
        and "HTTP_IF_MATCH" not in environ
        and not path.startswith(_OF_SERVICE)
        and is_document(path)
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
    """Return the page of the request's host and path. Raises DisallowedHost, Http404 and database errors."""
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
