"""The page that shows the parts of which all pages of the admin are made, in their states: /admin/components/."""

from datetime import timedelta

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from core.admin.ranks import Rank, rank_of
from core.lib import clock

_STATES = ("approved", "waiting", "passed", "rejected", "draft")
_COLOURS = ("surface", "page", "accent-ink", "primary", "current-bg", "selected-bg", "hairline-color", "border-color")


def components_view(request: HttpRequest) -> HttpResponse:
    """For superusers. Raises Http404 for others."""
    if rank_of(request.user) is not Rank.HIGHEST:
        raise Http404
    now = clock.now()
    context = {
        "title": "Components",
        "states": _STATES,
        "colours": _COLOURS,
        "moments": [now, now - timedelta(hours=2), now + timedelta(days=3), now - timedelta(days=400)],
    }
    return TemplateResponse(request, "cms_admin/components.html", admin.site.each_context(request) | context)
