"""Writes the channels and contents of an import; references get the new ids."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import orjson
from django.db import DataError, IntegrityError
from django.db.models import Max
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from channels_app.services import create_channel, create_site
from contents.models import Content, ContentBody, ContentGroup, ContentPicture, CustomField, LastTaxis
from contents.wire.columns import BY_FOLDED_WIRE
from core.lib import clock
from core.rest import custom_members
from core.rest.names import camelise, to_wire
from pages.models import Template
from sites.models import FieldDefinition, Site
from transfer.columns import MAX_NAME, Columns, check_length
from transfer.package import (
    ChannelRecord,
    ContentRecord,
    FieldRecord,
    PackageError,
    SiteRecord,
    TemplateRecord,
    filled,
    template_key,
)
from transfer.placement import Placement

Position = tuple[int, ...]
TemplateIds = dict[tuple[str, str], int]  # by `template_key`

BATCH = 500
# Sites have dozens; the limit protects memory from hostile packages.
MAX_CUSTOM_FIELDS = 1_000
# Channel settings with ids of channels (comma-separated) or of a site.
CHANNEL_LISTS = ("createChannelIDsIfContentChanged", "transChannelIds")
SITE = "transSiteId"


class ChannelWriter:
    """Writes channels, parents first; the home channel creates the site."""

    def __init__(self, site: SiteRecord, placement: Placement, *, keeps_ids: bool = False) -> None:
        self._site, self._placement, self._keeps_ids = site, placement, keeps_ids
        self._columns = Columns(Channel)
        self._taken: set[tuple[str, str]] = set()
        self.site_id = 0
        self.ids_by_position: dict[Position, int] = {}
        self.ids_by_source: dict[int, int] = {}

    def write(self, record: ChannelRecord) -> None:
        origin, position = record.origin, record.position
        self._columns.check(record.fields, origin)
        # The tree determines the taxis; null dates ("never") count as missing.
        fields = {key: value for key, value in record.fields.items() if value is not None and key != "taxis"}
        name = fields.pop("channel_name", "")
        if not name.strip():
            raise PackageError(_("The channel has no name."), file=origin, element="field channelName")
        for key in ("index_name", "file_path"):  # unique within a site
            value = fields.get(key) or ""
            if value and (key, value) in self._taken:
                reason = filled(_('Another channel of the package also has "%(value)s".'), value=value)
                raise PackageError(reason, file=origin, element=f"field {to_wire(key)}")
            self._taken.add((key, value))
        fields["settings"] = wire_settings(record.settings)
        if self._keeps_ids:
            fields["id"] = record.source_id
        try:
            if position:
                parent = Channel(pk=self.ids_by_position[position[:-1]], site_id=self.site_id)
                pk = create_channel(parent, name, **fields).pk
            else:
                pk = self.site_id = _create_site(self._site, self._placement, name, fields).pk
        except (DataError, IntegrityError) as error:
            told = filled(_("The database rejects the channel: %(error)s."), error=error)
            raise PackageError(told, file=origin) from error
        self.ids_by_position[position] = pk
        if record.source_id:
            self.ids_by_source[record.source_id] = pk

    def resolve(self, record: ChannelRecord, templates: TemplateIds) -> None:
        """Store the channel's templates, and its settings with new ids, once all channels are written."""
        settings = wire_settings(record.settings)
        renumbered = {
            name: self._renumbered(name, value) for name, value in settings.items() if name in (*CHANNEL_LISTS, SITE)
        }
        changed: dict[str, Any] = {"settings": settings | renumbered} if renumbered else {}
        named = {column: templates.get(template_key(*each)) for column, each in record.templates.items()}
        changed |= {column: pk for column, pk in named.items() if pk}
        if changed:
            Channel.objects.filter(pk=self.ids_by_position[record.position]).update(**changed)

    def _renumbered(self, name: str, value: Any) -> Any:
        if name == SITE:
            # A site has its home channel's id.
            return self.ids_by_source.get(int(value), 0)
        found = (self.ids_by_source.get(int(item)) for item in re.findall("[0-9]{1,18}", str(value)))
        return ",".join(str(pk) for pk in found if pk)


def _create_site(site: SiteRecord, placement: Placement, home_name: str, home: dict[str, Any]) -> Site:
    fields = {"site_name": placement.site_name or site.site_name or home_name, "table_name": site.table_name}
    Columns(Site).check(fields, "The site")
    created = create_site(
        **fields,
        home_name=home_name,
        home=home,
        site_dir=placement.site_dir,
        is_root=placement.is_root,
        parent_id=placement.parent_id,
        taxis=(Site.objects.aggregate(last=Max("taxis"))["last"] or 0) + 1,
        settings=wire_settings(site.settings),
    )
    for group in site.content_groups:
        check_length(group.group_name, MAX_NAME, "groupName", "The site")
    ContentGroup.objects.bulk_create(
        (
            ContentGroup(site=created, group_name=group.group_name, description=group.description, taxis=taxis)
            for taxis, group in enumerate(site.content_groups, start=1)
        ),
        ignore_conflicts=True,  # of duplicate names the first wins
    )
    return created


def wire_settings(settings: dict[str, Any]) -> dict[str, Any]:
    return {camelise(name): value for name, value in settings.items()}


