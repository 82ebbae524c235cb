"""Trees of channels without contents as sources of a site: typed, ready to begin with, or those of another site."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from channels_app.management.commands.create_site import HOME
from channels_app.models import Channel
from channels_app.outline import MAX_NAME, outline_lines
from sites.models import Site
from transfer.package import ChannelRecord, ContentRecord, SiteRecord

MOST_LINES = 1000
MOST_LEVELS = 10
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


class OutlineError(ValueError):
    """Says in which line a tree cannot be read, and why: `code` is one of deep, long, many."""

    def __init__(self, code: str, line: int) -> None:
        super().__init__(f"{code} in line {line}")
        self.code, self.line = code, line


@dataclass(frozen=True, slots=True)
class OutlineChannel:
    """A channel of the tree; its position is the path of sibling numbers."""

    name: str
    position: tuple[int, ...]


def read_outline(text: str) -> list[OutlineChannel]:
    """The channels that the text names, each parent before its children. Raises OutlineError."""
    channels: list[OutlineChannel] = []
    position: list[int] = []
    for number, level, name in outline_lines(text, bullets="-*•·"):
        if len(channels) >= MOST_LINES:
            raise OutlineError("many", number)
        if level >= MOST_LEVELS:
            raise OutlineError("deep", number)
        if len(name) > MAX_NAME:
            raise OutlineError("long", number)
        position = [*position[:level], (position[level] if level < len(position) else 0) + 1]
        channels.append(OutlineChannel(name, tuple(position)))
    return channels


class OutlinePackage:
    """A site of channels without contents; its home channel is that of `create_site`, or has another name."""

    def __init__(self, site_name: str, channels: list[OutlineChannel], home_name: str = HOME) -> None:
        self.name, self.site, self._channels = "", SiteRecord(site_name=site_name), channels
        self._home_name = home_name

    def channels(self) -> Iterator[ChannelRecord]:
        yield ChannelRecord(0, (), {"channel_name": self._home_name, "index_name": self._home_name}, origin=HOME)
        for channel in self._channels:
            yield ChannelRecord(0, channel.position, {"channel_name": channel.name}, origin=channel.name)

    def contents(self, channel: ChannelRecord) -> Iterator[ContentRecord]:
        yield from ()


@dataclass(frozen=True)
class Starter:
    """A tree to begin with, as somebody would type it."""

    label: str | Promise
    outline: str | Promise


STARTERS = {
    "company": Starter(
        _("A company"),
        _(
            "About us\n  Who we are\n  History\n  Contact\nNews\n  Company news\n  Industry news\nProducts\n"
            "Services\n  Support\n  Downloads\nJobs"
        ),
    ),
    "school": Starter(
        _("A school or an institute"),
        _(
            "About\n  Overview\n  Leadership\n  Departments\nNews\nNotices\nTeaching\n  Courses\n  Timetables\n"
            "Research\nAdmissions\nCampus life\nContact"
        ),
    ),
    "magazine": Starter(
        _("A magazine"),
        _("Headlines\nPolitics\nEconomy\nCulture\n  Books\n  Films\n  Music\nSports\nOpinion\nPictures\nVideos"),
    ),
}


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
