"""Operations that belong to no resource: ping, health and restart."""

from dataclasses import replace
from typing import Any

from cms_client import operations
from cms_client.answers import pong_of, value_of
from cms_client.binding import D, Resource, operation
from cms_client.operations import Operation, Reader, Repeats
from cms_client.records import Health


class System(Resource[D]):
    """Operations of the client itself, such as `client.ping()`."""

    @operation
    def ping(self) -> Operation[bool]:
        """Return whether the service responds to a ping. Needs no API key."""
        return operations.get("ping", read=pong_of).open_to_all()

    @operation
    def health(self) -> Operation[Health]:
        """Return the server's readiness. Raises Unavailable, without a retry, if the server is not ready."""
        read: Reader[Any] = value_of
        return replace(operations.get("health", "ready", read=read), repeats=Repeats.NEVER)

    @operation
    def restart(self, *, idempotency_key: str | None = None) -> Operation[bool]:
        """Request a restart; return whether the service will restart shortly."""
        return operations.post("actions", "restart", read=value_of, body={}, key=idempotency_key)
