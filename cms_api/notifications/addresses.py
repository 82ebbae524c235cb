from typing import Any

from django.conf import settings
from django.http import HttpRequest

from cms_api.notifications.models import AdminAddress


def remember(request: HttpRequest, **_options: Any) -> None:
    """Store the address by which the browser that signs in reaches the service."""
    if settings.CMS_ADMIN_URL or "SERVER_NAME" not in request.META:  # code may sign in without a request
        return
    found = request.build_absolute_uri("/").rstrip("/")[:500]
    if found != _stored():
        AdminAddress.objects.update_or_create(pk=1, defaults={"base_url": found})


def absolute(path: str) -> str:
    """Return the path with the address of the service; empty if that is not known."""
    base = settings.CMS_ADMIN_URL.rstrip("/") or _stored()
    return f"{base}{path}" if base else ""


def _stored() -> str:
    return AdminAddress.objects.values_list("base_url", flat=True).first() or ""
