"""A tree of channels that somebody has typed, as a source of a site: a name a line, further in for what is below."""

from collections.abc import Iterator
from dataclasses import dataclass

from channels_app.management.commands.create_site import HOME
from channels_app.outline import MAX_NAME, outline_lines
from transfer.package import ChannelRecord, ContentRecord, SiteRecord

MOST_LINES = 1000
MOST_LEVELS = 10


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
        """The home channel and those of the tree."""
        yield ChannelRecord(0, (), {"channel_name": self._home_name, "index_name": self._home_name}, origin=HOME)
        for channel in self._channels:
            yield ChannelRecord(0, channel.position, {"channel_name": channel.name}, origin=channel.name)

    def contents(self, channel: ChannelRecord) -> Iterator[ContentRecord]:
        """None."""
        yield from ()
