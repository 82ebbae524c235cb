from collections.abc import Callable
from typing import Any

from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponseBase
from django.middleware.security import SecurityMiddleware

from core.lib import schema
from core.rest.middleware import site_of_host
from pages.site_lookup import find_place
from pages.views import respond


class PagesMiddleware:
    """Serves pages and files of sites that have templates, and everything on hosts of their own, without the rest.

    Such a response has no cookies and depends on none, so that caches may keep it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        view: Any = respond
        # Headers of every response, and the redirect to HTTPS.
        self._respond: Any = convert_exception_to_response(SecurityMiddleware(view))

    def __call__(self, request: HttpRequest) -> Any:
        if not (site_of_host(request) or find_place(request)):
            if schema.problem and request.method == "POST":
                schema.raise_if_incomplete()
            return self._get_response(request)
        response = self._respond(request)
        if page := getattr(request, "kept_page", None):
            page.headers[response.status_code] = list(response.items())
        return response
