"""The explorer at `/api/docs/`: Swagger UI over the API's own document, on a page of ours."""

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import get_script_prefix
from django.views.decorators.http import require_safe

from cms_api.rest.unknown_paths import route_not_found


# A picture that a call has answered is shown from the memory of the page, which has a blob: address.
@csp_update({"img-src": "blob:"})
@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """The page; where CMS_EXPLORER switches it off, the API's answer to a path that leads nowhere."""
    if not settings.CMS_EXPLORER:
        return route_not_found(request)
    return render(request, "start_page/explorer.html", {"title": "", "prefix": get_script_prefix()})
