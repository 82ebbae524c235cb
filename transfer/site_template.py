"""A SiteServer site template, in a folder or a zip, as a source of a site."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import tzinfo
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from django.utils.translation import gettext_lazy as _

from cms_api.rest.attributes import AttributeRegistry
from transfer import names
from transfer.archive import open_archive
from transfer.elements import ElementSorter, Fields
from transfer.feed import Feed
from transfer.package import ChannelRecord, ContentRecord, GroupRecord, PackageError, SiteRecord
from transfer.reasons import filled, reason_of
from transfer.settings_members import CHANNEL_MEMBERS, SITE_MEMBERS, typed_settings
from transfer.template_files import Position, TemplateFiles
from transfer.values import read_encoded, read_plain


class SiteTemplate:
    """A site template at a path; its files are streamed, so that its size does not matter.

    Dates without an offset are wall-clock times of the given time zone. Use it in a with statement.
    """

    def __init__(self, path: Path, time_zone: tzinfo) -> None:
        self._time_zone = time_zone
        self.name = path.resolve().name
        with ExitStack() as stack:
            archive = open_archive(path)
            stack.callback(archive.close)
            self._files = TemplateFiles(archive)
            self._stack = stack.pop_all()

    @property
    def files(self) -> TemplateFiles:
        """The files of the package."""
        return self._files

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @cached_property
    def site(self) -> SiteRecord:
        """The site that the configuration describes."""
        file = self._files.configuration
        with self._files.feed(file) as feed:
            fields, custom = ElementSorter(names.SITE, read_plain, self._time_zone).sort(feed.head, file)
            groups = tuple(self._content_groups(feed, file))
        settings = self._settings(custom, SITE_MEMBERS, file)
        return SiteRecord(**fields, settings=settings, content_groups=groups)

    def channels(self) -> Iterator[ChannelRecord]:
        """Yield every channel, each parent before its children and siblings in their order."""
        sorter = ElementSorter(names.CHANNEL, read_plain, self._time_zone)
        source_ids: dict[Position, int] = {}
        for position, file in self._files.channels.items():
            with self._files.feed(file) as feed:
                fields, custom = sorter.sort(feed.head, file)
            source_id, parent_id = fields.pop("id", 0), fields.pop("parent_id", 0)
            check_parent(parent_id, source_ids.get(position[:-1], 0), file)
            source_ids[position] = source_id
            content_num = fields.pop("content_num", 0)
            settings = self._settings(custom, CHANNEL_MEMBERS, file)
            yield ChannelRecord(source_id, position, fields, settings, file, content_num)

    def contents(self, channel: ChannelRecord) -> Iterator[ContentRecord]:
        """Yield the contents of the channel one at a time, in their order."""
        file = self._files.channels[channel.position]
        sorter = ElementSorter(names.CONTENT, read_encoded, self._time_zone)
        with self._files.feed(file) as feed:
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


def check_parent(named: int, real: int, file: str) -> None:
    """Raise if a channel names another parent than the one that its file name gives it."""
    if named and real and named != real:
        told = _("The channel names %(named)s as its parent, but its file name puts it below channel %(real)s.")
        raise PackageError(filled(told, named=named, real=real), file=file, element="element ParentId")
