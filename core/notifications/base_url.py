from typing import Any

from django.conf import settings
from django.http import HttpRequest

from core.notifications.models import AdminAddress


def remember(request: HttpRequest, user: Any = None, **_options: Any) -> None:
    """Store the service's address in the browser of a superuser who signs in.

    E-mails to everyone link there, so others, who could send another Host, only set the first one.
    """
    if settings.CMS_ADMIN_URL or "SERVER_NAME" not in request.META:  # code may sign in without a request
        return
    found, before = request.build_absolute_uri("/").rstrip("/")[:500], stored()
    if found != before and (user.is_superuser or not before):
        AdminAddress.objects.update_or_create(pk=1, defaults={"base_url": found})


def absolute(path: str) -> str:
    """Return the path with the address of the service; empty if that is not known."""
    base = settings.CMS_ADMIN_URL.rstrip("/") or stored()
    return f"{base}{path}" if base else ""


def stored() -> str:
    return AdminAddress.objects.values_list("base_url", flat=True).first() or ""
