"""Reads the API key of a request."""

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from apikeys import usage
from apikeys.grants import Grant, grant_of
from cms_api.lib.errors import NotPermitted
from cms_api.lib.request_headers import sent_key

HEADER = "X-SS-API-KEY"
_MISSING = (
    f"No API key was sent. Send it in the header {HEADER}, as Authorization: Bearer ssk1_…, or as the query parameter "
    "apiKey."
)


class ApiKeyAuthentication(BaseAuthentication):
    """Authenticates the key of a header, else of the query; a bad header is not rescued by a good query."""

    def authenticate(self, request: Request) -> tuple[Grant, Grant]:
        """The grant, as `request.user` (for its name) and `request.auth`. Raises NotPermitted."""
        token = sent_key(request._request)
        if not token:
            raise NotPermitted("key_missing", _MISSING)
        grant = grant_of(token)
        usage.note(grant)
        request._request.grant = grant  # type: ignore[attr-defined]  # for the audit, which knows no views
        return grant, grant

    def authenticate_header(self, request: Request) -> str:
        """A challenge, so that refusals are 401 and not 403."""
        return "ApiKey"
