"""What is known of the present request, for whatever is written down while it is served."""

import re
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from django.http import HttpRequest

from cms_api.lib.client_address import client_address
from cms_api.lib.request_headers import sent_key
from cms_api.rest.names import to_wire

UNMATCHED = "none"  # static files, preflights, and what was refused before an address was looked for
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
present_request: ContextVar[HttpRequest | None] = ContextVar("cms_api.operation.logs.request", default=None)
# The part of a key that lists show; of anything else that was sent as a key nothing is told.
_PUBLIC_PART = re.compile(r"ssk1_([0-9A-Za-z]{8})_")


def route_of(request: HttpRequest) -> str:
    """`/api/v1/contents/{siteId}/{channelId}/{contentId}`, or the name of a view that many addresses lead to."""
    match = getattr(request, "resolver_match", None)
    return _template(match.route, match.view_name) if match is not None else UNMATCHED


def method_of(request: HttpRequest) -> str:
    """The verb, or `other` for a word that a client has made up."""
    method = request.method or ""
    return method if method in _METHODS else "other"


@lru_cache(maxsize=2000)  # more than there are routes
def _template(route: str, view_name: str) -> str:
    if "(?" in route:
        return view_name
    text = re.sub(r"\[(\w)\w\]", r"\1", route.replace("^", "").replace("$", ""))
    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda found: f"{{{to_wire(found[1])}}}", text)


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
