"""What surrounds every request: the API's own needs, and the back end's middleware kept out of them."""

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_plus

from django.contrib.auth import middleware as auth
from django.contrib.messages import middleware as messages
from django.contrib.sessions import middleware as sessions
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.middleware import csrf
from whitenoise import middleware as whitenoise

from cms_api.rest.errors import replace_page

API_PREFIX = "/api/"
_Handler = Callable[[HttpRequest], HttpResponse]


class ApiRequestMiddleware:
    """Prepares requests under /api/: one form of the path, and no key left in the query string.

    The key of a query (`apiKey`, any letter case) is moved to `request.query_keys` before anything
    else sees the request, so that no log, mail, link or error can hold it (design §6).
    """

    def __init__(self, get_response: _Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(API_PREFIX):
            self._take_key(request)
            if request.path_info.endswith("/"):
                request.path_info = request.path_info.rstrip("/")
                request.path = request.path.rstrip("/")
            return replace_page(self.get_response(request))
        return self.get_response(request)

    def _take_key(self, request: HttpRequest) -> None:
        query = request.META.get("QUERY_STRING", "")
        keys: list[str] = []
        if "key" in query.lower() or "%" in query:
            kept: list[str] = []
            for part in query.split("&"):
                name, _, value = part.partition("=")
                is_key = unquote_plus(name).strip().lower() == "apikey"
                (keys if is_key else kept).append(unquote_plus(value).strip() if is_key else part)
            if keys:
                self._replace_query(request, "&".join(kept))
        request.query_keys = keys  # type: ignore[attr-defined]

    def _replace_query(self, request: HttpRequest, query: str) -> None:
        request.META["QUERY_STRING"] = query
        # The server's own copies of the address, which error reports include.
        for name in ("RAW_URI", "REQUEST_URI"):
            if name in request.META:
                request.META[name] = request.META[name].partition("?")[0]


class _OutsideApi:
    """Passes requests under /api/ by: the API knows no sessions, no forms and no files."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(API_PREFIX):
            return self.get_response(request)  # type: ignore[attr-defined, no-any-return]
        return super().__call__(request)  # type: ignore[misc, no-any-return]


class SessionMiddleware(_OutsideApi, sessions.SessionMiddleware):
    """Django's sessions, for the back end."""


class CsrfViewMiddleware(_OutsideApi, csrf.CsrfViewMiddleware):
    """Django's protection of forms, for the back end; the API takes keys, never cookies."""

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponseForbidden | None:
        """Let the API through: view middleware runs whatever `__call__` did."""
        if request.path_info.startswith(API_PREFIX):
            return None
        return super().process_view(request, *view)


class AuthenticationMiddleware(_OutsideApi, auth.AuthenticationMiddleware):
    """Django's `request.user`, for the back end."""


class MessageMiddleware(_OutsideApi, messages.MessageMiddleware):
    """Django's one-time messages, for the back end."""


class WhiteNoiseMiddleware(_OutsideApi, whitenoise.WhiteNoiseMiddleware):
    """Static files of the back end."""
