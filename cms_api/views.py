"""What no resource owns."""

import sys
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.views import defaults
from rest_framework.request import Request
from rest_framework.response import Response

from cms_api.rest.errors import database_refusal, plain_answer
from cms_api.rest.middleware import API_PREFIX
from cms_api.rest.views import ApiView, OpenView
from cms_api.restarts.asking import is_possible, record_order


class PingView(OpenView):
    """Availability: open, without a database."""

    def get(self, request: Request) -> HttpResponse:
        """The bare text `pong`."""
        return HttpResponse("pong", content_type="text/plain; charset=utf-8")


class RestartView(ApiView):
    """The restart of the service, on every node."""

    required_scope = "System"
    stores_by_itself = True  # an order, and no answer that nothing was ordered: that may be otherwise the next time

    def post(self, request: Request) -> Any:
        """Whether the restart will come; the answer is given before it begins."""
        return self.store(self._order) if is_possible() else Response(False)

    @staticmethod
    def _order() -> Response:
        record_order()
        return Response(True)


def server_error(request: HttpRequest) -> HttpResponse:
    """The answer to what went wrong outside of the API's views, among the pages for instance.

    503 where the database is away, busy or full, with one line in the log; else 500, as Django has it.
    """
    refusal = database_refusal(sys.exc_info()[1], request)
    if refusal is None:
        return defaults.server_error(request)
    if request.path_info.startswith(API_PREFIX):
        answer = plain_answer(refusal.status_code, refusal.code, refusal.message)
    else:
        answer = HttpResponse(_page(request, refusal.code), status=refusal.status_code)
    if refusal.wait:
        answer.headers["Retry-After"] = str(refusal.wait)
    answer._has_been_logged = True  # type: ignore[attr-defined]
    return answer


def _page(request: HttpRequest, code: str) -> str:
    # Whatever failed may have done so before the language of the page was chosen.
    with translation.override(translation.get_language_from_request(request)):
        return render_to_string("503.html", {"code": code})
