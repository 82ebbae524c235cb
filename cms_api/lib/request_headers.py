"""The key and the number that a request came with."""

import os
import re

from django.http import HttpRequest

from cms_api.lib.client_address import came_through_proxy

REQUEST_ID = "X-Request-Id"
_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,64}")
_BEARER, _PREFIX = "bearer ", "ssk1_"


def sent_key(request: HttpRequest) -> str:
    """X-SS-API-KEY, else `Authorization: Bearer ssk1_…`, else the query's apiKey; empty without any of them.

    Another bearer token is no key: proxies and metrics have their own.
    """
    return request.META.get("HTTP_X_SS_API_KEY", "").strip() or _bearer_key(request) or _query_key(request)


def _bearer_key(request: HttpRequest) -> str:
    header = request.META.get("HTTP_AUTHORIZATION", "").strip()
    token = header[len(_BEARER) :].strip() if header[: len(_BEARER)].lower() == _BEARER else ""
    return token if token.startswith(_PREFIX) else ""


def _query_key(request: HttpRequest) -> str:
    secrets: dict[str, str] = getattr(request, "query_secrets", {})
    return secrets.get("apikey", "")


def request_id_of(request: HttpRequest) -> str:
    """The number under which the request stands in the answer, the access log and the audit.

    It is the one that a trusted proxy gave the request, else a new one.

    What a client makes up is not taken: it could be that of another request, or break a line of a log.
    """
    given = request.META.get("HTTP_X_REQUEST_ID")
    if given and _WELL_FORMED.fullmatch(given) and came_through_proxy(request):
        return str(given)
    return os.urandom(12).hex()  # nothing counted: workers are forked from one process
