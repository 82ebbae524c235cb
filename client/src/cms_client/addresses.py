"""The server's address and the headers of each request."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from cms_client.operations import Operation
from cms_client.wire import fits_header

_PREFIX = "/api/v1"
AGENT = "cms-api-client/1.0"


@dataclass(frozen=True, slots=True)
class Server:
    """The address of a server, including /api/v1, and the API key, which is sent only in a header."""

    base_url: str
    api_key: str | None = field(repr=False)

    def url_of(self, operation: Operation[Any]) -> str:
        query = f"?{operation.query}" if operation.query else ""
        return f"{self.base_url}{operation.path}{query}"

    def headers_of(self, operation: Operation[Any]) -> dict[str, str]:
        key = {"X-SS-API-KEY": self.api_key} if self.api_key and operation.with_key else {}
        return {"Accept": "application/json", "User-Agent": AGENT, **key, **operation.headers}


def server_at(address: str, api_key: str | None) -> Server:
    """Return the server at `https://host`, `…/api` or `…/api/v1`. Raises ValueError for unusable values."""
    if api_key is not None and not (api_key and fits_header(api_key)):
        # The message does not show the key: even an invalid one is a secret.
        raise ValueError("api_key has characters that no header can carry, blanks around it, or none at all.")
    try:
        parts = urlsplit(address)
        _ = parts.port  # urlsplit parses the port only on access
    except ValueError:
        raise ValueError("base_url has a host or a port that cannot be.") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("base_url begins with http:// or https:// and a host.")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("base_url has no query, no fragment and no password; a key is given as api_key.")
    path = parts.path.rstrip("/")
    return Server(f"{parts.scheme}://{parts.netloc}{path}{_missing(path.lower())}", api_key)


def _missing(path: str) -> str:
    if path.endswith(_PREFIX):
        return ""
    return "/v1" if path.endswith("/api") else _PREFIX
