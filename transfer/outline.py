"""A tree of channels that somebody has typed, as a source of a site: a name a line, further in for what is below."""

from collections.abc import Iterator
from dataclasses import dataclass

from channels_app.management.commands.create_site import HOME
from transfer.package import ChannelRecord, ContentRecord, SiteRecord

MOST_LINES = 1000
MOST_LEVELS = 10
_NAME_LENGTH = 255
_TAB = 4  # blanks


class OutlineError(ValueError):
    """Says in which line a tree cannot be read, and why: `code` is one of deep, long, many, jump."""

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
    indents: list[int] = []  # of the present channel and of those above it
    position: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        # The blank of Chinese texts counts as two, as it looks.
        line = line.expandtabs(_TAB).replace("\u3000", "  ")
        name = line.strip().lstrip("-*•·").strip()
        if not name:
            continue
        level = _level(indents, len(line) - len(line.lstrip()))
        position = [*position[:level], (position[level] if level < len(position) else 0) + 1]
        _refuse(name, level, len(channels), number)
        channels.append(OutlineChannel(name, tuple(position)))
    return channels


def _level(indents: list[int], indent: int) -> int:
    while indents and indents[-1] >= indent:
        indents.pop()
    indents.append(indent)
    return len(indents) - 1


def _refuse(name: str, level: int, count: int, line: int) -> None:
    if count >= MOST_LINES:
        raise OutlineError("many", line)
    if level >= MOST_LEVELS:
        raise OutlineError("deep", line)
    if len(name) > _NAME_LENGTH:
        raise OutlineError("long", line)


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
