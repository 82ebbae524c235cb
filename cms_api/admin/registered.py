"""Pages of records, found by the names of their models: the frame imports no app."""

from django.apps import apps
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.admin.exceptions import NotRegistered
from django.http import HttpRequest
from django.urls import reverse


def page_of(site: AdminSite, request: HttpRequest, label: str) -> "ModelAdmin | None":  # type: ignore[type-arg]
    """The page of a model (`app_label.Model`), if there is one and the administrator may look at it."""
    model = apps.get_model(label)
    try:
        page = site.get_model_admin(model)
    except NotRegistered:
        return None
    return page if page.has_module_permission(request) and page.has_view_permission(request) else None


def address_of(page: "ModelAdmin", name: str = "changelist", *arguments: object) -> str:  # type: ignore[type-arg]
    """Where a page of records is: its list, or another of its views."""
    meta = page.opts
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{name}", args=arguments)
