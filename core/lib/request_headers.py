import os
import re

from django.http import HttpRequest

from core.lib.client_address import came_through_proxy

REQUEST_ID = "X-Request-Id"
_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,64}")


def sent_key(request: HttpRequest) -> str:
    """Return X-SS-API-KEY, else `Authorization: Bearer ssk1_…` (ignoring other tokens), else apiKey of the query."""
    if key := request.META.get("HTTP_X_SS_API_KEY", "").strip():
        return str(key)
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    if scheme.lower() == "bearer" and (token := token.strip()).startswith("ssk1_"):
        return str(token)
    return str(getattr(request, "query_secrets", {}).get("apikey", ""))


def request_id_of(request: HttpRequest) -> str:
    """Return the request's id for response and logs: from a trusted proxy, else new; a client could repeat one."""
    given = request.META.get("HTTP_X_REQUEST_ID")
    if given and _WELL_FORMED.fullmatch(given) and came_through_proxy(request):
        return str(given)
    return os.urandom(12).hex()  # random, not counted: workers are forked from one process
