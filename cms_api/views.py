"""What no resource owns."""

from django.http import HttpResponse
from rest_framework.request import Request

from cms_api.rest.views import OpenView


class PingView(OpenView):
    """Availability: open, without a database."""

    def get(self, request: Request) -> HttpResponse:
        """The bare text `pong`."""
        return HttpResponse("pong", content_type="text/plain; charset=utf-8")
