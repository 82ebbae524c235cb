"""The tree of channels of a site that exists, as a source of a new one."""

from collections.abc import Iterator
from typing import Any

from channels_app.models import Channel
from sites.models import Site
from transfer.package import ChannelRecord, ContentRecord, SiteRecord

_COPIED = (
    "channel_name",
    "content_model_plugin_id",
    "content_related_plugin_ids",
    "index_name",
    "group_name_collection",
    "image_url",
    "content",
    "file_path",
    "channel_file_path_rule",
    "content_file_path_rule",
    "link_url",
    "link_type",
    "channel_template_id",
    "content_template_id",
    "keywords",
    "description",
)


class CopiedTree:
    """The channels of a site with all that is set for them, without contents."""

    def __init__(self, source: Site, site_name: str) -> None:
        self.name, self.site = "", SiteRecord(site_name=site_name)
        self._rows = _positioned(source.pk)

    def channels(self) -> Iterator[ChannelRecord]:
        """Every channel that is not in the trash, each parent before its children."""
        for position, row in self._rows:
            fields = {name: row[name] for name in _COPIED if name in row}
            yield ChannelRecord(row["id"], position, fields, row["settings"], origin=row["channel_name"])

    def contents(self, channel: ChannelRecord) -> Iterator[ContentRecord]:
        """None."""
        yield from ()


def _positioned(site_id: int) -> list[tuple[tuple[int, ...], dict[str, Any]]]:
    rows = Channel.objects.filter(site_id=site_id, trashed_at=None).order_by("taxis", "id")
    positions: dict[int, tuple[int, ...]] = {}
    children: dict[int, int] = {}
    found = []
    for row in rows.values("id", "parent_id", "settings", *_COPIED):
        parent = row["parent_id"]
        if parent is not None and parent not in positions:
            continue  # its parent has been put into the trash at this moment
        children[parent] = children.get(parent, 0) + 1
        positions[row["id"]] = () if parent is None else (*positions[parent], children[parent])
        found.append((positions[row["id"]], row))
    return found
