"""The API key that a request carries, before anyone checks it."""

from django.http import HttpRequest

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
