"""A SiteServer site template, in a folder or a zip, as a source of a site."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import tzinfo
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from django.utils.translation import gettext_lazy as _

import channels_app.attributes
import sites.attributes
from cms_api.lib.errors import InvalidInput
from cms_api.rest.attributes import NEVER, Attribute, AttributeRegistry, Kind
from transfer import names
from transfer.archive import open_archive
from transfer.elements import ElementSorter, Fields
from transfer.feed import Feed
from transfer.package import ChannelRecord, ContentRecord, GroupRecord, PackageError, SiteRecord, filled, reason_of
from transfer.template_files import Position, TemplateFiles
from transfer.values import Reader, read_date, read_encoded, read_flag, read_plain

CHANNEL_MEMBERS = channels_app.attributes.REGISTRY
SITE_MEMBERS = sites.attributes.REGISTRY


def read_date_text(text: str, time_zone: tzinfo) -> str:
    """Return the date in the form in which the interface answers it."""
    moment = read_date(text, time_zone)
    return moment.isoformat(" ") if moment else NEVER


READERS: dict[Kind, Reader] = {
    Kind.BOOLEAN: read_flag,
    Kind.INTEGER: read_plain,
    Kind.TEXT: read_plain,
    Kind.DATE_TIME: read_date_text,
}


def typed_settings(settings: dict[str, str], members: AttributeRegistry, time_zone: tzinfo) -> dict[str, Any]:
    """Return the settings with their members named and typed as the interface declares them.

    Members without a text are left out, so that their default applies, and so are computed ones; other
    entries stay texts. Of a member under its present and a former name the present one counts.
    """
    typed: dict[str, Any] = {}
    for name, text in settings.items():
        attribute = members.find(name)
        if attribute is None:
            typed[name] = text
        elif text and not attribute.is_computed and (attribute.name not in typed or is_present(name, attribute)):
            typed[attribute.name] = read_member(attribute, text, time_zone)
    return typed


def is_present(name: str, attribute: Attribute) -> bool:
    """Return whether the name is the member's own and not one that it had before."""
    return name.casefold() == attribute.name.casefold()


def read_member(attribute: Attribute, text: str, time_zone: tzinfo) -> Any:
    """Return the value of a member; raise ValueError that names the member, the text and what is allowed."""
    try:
        return attribute.read(READERS[attribute.kind](text, time_zone), attribute.name)
    except InvalidInput as error:
        told = _('%(name)s: "%(text)s" is not %(expected)s.')
        raise ValueError(filled(told, name=attribute.name, text=text[:40], expected=attribute.expected)) from error
    except ValueError as error:
        raise ValueError(filled("%(name)s: %(reason)s", name=attribute.name, reason=reason_of(error))) from error


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
