"""Outermost middleware: gives each request an id and makes its sender the current actor."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

from core.lib.request_headers import REQUEST_ID, request_id_of

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
