"""What is known of the present request, for whatever is written down while it is served."""

import re
from contextvars import ContextVar
from typing import Any

from django.http import HttpRequest

from cms_api.lib.client_address import client_address
from cms_api.lib.request_headers import sent_key
from cms_api.operation.logs.routes import UNMATCHED, method_of, route_of

present_request: ContextVar[HttpRequest | None] = ContextVar("cms_api.operation.logs.request", default=None)
# The part of a key that lists show; of anything else that was sent as a key nothing is told.
_PUBLIC_PART = re.compile(r"ssk1_([0-9A-Za-z]{8})_")


def present_members(told: Any = None) -> dict[str, Any]:
    """`members_of` the request that this thread serves, else of the one that was told; nothing without one."""
    request = present_request.get() or told
    return members_of(request) if isinstance(request, HttpRequest) else {}


def members_of(request: HttpRequest) -> dict[str, Any]:
    """request, method, route, address; key, keyName and administrator (a number) where they are known.

    Asks no database: whoever calls this may be telling that it does not answer.
    """
    members: dict[str, Any] = {
        "request": getattr(request, "request_id", ""),
        "method": method_of(request),
        "address": client_address(request),
    }
    if (route := route_of(request)) != UNMATCHED:
        members["route"] = route
    if key := _public_part(request):
        members["key"] = key
    if grant := getattr(request, "grant", None):
        members |= {"keyName": grant.key_name, "administrator": grant.administrator_id}
    # `request.user` itself would read the session.
    elif (user := getattr(request, "_cached_user", None)) is not None and user.pk:
        members["administrator"] = user.pk
    return members


def _public_part(request: HttpRequest) -> str:
    found = _PUBLIC_PART.match(sent_key(request))
    return found[1] if found else ""
