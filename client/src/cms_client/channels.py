"""Channels: read the tree or one channel, create, update, delete, move."""

from typing import Any

from cms_client import operations
from cms_client.answers import record_of, value_of
from cms_client.binding import D, Resource, operation
from cms_client.operations import Operation
from cms_client.records import Channel
from cms_client.wire import Members


class Channels(Resource[D]):
    """Operations of `client.channels`."""

    @operation
    def tree(self, site_id: int, *, if_none_match: str | None = None) -> Operation[list[Channel]]:
        """Return the children of the home channel, each with its own `children`."""
        return operations.get("channels", site_id, read=value_of, if_none_match=if_none_match)

    @operation
    def get(self, site_id: int, channel_id: int, *, if_none_match: str | None = None) -> Operation[Channel]:
        """Return a channel with its descendants. Raises NotModified if its ETag still matches `if_none_match`."""
        return operations.get("channels", site_id, channel_id, read=record_of, if_none_match=if_none_match)

    @operation
    def create(self, site_id: int, members: Members, *, idempotency_key: str | None = None) -> Operation[Channel]:
        """Create a channel below `parentId`, by default below the home channel, and return it."""
        return operations.post("channels", site_id, read=record_of, body=members, key=idempotency_key)

    @operation
    def update(
        self, site_id: int, channel_id: int, members: Members, *, if_match: str | None = None
    ) -> Operation[Channel]:
        """Update these members and return the channel. Raises PreconditionFailed if `if_match` is outdated."""
        return operations.put("channels", site_id, channel_id, read=record_of, body=members, if_match=if_match)

    @operation
    def delete(self, site_id: int, channel_id: int, *, if_match: str | None = None) -> Operation[Channel]:
        """Delete a channel with its descendants and contents, and return its last state."""
        return operations.delete("channels", site_id, channel_id, read=record_of, if_match=if_match)

    @operation
    def move(
        self,
        site_id: int,
        channel_id: int,
        *,
        parent_id: int | None = None,
        before: int | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> Operation[Channel]:
        """Move a channel before a sibling or to the end, under the same parent or another, and return it."""
        body: dict[str, Any] = {"before": before} | ({} if parent_id is None else {"parentId": parent_id})
        place = ("channels", site_id, channel_id, "actions", "move")
        made: Operation[Channel] = operations.post(*place, read=record_of, body=body, key=idempotency_key)
        return made.with_headers(If_Match=if_match)
