"""Writing the contents of one import in batches."""

from collections import Counter
from typing import Any

import orjson
from django.db import DataError, IntegrityError
from django.utils.translation import gettext_lazy as _

from cms_api.lib import clock
from cms_api.rest.custom_members import MAX_NAME
from cms_api.rest.names import camelise
from contents.models import Content, ContentBody, CustomField, LastTaxis
from contents.wire.columns import BY_FOLDED_WIRE
from transfer.batches import BATCH, Batch, PlacedContent
from transfer.channel_writer import ChannelWriter, Position
from transfer.columns import Columns, check_length
from transfer.package import ContentRecord, PackageError, filled
from transfer.references import References

# A site has some dozens; the limit keeps a hostile package from filling the memory.
MAX_CUSTOM_FIELDS = 1_000


class CustomFields:
    """The custom fields met so far in one import."""

    def __init__(self) -> None:
        self._spellings: dict[str, str] = {}

    def settings_xml(self, settings: dict[str, Any], origin: str) -> str:
        """Return a content's settings as the stored text, its fields spelt as they were met first."""
        if not settings:
            return "{}"
        spelt = {self._spell(name, origin): value for name, value in settings.items()}
        return orjson.dumps({name: value for name, value in spelt.items() if name}).decode()

    def save(self, site_id: int) -> None:
        """Make the fields known to the site's filters."""
        CustomField.objects.bulk_create(
            CustomField(site_id=site_id, name=name, folded_name=folded)
            for folded, name in self._spellings.items()
            if name
        )

    def _spell(self, name: str, origin: str) -> str:
        folded = name.casefold()
        if folded not in self._spellings:
            self._add(folded, name, origin)
        return self._spellings[folded]

    def _add(self, folded: str, name: str, origin: str) -> None:
        # Some letters are two without their case, and the name is kept in that form too.
        check_length(max(name, folded, key=len), MAX_NAME, f"{name[:40]}… (its name)", origin)
        if len(self._spellings) >= MAX_CUSTOM_FIELDS:
            told = filled(_("The site has more than %(count)d custom fields."), count=MAX_CUSTOM_FIELDS)
            raise PackageError(told, file=origin)
        # A member of the interface wins over a setting of the same name.
        self._spellings[folded] = "" if folded in BY_FOLDED_WIRE else camelise(name)


class ContentWriter:
    """Writes contents below channels that exist, and at the end what only then is known."""

    def __init__(self, channels: ChannelWriter) -> None:
        self._site_id = channels.site_id
        self._channel_ids = channels.ids_by_position
        self._references = References(channels.ids_by_source)
        self._custom_fields = CustomFields()
        self._columns = Columns(Content)
        self._now = clock.now()
        self._last_taxis: Counter[int] = Counter()
        self.counts: Counter[Position] = Counter()

    def write(self, batch: Batch) -> None:
        contents = [self._prepare(placed) for placed in batch]
        try:
            Content.objects.bulk_create(contents)
            ContentBody.objects.bulk_create(
                ContentBody(content=content, text=placed.content.fields.get("content", ""))
                for content, placed in zip(contents, batch, strict=True)
            )
        except (DataError, IntegrityError) as error:
            place = f"{batch[0].content.origin} to {batch[-1].content.origin}"
            raise PackageError(
                filled(_("The database refuses a content: %(error)s."), error=error), file=place
            ) from error
        for content, placed in zip(contents, batch, strict=True):
            self._references.add(placed.content, content)

    def finish(self) -> None:
        """Write the references between contents, and what lists and filters need."""
        self._references.resolve()
        self._custom_fields.save(self._site_id)
        LastTaxis.objects.bulk_create(
            (LastTaxis(channel_id=pk, taxis=taxis) for pk, taxis in self._last_taxis.items()),
            batch_size=BATCH,
        )

    def _prepare(self, placed: PlacedContent) -> Content:
        record, channel_id = placed.content, self._channel_ids[placed.channel.position]
        last_taxis = self._last_taxis[channel_id]
        fields = self._fields(record, last_taxis + 1)
        self._last_taxis[channel_id] = max(fields["taxis"], last_taxis)
        self.counts[placed.channel.position] += 1
        return Content(site_id=self._site_id, channel_id=channel_id, **fields)

    def _fields(self, record: ContentRecord, next_taxis: int) -> dict[str, Any]:
        # A date that never happened counts as not given.
        given = {name: value for name, value in record.fields.items() if value is not None}
        fields = {"taxis": next_taxis} | given
        fields.pop("content", None)
        if not fields.get("title", "").strip():
            raise PackageError(_("The content has no title."), file=record.origin, element="field title")
        self._columns.check(fields, record.origin)
        fields.setdefault("last_edit_date", fields.setdefault("add_date", self._now))
        return fields | {
            "source_id": self._references.source(fields.get("source_id", 0)),
            "reference_id": self._references.content(fields.get("reference_id", 0)),
            "settings_xml": self._custom_fields.settings_xml(record.settings, record.origin),
        }
