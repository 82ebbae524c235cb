"""The start page at `/start/`, and the explorer at `/api/docs/`: Swagger UI for the OpenAPI document."""

from contextlib import suppress

from csp.decorators import csp_update
from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import get_script_prefix
from django.views.decorators.http import require_safe

from cms_api.start_page import documentation
from core import __version__
from core.operation.health import HealthState, Verdict, verdict
from core.rest.views import route_not_found
from sites.models import Site


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Show the service's state and links; without sign-in only whether it is ready, not why not."""
    found = verdict()
    context = {
        "title": "",
        "version": __version__,
        "is_ready": found.state is not HealthState.FAILED,
        "has_explorer": settings.CMS_EXPLORER,
        "website": _website(found),
        "documentation": _documentation(found),
        "address": request.build_absolute_uri(f"{get_script_prefix()}api/v1"),
    }
    return render(request, "start_page/start.html", context)


def _website(found: Verdict) -> str:
    """Return the address of the root site if it has pages."""
    with suppress(Error):
        if found.of("database") is HealthState.OK:
            site = Site.objects.filter(is_root=True, templates__isnull=False).first()
            return f"{site.web_url}/" if site else ""
    return ""


def _documentation(found: Verdict) -> str:
    if not documentation.is_built():
        return "missing"
    # The start page works without a database, which may fail after the verdict.
    with suppress(Error):
        if found.of("database") is HealthState.OK and documentation.is_of_a_site():
            return "elsewhere"
    return "built"


# Pictures in responses are shown from memory, at a blob: address.
@csp_update({"img-src": "blob:"})
@require_safe
def explorer(request: HttpRequest) -> HttpResponse:
    if not settings.CMS_EXPLORER:
        return route_not_found(request)
    return render(request, "start_page/explorer.html", {"title": "", "prefix": get_script_prefix()})
