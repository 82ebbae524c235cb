"""Reads the API key of a request."""

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from apikeys import usage
from apikeys.grants import Grant, grant_of
from cms_api.rest.errors import Unauthorized

HEADER = "X-SS-API-KEY"
_MISSING = f"No API key was sent. Send it in the header {HEADER}, or as the query parameter apiKey."


class ApiKeyAuthentication(BaseAuthentication):
    """The key of the header, else of the query; a bad header is not rescued by a good query."""

    def authenticate(self, request: Request) -> tuple[Grant, Grant]:
        """The grant, as `request.user` (for its name) and `request.auth`. Raises Unauthorized."""
        token = request.META.get("HTTP_X_SS_API_KEY", "").strip()
        if not token:
            queries: list[str] = getattr(request._request, "query_keys", [])
            token = next(filter(None, queries), "")
        if not token:
            raise Unauthorized("key_missing", _MISSING)
        grant = grant_of(token)
        usage.note(grant)
        request._request.grant = grant  # type: ignore[attr-defined]  # for the audit, which knows no views
        return grant, grant

    def authenticate_header(self, request: Request) -> str:
        """A challenge, so that refusals are 401 and not 403."""
        return "ApiKey"
