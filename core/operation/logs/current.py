import re
import socket
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from django.http import HttpRequest

from core.audit.middleware import sent_key
from core.lib.client_address import client_address
from core.rest.names import to_wire

UNMATCHED = "none"  # static files, preflights and requests refused before routing
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
current_request: ContextVar[HttpRequest | None] = ContextVar("core.operation.logs.request", default=None)
# The part of a key that lists show; no other part of a sent key is logged.
_PUBLIC_PART = re.compile(r"ssk1_([0-9A-Za-z]{8})_")
_name = ""


def node_name() -> str:
    """Return this server's name among several; the host name before `set_node_name`."""
    return _name or socket.gethostname()


def set_node_name(name: str) -> None:
    """Set the name for this process and the processes it forks; an empty name changes nothing."""
    global _name
    _name = name or _name


def route_of(request: HttpRequest) -> str:
    """Return `/api/v1/contents/{siteId}/{channelId}/{contentId}`, or the view's name for a regular expression."""
    match = getattr(request, "resolver_match", None)
    return _template(match.route, match.view_name) if match is not None else UNMATCHED


def method_of(request: HttpRequest) -> str:
    """Return the method, or `other` for one that the client made up."""
    method = request.method or ""
    return method if method in _METHODS else "other"


@lru_cache(maxsize=2000)  # more than there are routes
def _template(route: str, view_name: str) -> str:
    if "(?" in route:
        return view_name
    text = re.sub(r"\[(\w)\w\]", r"\1", route.replace("^", "").replace("$", ""))
    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda found: f"{{{to_wire(found[1])}}}", text)


def current_members(told: Any = None) -> dict[str, Any]:
    """Return `members_of` this thread's request, else of `told`; empty if there is neither."""
    request = current_request.get() or told
    return members_of(request) if isinstance(request, HttpRequest) else {}


def members_of(request: HttpRequest) -> dict[str, Any]:
    """Return request, method, route, address, key, keyName, administrator (an id), as far as known, without a query."""
    members: dict[str, Any] = {
        "request": getattr(request, "request_id", ""),
        "method": method_of(request),
        "address": client_address(request),
    }
    if (route := route_of(request)) != UNMATCHED:
        members["route"] = route
    if key := _PUBLIC_PART.match(sent_key(request)):
        members["key"] = key[1]
    if grant := getattr(request, "grant", None):
        members |= {"keyName": grant.key_name, "administrator": grant.administrator_id}
    # `request.user` would read the session.
    elif (user := getattr(request, "_cached_user", None)) is not None and user.pk:
        members["administrator"] = user.pk
    return members
