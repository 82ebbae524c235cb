"""The current request, its id and its key; the outermost middleware makes it the current one."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

from core.lib.client_address import came_through_proxy

REQUEST_ID = "X-Request-Id"
_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,64}")
current_request: ContextVar[HttpRequest | None] = ContextVar("core.audit.request", default=None)


class RequestMiddleware:
    """Gives each request its id, returned as X-Request-Id, and makes the request available to its thread."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        number = request.request_id = request_id_of(request)  # type: ignore[attr-defined]
        with serving(request):
            response = self.get_response(request)
        response.headers[REQUEST_ID] = number
        return response


@contextmanager
def serving(request: HttpRequest) -> Iterator[None]:
    token = current_request.set(request)
    try:
        yield
    finally:
        # Threads are reused: a later task must not be attributed to this sender.
        current_request.reset(token)


def sent_key(request: HttpRequest) -> str:
    """Return X-SS-API-KEY, else `Authorization: Bearer ssk1_…` (ignoring other tokens), else apiKey of the query."""
    if key := request.META.get("HTTP_X_SS_API_KEY", "").strip():
        return str(key)
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    if scheme.lower() == "bearer" and (token := token.strip()).startswith("ssk1_"):
        return str(token)
    return str(getattr(request, "query_secrets", {}).get("apikey", ""))


def request_id_of(request: HttpRequest) -> str:
    """Return the request's id for response and logs: from a trusted proxy, else new; a client could repeat one."""
    given = request.META.get("HTTP_X_REQUEST_ID")
    if given and _WELL_FORMED.fullmatch(given) and came_through_proxy(request):
        return str(given)
    return os.urandom(12).hex()  # random, not counted: workers are forked from one process
