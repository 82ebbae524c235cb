import re
from collections.abc import Callable
from typing import Any

from django.core.handlers.exception import convert_exception_to_response
from django.db import Error
from django.http import HttpRequest, HttpResponseBase
from django.middleware.security import SecurityMiddleware

from cms_api.rest.middleware import take_secrets
from pages.places import Place, place_among, read_sites, site_of_host
from pages.views import respond, respond_on_own_host
from sites.addresses import RESERVED

# Below a root site, the documentation and the start page stay the service's.
_OF_SERVICE = re.compile("/(?:docs|start)(?:/.*)?", re.DOTALL)


class PagesMiddleware:
    """Serves pages and files of sites that have templates, and everything on hosts of their own, without the rest.

    Such a response has no cookies and depends on none, so that caches may keep it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        views: list[Any] = [respond, respond_on_own_host]
        # Headers of every response, and the redirect to HTTPS.
        self._respond, self._respond_on_own_host = (
            convert_exception_to_response(SecurityMiddleware(view)) for view in views
        )

    def __call__(self, request: HttpRequest) -> Any:
        if site := site_of_host(request):
            request.pages_site = site  # type: ignore[attr-defined]
            view = self._respond_on_own_host
        elif place := _place(request):
            request.pages_place = place  # type: ignore[attr-defined]
            view = self._respond
        else:
            return self._get_response(request)
        take_secrets(request)
        return view(request)


def _place(request: HttpRequest) -> Place | None:
    path = request.path_info
    if path.strip("/").partition("/")[0].casefold() in RESERVED:
        return None
    try:
        sites = read_sites(path)
    except Error:  # the start page and the documentation need no database
        return None
    request.named_sites = [(site.pk, site.web_url) for site in sites]  # type: ignore[attr-defined]
    place = place_among(sites, path)
    return None if place and not place.folder and _OF_SERVICE.fullmatch(path) else place
