"""Answers requests for kept pages before Django makes requests of them, which takes longer than all the rest."""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.wsgi import get_path_info
from django.db import Error, connection
from django.http import Http404, HttpRequest

from cms_api.lib.request_headers import REQUEST_ID, request_id_of
from cms_api.rest.conditional import matches
from pages import page_cache
from pages.page_cache import KeptPage
from pages.places import find_place
from pages.views import inside_of, is_document

_METHODS = frozenset({"GET", "HEAD"})
Application = Callable[..., Iterable[bytes]]


class _Request(HttpRequest):
    """A request without query, form and cookies: Django's constructor takes as long as finding a page."""

    def __init__(self, environ: dict[str, Any]) -> None:
        self.META, self.path_info = environ, get_path_info(environ)


class ShortPath:
    """Returns a page with the headers that the middleware gave it when it was last asked for; all else goes on.

    Host, scheme and numbers of the site are checked as in `pages.middleware` and `pages.views`.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if not settings.PAGES_SHORT_PATH or not _may_be_kept(environ):
            return self._application(environ, start_response)
        request = _Request(environ)
        if (found := _find(request)) is None:
            return self._application(environ, start_response)
        page, status = found
        headers = page.headers[status]
        start_response(f"{status.value} {status.phrase}", [*headers, (REQUEST_ID, request_id_of(request))])
        return [page.content] if status is HTTPStatus.OK and environ["REQUEST_METHOD"] == "GET" else []


def _may_be_kept(environ: dict[str, Any]) -> bool:
    return (
        environ["REQUEST_METHOD"] in _METHODS
        and not environ.get("QUERY_STRING")
        and "HTTP_IF_MATCH" not in environ
        and is_document(environ.get("PATH_INFO", ""))
    )


def _find(request: HttpRequest) -> tuple[KeptPage, HTTPStatus] | None:
    """Return the page and the status of the response, if both are known."""
    connection.close_if_unusable_or_obsolete()  # as Django does before and after a request
    try:
        if settings.SECURE_SSL_REDIRECT and not request.is_secure():
            return None
        request.get_host()
        place = find_place(request)
        inside = inside_of(request.path_info, place) if place else ""
    except (DisallowedHost, Http404, Error):  # refused or reported by the view
        return None
    finally:
        connection.close_if_unusable_or_obsolete()
    if not place or not inside:
        return None
    page = page_cache.find(page_cache.Key(place.site.pk, inside, place.has_own_host), place.site.version)
    if page is None:
        return None
    known = request.META.get("HTTP_IF_NONE_MATCH")
    status = HTTPStatus.NOT_MODIFIED if known and matches(known, page.etag) else HTTPStatus.OK
    return (page, status) if status in page.headers else None
