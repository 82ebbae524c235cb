import sys
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.views import defaults
from rest_framework.request import Request

from core.rest.errors import database_refusal, plain_answer, status_of
from core.rest.middleware import API_PREFIX
from core.rest.views import OpenView


class PingView(OpenView):
    def get(self, request: Request) -> HttpResponse:
        return HttpResponse("pong", content_type="text/plain; charset=utf-8")


def _without_form(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Skip the CSRF token on an error page, since reading it would parse the form that may have caused the error."""

    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        request.csrf_processing_done = True  # type: ignore[attr-defined]
        return view(request, *args, **kwargs)

    return page


bad_request = _without_form(defaults.bad_request)


def _told(template: str, status: int) -> Callable[..., HttpResponse]:
    @_without_form
    def page(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
        context: dict[str, Any] = {}
        if request.path_info.startswith(reverse("admin:index")) and admin.site.has_permission(request):
            context = admin.site.each_context(request) | {"frame": "cms_admin/error_in_frame.html"}
        return HttpResponse(render_to_string(template, context, request), status=status)

    return page


permission_denied = _told("403.html", HTTPStatus.FORBIDDEN)
page_not_found = _told("404.html", HTTPStatus.NOT_FOUND)


@_without_form
def server_error(request: HttpRequest) -> HttpResponse:
    """Respond 503 to a fault of the database or disk and log one line; otherwise 500 as Django does."""
    refusal = database_refusal(sys.exc_info()[1], request)
    if refusal is None:
        return defaults.server_error(request)
    if request.path_info.startswith(API_PREFIX):
        answer = plain_answer(status_of(refusal), refusal.code, refusal.message)
    else:
        # The failure may have preceded the choice of language.
        with translation.override(translation.get_language_from_request(request)):
            page = render_to_string("503.html", {"code": refusal.code})
        answer = HttpResponse(page, status=status_of(refusal))
    if refusal.wait:
        answer.headers["Retry-After"] = str(refusal.wait)
    answer._has_been_logged = True  # type: ignore[attr-defined]
    return answer
