from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from core.operation.logs.current import current_request, members_of

# The server's access log reads the members under this name when the request is over (`server.loggers`).
MEMBERS = "core.operation.logs"


class LogMiddleware:
    """Used only if a setting turns on JSON lines, slow statements or error reports."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = current_request.set(request)
        try:
            return self.get_response(request)
        finally:
            current_request.reset(token)
            request.META[MEMBERS] = members_of(request)
