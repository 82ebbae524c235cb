"""The start page at `/`: what runs here, whether it is well, and where to go."""

from contextlib import suppress

from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import get_script_prefix
from django.views.decorators.http import require_safe

from cms_api.operation.health.probes import State
from cms_api.operation.health.readiness import Verdict, verdict
from cms_api.start_page import documentation


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """The page. Strangers see whether the server is ready, and nothing of why not."""
    found = verdict()
    context = {
        "title": "",
        "is_ready": found.state is not State.FAILED,
        "has_explorer": settings.CMS_EXPLORER,
        "documentation": _documentation(found),
        "address": request.build_absolute_uri(f"{get_script_prefix()}api/v1"),
    }
    return render(request, "start_page/start.html", context)


def _documentation(found: Verdict) -> str:
    """`built`, `missing`, or `elsewhere` where a site has its address."""
    if not documentation.is_built():
        return "missing"
    # Without its database the service still has a start page; it may go away between the verdict and this question.
    with suppress(Error):
        if found.of("database") is State.OK and documentation.is_of_a_site():
            return "elsewhere"
    return "built"
