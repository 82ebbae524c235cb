import re
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import tzinfo
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from django.utils.translation import gettext_lazy as _

import channels_app.attributes
import sites.attributes
from cms_api.lib.errors import InvalidInput
from cms_api.rest.attributes import NEVER, AttributeKind, AttributeRegistry
from transfer import names
from transfer.archive import Archive, LimitedStream, open_archive
from transfer.feed import Feed
from transfer.names import ElementSorter, Fields
from transfer.package import ChannelRecord, ContentRecord, GroupRecord, PackageError, SiteRecord, filled, reason_of
from transfer.values import read_date, read_encoded, read_flag, read_plain

Position = tuple[int, ...]

CHANNEL_MEMBERS = channels_app.attributes.REGISTRY
SITE_MEMBERS = sites.attributes.REGISTRY
CONFIGURATION = re.compile(r"(?:(.*)/)?sitetemplatemetadata/configuration\.xml", re.IGNORECASE)
CHANNEL_FILE = re.compile(r"sitecontent/([0-9]{1,9}(?:_[0-9]{1,9})*)\.xml", re.IGNORECASE)
# All file names begin with the home channel's number.
HOME = 1


def typed_settings(settings: dict[str, str], members: AttributeRegistry, time_zone: tzinfo) -> dict[str, Any]:
    """Name and type settings as the registry declares them; unknown entries stay texts.

    Omits empty members (their default applies) and computed ones; a current name beats an old one. Raises ValueError
    with member, text and expectation.
    """
    typed: dict[str, Any] = {}
    for name, text in settings.items():
        attribute = members.find(name)
        if attribute is None:
            typed[name] = text
            continue
        is_present = name.casefold() == attribute.name.casefold()
        if not text or attribute.is_computed or (attribute.name in typed and not is_present):
            continue
        try:
            value: Any = text
            if attribute.kind is AttributeKind.BOOLEAN:
                value = read_flag(text, time_zone)
            elif attribute.kind is AttributeKind.DATE_TIME:
                moment = read_date(text, time_zone)
                value = moment.isoformat(" ") if moment else NEVER
            typed[attribute.name] = attribute.read(value, attribute.name)
        except InvalidInput as error:
            told = _('%(name)s: "%(text)s" is not %(expected)s.')
            raise ValueError(filled(told, name=attribute.name, text=text[:40], expected=attribute.expected)) from error
        except ValueError as error:
            raise ValueError(filled("%(name)s: %(reason)s", name=attribute.name, reason=reason_of(error))) from error
    return typed


class SiteTemplate:
    """Streams a site template of any size, in a with statement; dates without an offset are in `time_zone`."""

    def __init__(self, path: Path, time_zone: tzinfo) -> None:
        self._time_zone = time_zone
        self.name = path.resolve().name
        with ExitStack() as stack:
            archive = open_archive(path)
            stack.callback(archive.close)
            self.files = TemplateFiles(archive)
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @cached_property
    def site(self) -> SiteRecord:
        file = self.files.configuration
        with self.files.feed(file) as feed:
            fields, custom = ElementSorter(names.SITE, read_plain, self._time_zone).sort(feed.head, file)
            groups = tuple(self._content_groups(feed, file))
        settings = self._settings(custom, SITE_MEMBERS, file)
        return SiteRecord(**fields, settings=settings, content_groups=groups)

    def channels(self) -> Iterator[ChannelRecord]:
        sorter = ElementSorter(names.CHANNEL, read_plain, self._time_zone)
        source_ids: dict[Position, int] = {}
        for position, file in self.files.channels.items():
            with self.files.feed(file) as feed:
                fields, custom = sorter.sort(feed.head, file)
            source_id, parent_id = fields.pop("id", 0), fields.pop("parent_id", 0)
            real_parent_id = source_ids.get(position[:-1], 0)
            if parent_id and real_parent_id and parent_id != real_parent_id:
                told = _("The channel names %(named)s as its parent, but its file name puts it below channel %(real)s.")
                reason = filled(told, named=parent_id, real=real_parent_id)
                raise PackageError(reason, file=file, element="element ParentId")
            source_ids[position] = source_id
            content_num = fields.pop("content_num", 0)
            settings = self._settings(custom, CHANNEL_MEMBERS, file)
            yield ChannelRecord(source_id, position, fields, settings, file, content_num)

    def contents(self, channel: ChannelRecord) -> Iterator[ContentRecord]:
        file = self.files.channels[channel.position]
        sorter = ElementSorter(names.CONTENT, read_encoded, self._time_zone)
        with self.files.feed(file) as feed:
            for number, elements in enumerate(feed.entries(), start=1):
                entry = f"entry {number}"
                fields, custom = sorter.sort(elements, file, entry)
                yield ContentRecord(fields.pop("id", 0), fields, custom, f"{file}, {entry}")

    def _content_groups(self, feed: Feed, file: str) -> Iterator[GroupRecord]:
        sorter = ElementSorter(names.GROUP, read_plain, self._time_zone)
        for number, elements in enumerate(feed.entries(), start=1):
            fields, _ = sorter.sort(elements, file, f"entry {number}")
            if fields.get("is_content_group") and fields.get("group_name"):
                yield GroupRecord(fields["group_name"], fields.get("description", ""))

    def _settings(self, custom: Fields, members: AttributeRegistry, file: str) -> Fields:
        try:
            return typed_settings(custom, members, self._time_zone)
        except ValueError as error:
            raise PackageError(reason_of(error), file=file, element="settings") from error


class TemplateFiles:
    """The configuration and channel files of a template, the latter by position."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.configuration = find_configuration(archive.names())
        self.channels = find_channels(archive.names(), self.configuration)

    @property
    def top(self) -> str:
        """The site's folder in the package, with a trailing slash, or "" for the package itself."""
        metadata = self.configuration.rpartition("/")[0]
        return metadata.rpartition("/")[0] + "/" if "/" in metadata else ""

    def others(self) -> list[str]:
        used = {self.configuration, *self.channels.values()}
        return sorted(name for name in self._archive.names() if name not in used)

    def open(self, name: str) -> AbstractContextManager[LimitedStream]:
        return self._archive.open(name)

    @contextmanager
    def feed(self, name: str) -> Iterator[Feed]:
        with self._archive.open(name) as stream:
            yield Feed(stream, name)


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
