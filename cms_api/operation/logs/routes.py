"""The route of a request by its template, never by its path: there are few routes, and no secret is in one."""

import re
from functools import lru_cache

from django.http import HttpRequest

from cms_api.rest.names import to_wire

UNMATCHED = "none"  # static files, preflights, and what was refused before an address was looked for
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})


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
