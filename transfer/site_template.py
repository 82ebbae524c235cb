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
from contents.models import ContentPicture
from core.lib.errors import InvalidInput
from core.rest.attributes import NEVER, AttributeKind, AttributeRegistry
from transfer import names
from transfer.archive import open_archive
from transfer.columns import Columns
from transfer.feed import Feed
from transfer.field_definitions import read_definitions
from transfer.form_files import FormFiles
from transfer.names import ElementSorter, Fields
from transfer.package import ChannelRecord, ContentRecord, GroupRecord, PackageError, SiteRecord, filled, reason_of
from transfer.page_paths import PagePaths
from transfer.page_templates import read_templates
from transfer.site_files import SiteFiles
from transfer.template_files import Position, TemplateFiles
from transfer.values import read_date, read_encoded, read_flag, read_plain

CHANNEL_MEMBERS = channels_app.attributes.REGISTRY
SITE_MEMBERS = sites.attributes.REGISTRY
# Real contents have up to ten; all are in memory together.
MAX_PICTURES = 1_000


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
            self.forms = FormFiles(archive, lambda: self.files.described, time_zone)
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
        defaults = {kind.value: fields.pop(name, "") for name, kind in names.DEFAULT_TEMPLATES.items()}
        return SiteRecord(
            **fields,
            settings=settings,
            content_groups=groups,
            templates=read_templates(self.files, self._time_zone, defaults),
            field_definitions=read_definitions(self.files, self._time_zone, fields.get("table_name", "")),
            forms=self.forms.records,
        )

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
            templates = {name: fields.pop(name, "") for name in ("channel_template", "content_template")}
            yield ChannelRecord(source_id, position, fields, settings, file, content_num, **templates)

    def contents(self, channel: ChannelRecord) -> Iterator[ContentRecord]:
        file = self.files.channels[channel.position]
        sorter = ElementSorter(names.CONTENT, read_encoded, self._time_zone)
        with self.files.feed(file) as feed:
            for number, elements in enumerate(feed.entries(), start=1):
                entry = f"entry {number}"
                fields, custom = sorter.sort(elements, file, entry)
                source_id = fields.pop("id", 0)
                yield ContentRecord(source_id, fields, custom, f"{file}, {entry}", self._pictures(source_id))

    def stored_files(self, *, with_uploads: bool = True) -> SiteFiles:
        pages = PagePaths.of_package(self.site, self.channels())
        return SiteFiles(self.files, self.site.templates, pages, with_uploads=with_uploads)

    def _pictures(self, content_id: int) -> tuple[Fields, ...]:
        file = self.files.pictures.get(content_id)
        if file is None:
            return ()
        columns, sorter = Columns(ContentPicture), ElementSorter(names.PICTURE, None, self._time_zone)
        found = []
        with self.files.feed(file) as feed:
            for number, elements in enumerate(feed.entries(), start=1):
                if number > MAX_PICTURES:
                    told = filled(_("A content item has more than %(count)d extra pictures."), count=MAX_PICTURES)
                    raise PackageError(told, file=file)
                fields, _custom = sorter.sort(elements, file, f"entry {number}")
                columns.check(fields, f"{file}, entry {number}")
                found.append(fields)
        return tuple(found)

    def _content_groups(self, feed: Feed, file: str) -> Iterator[GroupRecord]:
        sorter = ElementSorter(names.GROUP, read_plain, self._time_zone)
        for number, elements in enumerate(feed.entries(), start=1):
            fields, _custom = sorter.sort(elements, file, f"entry {number}")
            if fields.get("is_content_group") and fields.get("group_name"):
                yield GroupRecord(fields["group_name"], fields.get("description", ""))

    def _settings(self, custom: Fields, members: AttributeRegistry, file: str) -> Fields:
        try:
            return typed_settings(custom, members, self._time_zone)
        except ValueError as error:
            raise PackageError(reason_of(error), file=file, element="settings") from error
