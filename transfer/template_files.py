"""Which files a site template has."""

import re
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property

from django.utils.translation import gettext_lazy as _

from transfer.archive import Archive, LimitedStream
from transfer.feed import Feed
from transfer.package import PackageError, filled

Position = tuple[int, ...]

CONFIGURATION = re.compile(r"(?:(.*)/)?sitetemplatemetadata/configuration\.xml", re.IGNORECASE)
CHANNEL_FILE = re.compile(r"sitecontent/([0-9]{1,9}(?:_[0-9]{1,9})*)\.xml", re.IGNORECASE)
PICTURES_FILE = re.compile(r"sitecontent/photo/([0-9]{1,18})\.xml")
# All file names begin with the home channel's number.
HOME = 1


class SiteFolder:
    """The files of a site by their paths below its folder, whose letter case does not matter."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    @cached_property
    def site_files(self) -> dict[str, str]:
        """Names in the archive by path."""
        return {name: name for name in sorted(self._archive.names())}

    @cached_property
    def _paths(self) -> dict[str, str]:
        return {path.casefold(): path for path in reversed(self.site_files)}

    def path_of(self, path: str) -> str:
        """The path of one of the site's own files as the archive spells it, or ""."""
        return path if path in self.site_files else self._paths.get(path.casefold(), "")

    def open(self, name: str) -> AbstractContextManager[LimitedStream]:
        return self._archive.open(name)


class TemplateFiles(SiteFolder):
    """The files of a template: descriptions of the site by subject, and the site's own files."""

    def __init__(self, archive: Archive) -> None:
        super().__init__(archive)
        self.configuration = find_configuration(archive.names())
        self.channels = find_channels(archive.names(), self.configuration)

    @property
    def metadata(self) -> str:
        """The folder of the describing files, with a trailing slash."""
        return self.configuration.rpartition("/")[0] + "/"

    @property
    def top(self) -> str:
        """The site's folder in the package, with a trailing slash, or "" for the package itself."""
        return "/".join(self.metadata.split("/")[:-2]) + "/" if self.metadata.count("/") > 1 else ""

    @cached_property
    def described(self) -> dict[str, str]:
        """Describing files by their folded paths below the folder of these files."""
        return {path.casefold(): name for path, name in self._below(self.metadata)}

    @cached_property
    def pictures(self) -> dict[int, str]:
        """Files with the extra pictures of a content, by its id."""
        matches = {name: PICTURES_FILE.fullmatch(path) for path, name in self.described.items()}
        return {int(match[1]): name for name, match in matches.items() if match}

    @cached_property
    def site_files(self) -> dict[str, str]:
        """The site's own files by their paths below its folder."""
        return {path: name for path, name in self._below(self.top) if not name.startswith(self.metadata)}

    @contextmanager
    def feed(self, name: str) -> Iterator[Feed]:
        with self._archive.open(name) as stream:
            yield Feed(stream, name)

    def _below(self, folder: str) -> Iterator[tuple[str, str]]:
        for name in sorted(self._archive.names()):
            if name.startswith(folder):
                yield name.removeprefix(folder), name


def find_configuration(names: Collection[str]) -> str:
    """Path of the topmost Configuration.xml; the template may be in a folder, beside the site's files."""
    found = sorted((name.count("/"), name) for name in names if CONFIGURATION.fullmatch(name))
    if not found:
        raise PackageError(_("This is not a site template: it has no SiteTemplateMetadata/Configuration.xml."))
    if len(found) > 1 and found[0][0] == found[1][0]:
        told = _("The package holds several site templates: %(one)s and %(other)s.")
        raise PackageError(filled(told, one=found[0][1], other=found[1][1]))
    return found[0][1]


def find_channels(names: Collection[str], configuration: str) -> dict[Position, str]:
    """Channel files by position, parents first. Raises PackageError for duplicates and missing parents."""
    metadata = configuration.rpartition("/")[0] + "/"
    channels: dict[Position, str] = {}
    for name in sorted(names):
        match = CHANNEL_FILE.fullmatch(name.removeprefix(metadata)) if name.startswith(metadata) else None
        if match:
            position = tuple(int(number) for number in match[1].split("_"))
            if position in channels:
                told = _("The file has the same place in the tree as %(other)s.")
                raise PackageError(filled(told, other=channels[position]), file=name)
            channels[position] = name
    if (HOME,) not in channels:
        raise PackageError(_("The package has no SiteContent/1.xml, which is the home channel."))
    for position, name in channels.items():
        if position != (HOME,) and position[:-1] not in channels:
            raise PackageError(_("The package has no file for the parent of this channel."), file=name)
    return {position[1:]: name for position, name in sorted(channels.items())}
