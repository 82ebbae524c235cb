"""A form whose token is no longer valid, since its sender has signed in again after opening the page."""

import re
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

_TOKEN = "csrfmiddlewaretoken"  # noqa: S105 - the name of a field
# Entered again instead of written into the page.
SECRET = re.compile(r"password|secret|^again$|^code$")
_SHOWN = 300  # characters of a value


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Offer to send the form again, with everything that it would send in sight, if it comes from our own pages."""
    if request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate":
        told = _("You have signed in again since this page was opened. Reload the page and try again.")
        return JsonResponse({"message": told}, status=HTTPStatus.FORBIDDEN)
    context: dict[str, Any] = {}
    if request.path_info.startswith("/admin/") and admin.site.has_permission(request):
        context = admin.site.each_context(request) | {"frame": "cms_admin/error_in_frame.html"}
        if _is_own(request):
            context |= {"again": _fields(request), "secrets": sorted(filter(SECRET.search, request.POST))}
    return HttpResponse(render_to_string("403_csrf.html", context, request), status=HTTPStatus.FORBIDDEN)


def _is_own(request: HttpRequest) -> bool:
    """Return true for a form of the admin. Another site, or a page of a site, could only lure into sending its own."""
    here = f"{request.scheme}://{request.get_host()}"
    page = urlsplit(request.headers.get("Referer", ""))
    is_ours = f"{page.scheme}://{page.netloc}" == here and page.path.startswith("/admin/")
    is_same = (
        request.headers.get("Origin") == here and request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    )
    return is_ours and is_same and _TOKEN in request.POST and not request.FILES


def _fields(request: HttpRequest) -> list[tuple[str, str, str]]:
    """Return name, value and its beginning."""
    return [
        (name, value, value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…")
        for name, values in request.POST.lists()
        if name != _TOKEN and not SECRET.search(name)
        for value in values
    ]
