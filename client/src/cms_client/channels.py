"""Channels: the tree, one of them, create, change, delete, move."""

from typing import Any

from cms_client import operations
from cms_client.answers import record_of, value_of
from cms_client.binding import D, Resource, operation
from cms_client.operations import Operation
from cms_client.records import Channel
from cms_client.wire import Members


class Channels(Resource[D]):
    """`client.channels`"""

    @operation
    def tree(self, site_id: int, *, if_none_match: str | None = None) -> Operation[list[Channel]]:
        """The channels below the home channel, each with its `children`."""
        return operations.get("channels", site_id, read=value_of, if_none_match=if_none_match)

    @operation
    def get(self, site_id: int, channel_id: int, *, if_none_match: str | None = None) -> Operation[Channel]:
        """One channel with everything below it. Raises NotModified where it is still what `if_none_match` names."""
        return operations.get("channels", site_id, channel_id, read=record_of, if_none_match=if_none_match)

    @operation
    def create(self, site_id: int, members: Members, *, idempotency_key: str | None = None) -> Operation[Channel]:
        """The new channel, below `parentId` or the home channel."""
        return operations.post("channels", site_id, read=record_of, body=members, key=idempotency_key)

    @operation
    def update(
        self, site_id: int, channel_id: int, members: Members, *, if_match: str | None = None
    ) -> Operation[Channel]:
        """The channel after the change of these members. Raises PreconditionFailed where it is not `if_match`."""
        return operations.put("channels", site_id, channel_id, read=record_of, body=members, if_match=if_match)

    @operation
    def delete(self, site_id: int, channel_id: int, *, if_match: str | None = None) -> Operation[Channel]:
        """The channel as it was; what is below it goes too."""
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
        """The channel below another parent, or below the same one, before a sibling or as the last."""
        body: dict[str, Any] = {"before": before} | ({} if parent_id is None else {"parentId": parent_id})
        place = ("channels", site_id, channel_id, "actions", "move")
        made: Operation[Channel] = operations.post(*place, read=record_of, body=body, key=idempotency_key)
        return made.with_headers(If_Match=if_match)
