"""Look-up of ModelAdmins by model, and their function views, which get the ModelAdmin first."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.apps import apps
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.admin.exceptions import NotRegistered
from django.contrib.admin.utils import unquote
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse


def page_of(
    site: AdminSite,
    request: HttpRequest,
    model: type[Model] | str,
) -> "ModelAdmin | None":  # type: ignore[type-arg]
    """Return the page of the model's records, None if the administrator may not see it.

    A label, "contents.Content", names a model of an app that the caller must not import.
    """
    try:
        page = site.get_model_admin(apps.get_model(model) if isinstance(model, str) else model)
    except NotRegistered:
        return None
    return page if page.has_module_permission(request) and page.has_view_permission(request) else None


def address_of(page: "ModelAdmin", name: str = "changelist", *arguments: object) -> str:  # type: ignore[type-arg]
    return reverse(f"admin:{page.opts.app_label}_{page.opts.model_name}_{name}", args=arguments)


def route(page: Any, place: str, name: str, view: Callable[..., HttpResponseBase]) -> URLPattern:
    """Return the URL pattern `<app>_<model>_<name>` of a view that gets the page before the request."""
    full_name = f"{page.opts.app_label}_{page.opts.model_name}_{name}"
    found: URLPattern = path(place, page.admin_site.admin_view(partial(view, page)), name=full_name)
    return found


def seen_record(page: Any, request: HttpRequest, pk: int | str) -> Any:
    """Return the record. Raises `Http404` also if the administrator may not see it, so as not to reveal it."""
    record = page.get_object(request, unquote(str(pk)))
    if record is None or not page.has_view_permission(request, record):
        raise Http404
    return record


def render_page(page: Any, request: HttpRequest, template: str, context: Mapping[str, Any]) -> TemplateResponse:
    shared = {**page.admin_site.each_context(request), "opts": page.opts}
    return TemplateResponse(request, template, shared | dict(context))
