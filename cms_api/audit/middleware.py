"""The outermost middleware: every request has a number, and whatever it does is known to be done by its sender."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

from cms_api.lib.request_headers import REQUEST_ID, request_id_of

present_request: ContextVar[HttpRequest | None] = ContextVar("cms_api.audit.request", default=None)


class RequestMiddleware:
    """Gives each request its number, which the answer bears as X-Request-Id, and lends the request to its thread."""

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
    """Whatever is done in the block is done by who sent the request."""
    token = present_request.set(request)
    try:
        yield
    finally:
        # Threads are used again: what a later task of this one does must not seem to be this sender's.
        present_request.reset(token)
