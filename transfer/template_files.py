"""Where a site template keeps what: finding its files among those of a folder or a zip."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.utils.translation import gettext_lazy as _

from transfer.archive import Archive, LimitedStream
from transfer.feed import Feed
from transfer.package import PackageError, filled

Position = tuple[int, ...]

CONFIGURATION = re.compile(r"(?:(.*)/)?sitetemplatemetadata/configuration\.xml", re.IGNORECASE)
CHANNEL_FILE = re.compile(r"sitecontent/([0-9]{1,9}(?:_[0-9]{1,9})*)\.xml", re.IGNORECASE)
# The first number of every channel's file name stands for the home channel.
HOME = 1


class TemplateFiles:
    """The files of one site template: its configuration and its channels by their position."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.configuration = find_configuration(archive.names())
        self.channels = find_channels(archive.names(), self.configuration)

    @property
    def top(self) -> str:
        """The folder of the site in the package, with a slash unless it is the package itself."""
        metadata = self.configuration.rpartition("/")[0]
        return metadata.rpartition("/")[0] + "/" if "/" in metadata else ""

    def others(self) -> list[str]:
        """The files that are neither the configuration nor a channel's, in their order."""
        used = {self.configuration, *self.channels.values()}
        return sorted(name for name in self._archive.names() if name not in used)

    @contextmanager
    def open(self, name: str) -> Iterator[LimitedStream]:
        with self._archive.open(name) as stream:
            yield stream

    @contextmanager
    def feed(self, name: str) -> Iterator[Feed]:
        """Open a file as an Atom feed."""
        with self._archive.open(name) as stream:
            yield Feed(stream, name)


def find_configuration(names: Collection[str]) -> str:
    """Return the path of the template's Configuration.xml, the one nearest to the top.

    A package may have the template at its top or in a folder, and the site's own files beside.
    """
    found = sorted((name.count("/"), name) for name in names if CONFIGURATION.fullmatch(name))
    if not found:
        raise PackageError(_("There is no SiteTemplateMetadata/Configuration.xml, so this is no site template."))
    if len(found) > 1 and found[0][0] == found[1][0]:
        told = _("The package holds several site templates: %(one)s and %(other)s.")
        raise PackageError(filled(told, one=found[0][1], other=found[1][1]))
    return found[0][1]


def find_channels(names: Collection[str], configuration: str) -> dict[Position, str]:
    """Return the channels' files by position, each parent before its children."""
    metadata = configuration.rpartition("/")[0] + "/"
    channels: dict[Position, str] = {}
    for name in sorted(names):
        match = CHANNEL_FILE.fullmatch(name.removeprefix(metadata)) if name.startswith(metadata) else None
        if match:
            add_channel(channels, numbers(match[1]), name)
    return dict(sorted(check_tree(channels).items()))


def numbers(text: str) -> Position:
    return tuple(int(number) for number in text.split("_"))


def add_channel(channels: dict[Position, str], position: Position, name: str) -> None:
    """Enter a channel's file; raise if another file has the same place in the tree."""
    if position in channels:
        told = _("The file has the same place in the tree as %(other)s.")
        raise PackageError(filled(told, other=channels[position]), file=name)
    channels[position] = name


def check_tree(channels: dict[Position, str]) -> dict[Position, str]:
    """Return the channels by position below the home channel; raise if one of them has no parent."""
    if (HOME,) not in channels:
        raise PackageError(_("The package has no SiteContent/1.xml, which is the home channel."))
    for position, name in channels.items():
        if position != (HOME,) and position[:-1] not in channels:
            raise PackageError(_("The package has no file for the parent of this channel."), file=name)
    return {position[1:]: name for position, name in channels.items()}
