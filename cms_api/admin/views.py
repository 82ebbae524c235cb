"""Views of a page of records that are functions: each gets the ModelAdmin, which lists them in `get_urls`."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path


def route(page: Any, place: str, name: str, view: Callable[..., HttpResponse]) -> URLPattern:
    """The address `<app>_<model>_<name>` of a view, which gets the page before the request."""
    full_name = f"{page.opts.app_label}_{page.opts.model_name}_{name}"
    found: URLPattern = path(place, page.admin_site.admin_view(partial(view, page)), name=full_name)
    return found


def seen_record(page: Any, request: HttpRequest, pk: int | str) -> Any:
    """The record. Raises Http404 for whoever may not see it: they learn nothing of there being one."""
    record = page.get_object(request, unquote(str(pk)))
    if record is None or not page.has_view_permission(request, record):
        raise Http404
    return record


def render_page(page: Any, request: HttpRequest, template: str, context: Mapping[str, Any]) -> TemplateResponse:
    """The template in the frame, as one of the pages of these records."""
    shared = {**page.admin_site.each_context(request), "opts": page.opts}
    return TemplateResponse(request, template, shared | dict(context))
