"""References between records of a package, which bear the ids of another installation."""

import re
from typing import Any

from channels_app.models import Channel
from contents.models import Content
from transfer.package import ContentRecord

BATCH = 500
# Members of the channel settings that hold ids of channels, comma-separated, or that of a site.
CHANNEL_LISTS = ("createChannelIDsIfContentChanged", "transChannelIds")
SITE = "transSiteId"


class References:
    """The new ids of the channels and contents of one import, by their ids in the package."""

    def __init__(self, channel_ids: dict[int, int]) -> None:
        self._channel_ids = channel_ids
        self._content_ids: dict[int, int] = {}
        # Contents that refer to one that comes later in the package.
        self._waiting: list[tuple[int, int]] = []

    def source(self, source_id: int) -> int:
        """Return the new id of the channel a content came from; codes such as -1 stay as they are."""
        return source_id if source_id <= 0 else self._channel_ids.get(source_id, 0)

    def content(self, reference_id: int) -> int:
        """Return the new id of a content that was written already, 0 for any other."""
        return self._content_ids.get(reference_id, 0)

    def add(self, record: ContentRecord, content: Content) -> None:
        """Note a content that was written, and what it refers to if that was not written before it."""
        if record.source_id:
            self._content_ids.setdefault(record.source_id, content.pk)
        reference_id = record.fields.get("reference_id", 0)
        if reference_id and not content.reference_id:
            self._waiting.append((content.pk, reference_id))

    def resolve(self) -> None:
        """Store the references to contents that came later; those that lead outside stay 0."""
        found = [
            Content(pk=pk, reference_id=self.content(reference_id))
            for pk, reference_id in self._waiting
            if self.content(reference_id)
        ]
        Content.objects.bulk_update(found, ["reference_id"], batch_size=BATCH)


def resolve_channel_settings(channel_id: int, settings: dict[str, Any], channel_ids: dict[int, int]) -> None:
    """Store the settings of a channel anew if they name channels or sites of the package."""
    renumbered = {
        name: renumber(name, value, channel_ids) for name, value in settings.items() if name in (*CHANNEL_LISTS, SITE)
    }
    if renumbered:
        Channel.objects.filter(pk=channel_id).update(settings=settings | renumbered)


def renumber(name: str, value: Any, channel_ids: dict[int, int]) -> Any:
    """Return the new ids for those that a member of the channel settings holds; others are left out."""
    if name == SITE:
        # A site has the id of its home channel.
        return channel_ids.get(int(value), 0)
    found = (channel_ids.get(int(item)) for item in re.findall("[0-9]{1,18}", str(value)))
    return ",".join(str(pk) for pk in found if pk)
