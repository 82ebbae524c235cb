"""Writing the contents of one import in batches."""

from collections import Counter
from typing import Any

from django.db import DataError, IntegrityError
from django.utils.translation import gettext_lazy as _

from cms_api.lib import clock
from contents.models import Content, ContentBody, LastTaxis
from transfer.batches import BATCH, Batch, PlacedContent
from transfer.channel_writer import ChannelWriter, Position
from transfer.columns import Columns
from transfer.custom_fields import CustomFields
from transfer.package import ContentRecord, PackageError
from transfer.reasons import filled
from transfer.references import References


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
        """Write contents with their bodies."""
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
