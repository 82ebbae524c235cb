"""What no resource owns."""

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from cms_api.rest.views import ApiView, OpenView
from cms_api.restarts.asking import ask_from_request


class PingView(OpenView):
    """Availability: open, without a database."""

    def get(self, request: Request) -> HttpResponse:
        """The bare text `pong`."""
        return HttpResponse("pong", content_type="text/plain; charset=utf-8")


class RestartView(ApiView):
    """The restart of the service, on every node."""

    required_scope = "System"

    def post(self, request: Request) -> Response:
        """Whether the restart will come; the answer is given before it begins."""
        return Response(ask_from_request())
