"""Importing a site from a package: everything or nothing."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from cms_api import audit
from sites.models import Site
from transfer.batches import read_ahead, read_batches
from transfer.channel_writer import ChannelWriter, wire_settings
from transfer.content_writer import ContentWriter
from transfer.package import SitePackage
from transfer.placement import Placement
from transfer.references import resolve_channel_settings

Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class ImportedChannel:
    """One line of what an import did."""

    channel_name: str
    depth: int
    content_count: int


@dataclass(frozen=True, slots=True)
class ImportedSite:
    site_id: int
    channels: list[ImportedChannel]

    @property
    def content_count(self) -> int:
        return sum(channel.content_count for channel in self.channels)


@transaction.atomic
def import_site(package: SitePackage, placement: Placement, progress: Progress = lambda written: None) -> ImportedSite:
    """Write the site, its channels and its contents, and return what was written.

    Ids are new; references between records of the package follow them. Calls `progress` with the
    number of contents of each batch. Raises PackageError; nothing is left behind then.
    """
    channels = write_channels(package, placement)
    writer = ContentWriter(channels)
    with closing(read_ahead(read_batches(package))) as batches:
        for batch in batches:
            writer.write(batch)
            progress(len(batch))
    writer.finish()
    imported = summarise(package, channels, writer)
    _note(imported, package.name)
    return imported


def _note(imported: ImportedSite, source: str) -> None:
    site = Site.objects.get(pk=imported.site_id)
    counts: dict[str, Any] = {"channels": len(imported.channels), "contents": imported.content_count}
    if source:
        audit.note("site.imported", site, site_id=site.pk, source=source, **counts)
    else:
        audit.note("site.created", site, site_id=site.pk, **counts)


def write_channels(package: SitePackage, placement: Placement) -> ChannelWriter:
    writer = ChannelWriter(package.site, placement)
    for record in package.channels():
        writer.write(record)
    # Only now the new ids of all channels are known. Reading the records twice keeps them out of memory.
    for record in package.channels():
        pk = writer.ids_by_position[record.position]
        resolve_channel_settings(pk, wire_settings(record.settings), writer.ids_by_source)
    return writer


def summarise(package: SitePackage, channels: ChannelWriter, contents: ContentWriter) -> ImportedSite:
    """Return what was written, channel by channel."""
    return ImportedSite(
        channels.site_id,
        [
            ImportedChannel(record.fields["channel_name"], len(record.position), contents.counts[record.position])
            for record in package.channels()
        ],
    )