def store_templates(site_id: int, records: Iterable[TemplateRecord]) -> TemplateIds:
    stored = Template.objects.bulk_create(Template(site_id=site_id, **record.fields) for record in records)
    return {template_key(each.kind, each.name): each.pk for each in stored}


def store_definitions(site_id: int, records: Iterable[FieldRecord]) -> None:
    FieldDefinition.objects.bulk_create(FieldDefinition(site_id=site_id, **record.fields) for record in records)


class PlacedContent(NamedTuple):
    channel: ChannelRecord
    content: ContentRecord


class ContentWriter:
    """Writes contents of existing channels; `finish` writes rows that depend on all contents."""

    def __init__(self, channels: ChannelWriter, fields: Iterable[str] = (), *, keeps_ids: bool = False) -> None:
        self._channels, self._keeps_ids = channels, keeps_ids
        self._columns = Columns(Content)
        self._now = clock.now()
        self._last_taxis: Counter[int] = Counter()
        # Casefolded name → first spelling of a custom field.
        self._spellings = {name.casefold(): name for name in fields}
        self._ids_by_source: dict[int, int] = {}
        self._waiting: list[tuple[int, int]] = []  # contents whose reference target comes later
        self.counts: Counter[Position] = Counter()

    def write(self, batch: list[PlacedContent]) -> None:
        contents = [self._prepare(placed) for placed in batch]
        try:
            Content.objects.bulk_create(contents)
            ContentBody.objects.bulk_create(
                ContentBody(content=content, text=placed.content.fields.get("content", ""))
                for content, placed in zip(contents, batch, strict=True)
            )
        except (DataError, IntegrityError) as error:
            place = f"{batch[0].content.origin} to {batch[-1].content.origin}"
            told = filled(_("The database rejects a content item: %(error)s."), error=error)
            raise PackageError(told, file=place) from error
        pictures: list[ContentPicture] = []
        for content, (_channel, record) in zip(contents, batch, strict=True):
            if record.source_id:
                self._ids_by_source.setdefault(record.source_id, content.pk)
            pictures += [
                ContentPicture(content=content, **{"taxis": taxis} | fields)
                for taxis, fields in enumerate(record.pictures, start=1)
            ]
            reference_id = record.fields.get("reference_id", 0)
            if reference_id and not content.reference_id:
                self._waiting.append((content.pk, reference_id))
        ContentPicture.objects.bulk_create(pictures)

    def finish(self) -> None:
        found = [
            Content(pk=pk, reference_id=self._ids_by_source[reference_id])
            for pk, reference_id in self._waiting
            if reference_id in self._ids_by_source  # others stay 0
        ]
        Content.objects.bulk_update(found, ["reference_id"], batch_size=BATCH)
        CustomField.objects.bulk_create(
            CustomField(site_id=self._channels.site_id, name=name, folded_name=folded, taxis=taxis)
            for taxis, (folded, name) in enumerate(self._spellings.items(), start=1)
            if name
        )
        LastTaxis.objects.bulk_create(
            (LastTaxis(channel_id=pk, taxis=taxis) for pk, taxis in self._last_taxis.items()),
            batch_size=BATCH,
        )

    def _prepare(self, placed: PlacedContent) -> Content:
        record, position = placed.content, placed.channel.position
        channel_id = self._channels.ids_by_position[position]
        last_taxis = self._last_taxis[channel_id]
        # Null dates ("never") count as missing.
        given = {name: value for name, value in record.fields.items() if value is not None and name != "content"}
        fields = {"taxis": last_taxis + 1} | given
        if not fields.get("title", "").strip():
            raise PackageError(_("The content item has no title."), file=record.origin, element="field title")
        self._columns.check(fields, record.origin)
        fields.setdefault("last_edit_date", fields.setdefault("add_date", self._now))
        source_id = fields.get("source_id", 0)
        if source_id > 0:  # a channel; negative codes stay
            source_id = self._channels.ids_by_source.get(source_id, 0)
        fields |= {
            "source_id": source_id,
            "reference_id": self._ids_by_source.get(fields.get("reference_id", 0), 0),
            "settings_xml": self._settings_xml(record.settings, record.origin),
        }
        self._last_taxis[channel_id] = max(fields["taxis"], last_taxis)
        if self._keeps_ids:
            fields["id"] = record.source_id
        self.counts[position] += 1
        return Content(site_id=self._channels.site_id, channel_id=channel_id, **fields)

    def _settings_xml(self, settings: dict[str, Any], origin: str) -> str:
        if not settings:
            return "{}"
        spelt = {self._spell(name, origin): value for name, value in settings.items()}
        return orjson.dumps({name: value for name, value in spelt.items() if name}).decode()

    def _spell(self, name: str, origin: str) -> str:
        folded = name.casefold()
        if folded not in self._spellings:
            # Casefolding may lengthen a name, and both forms are stored.
            check_length(max(name, folded, key=len), custom_members.MAX_NAME, f"{name[:40]}… (its name)", origin)
            if len(self._spellings) >= MAX_CUSTOM_FIELDS:
                told = filled(_("The site has more than %(count)d custom fields."), count=MAX_CUSTOM_FIELDS)
                raise PackageError(told, file=origin)
            # Standard members win over settings of the same name.
            self._spellings[folded] = "" if folded in BY_FOLDED_WIRE else camelise(name)
        return self._spellings[folded]
