"""What no resource owns."""

from dataclasses import replace
from typing import Any

from cms_client import operations
from cms_client.answers import pong_of, value_of
from cms_client.binding import D, Resource, operation
from cms_client.operations import Operation, Reader, Repeats
from cms_client.records import Health


class System(Resource[D]):
    """Operations of the client itself."""

    @operation
    def ping(self) -> Operation[bool]:
        """Whether the service is there. Needs no key."""
        return operations.get("ping", read=pong_of).open_to_all()

    @operation
    def health(self) -> Operation[Health]:
        """Whether the server is ready, told without asking twice. Raises Unavailable where it is not."""
        read: Reader[Any] = value_of
        return replace(operations.get("health", "ready", read=read), repeats=Repeats.NEVER)

    @operation
    def restart(self, *, idempotency_key: str | None = None) -> Operation[bool]:
        """Whether the service will restart, in a moment."""
        return operations.post("actions", "restart", read=value_of, body={}, key=idempotency_key)
