from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import transaction

from contents.services.fields import describe_fields
from core import audit
from sites.models import Site
from sites.watermark_checks import mark_problem
from transfer.field_definitions import offered_fields
from transfer.form_writers import store_forms
from transfer.kept_ids import KeptIds, take_ids
from transfer.package import ContentRecord, SitePackage
from transfer.placement import Placement
from transfer.writers import (
    BATCH,
    ChannelWriter,
    ContentWriter,
    PlacedContent,
    store_definitions,
    store_templates,
)

# Bodies may be large: a batch ends early at this size.
BATCH_CHARACTERS = 4 * 1024**2

Progress = Callable[[int], object]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class ImportedChannel:
    channel_name: str
    depth: int
    content_count: int


@dataclass(frozen=True, slots=True)
class ImportedSite:
    site_id: int
    channels: list[ImportedChannel]
    kept_ids: KeptIds
    template_count: int
    entry_count: int

    @property
    def content_count(self) -> int:
        return sum(channel.content_count for channel in self.channels)


@transaction.atomic
def import_site(
    package: SitePackage,
    placement: Placement,
    progress: Progress = lambda written: None,
    *,
    keep_ids: bool = False,
    with_entries: bool = False,
) -> ImportedSite:
    """Write the site in one transaction; `progress` gets the size of each batch. Raises PackageError.

    `keep_ids` keeps ids that are free; this reads all contents twice. Entries of forms are personal data, and written
    only `with_entries`.
    """
    kept = take_ids(package) if keep_ids else KeptIds()
    channels = ChannelWriter(package.site, placement, keeps_ids=kept.channels)
    for channel in package.channels():
        channels.write(channel)
    templates = store_templates(channels.site_id, package.site.templates)
    store_definitions(channels.site_id, package.site.field_definitions)
    entries = store_forms(channels.site_id, package.site.forms, channels.ids_by_position, with_entries=with_entries)
    # References need the ids of all channels. Reading the records twice avoids holding them in memory.
    for channel in package.channels():
        channels.resolve(channel, templates)
    fields = offered_fields(package.site.field_definitions)
    contents = ContentWriter(channels, [field.name for field in fields], keeps_ids=kept.contents)
    with closing(read_ahead(read_batches(package))) as batches:
        for batch in batches:
            contents.write(batch)
            progress(len(batch))
    contents.finish()
    describe_fields(channels.site_id, fields)
    written = [
        ImportedChannel(channel.fields["channel_name"], len(channel.position), contents.counts[channel.position])
        for channel in package.channels()
    ]
    imported = ImportedSite(channels.site_id, written, kept, len(package.site.templates), entries)
    site = Site.objects.get(pk=imported.site_id)
    counts: dict[str, Any] = {"channels": len(written), "contents": imported.content_count}
    if entries:
        counts["entries"] = entries
    if package.name:
        audit.record("site.imported", site, site_id=site.pk, source=package.name, **counts)
    else:
        audit.record("site.created", site, site_id=site.pk, **counts)
    return imported


def read_batches(package: SitePackage) -> Iterator[list[PlacedContent]]:
    batch: list[PlacedContent] = []
    characters = 0
    for channel in package.channels():
        for content in package.contents(channel):
            batch.append(PlacedContent(channel, content))
            characters += count_characters(content)
            if len(batch) >= BATCH or characters >= BATCH_CHARACTERS:
                yield batch
                batch, characters = [], 0
    if batch:
        yield batch


def count_characters(content: ContentRecord) -> int:
    values = (*content.fields.values(), *content.settings.values())
    return sum(len(value) for value in values if isinstance(value, str))


def read_ahead(items: Iterator[Item]) -> Generator[Item]:
    """Yield the items while a thread reads the next one; the database takes most of the time of an import."""
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="read-ahead") as reader:
        coming = reader.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = reader.submit(next, items, None)
            yield item


def mark_warning(site_id: int) -> str:
    """A warning if the site's watermark cannot be drawn here; else ""."""
    problem = mark_problem(Site.objects.get(pk=site_id))
    if not problem:
        return ""
    return f"{problem.message} Until then, the site rejects pictures that are large enough for the watermark."
