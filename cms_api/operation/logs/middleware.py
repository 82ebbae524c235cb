"""Lends each request to what is written down while it is served."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from cms_api.operation.logs.present import members_of, present_request

# Under this name the server's access log finds them when the request is over (`cms_api.operation.logs.server`).
MEMBERS = "cms_api.operation.logs"


class LogMiddleware:
    """In use only where a setting asks for JSON lines, slow statements or reports of errors."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = present_request.set(request)
        try:
            return self.get_response(request)
        finally:
            present_request.reset(token)
            request.META[MEMBERS] = members_of(request)
