"""The outermost middleware: every request has a number, and whatever it does is known to be done by its sender."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from cms_api.audit.actors import serving
from cms_api.rest.request_ids import HEADER, request_id_of


class RequestMiddleware:
    """Gives each request its number, which the answer bears as X-Request-Id, and lends the request to its thread."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        number = request.request_id = request_id_of(request)  # type: ignore[attr-defined]
        with serving(request):
            response = self.get_response(request)
        response.headers[HEADER] = number
        return response
