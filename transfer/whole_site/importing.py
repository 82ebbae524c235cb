"""Creates a site from a checked file: its uploaded files first, then all rows in one transaction."""

from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from django.db import DataError, IntegrityError, connection, transaction
from django.db.models import Max

from channels_app.tree_fields import Survey, mend
from core import audit
from core.archive import database, media
from core.archive.commands import Progress
from core.archive.reading import Archive
from core.archive.tables import Column, Row
from core.lib import clock
from core.lib.folding import is_blank
from media_library.models import MediaFile
from media_library.services import record_files
from sites.models import Site
from transfer.package import PackageError
from transfer.placement import Placement
from transfer.whole_site import numbering
from transfer.whole_site.checking import Checked
from transfer.whole_site.numbering import Distances, Numbering
from transfer.whole_site.tables import GROUP, SITE, TABLES, TAG, SiteTable, folder_of

# Of earlier releases, which made groups and tags of blank names.
_NAMES = {GROUP: "group_name", TAG: "tag_name"}
_ADDED = {
    "site_id": "integer",
    "folded_name": "text",
    "folded_key": "text",
    "token": "uuid",
    "digest": "text",
}  # columns that files lack


@dataclass(frozen=True, slots=True)
class Imported:
    site_id: int
    are_numbers_kept: bool
    outside: int  # contents that refer outside the file


def import_site(
    file: BinaryIO,
    checked: Checked,
    placement: Placement,
    progress: Progress,
    source: str,
    *,
    with_media: bool = True,
    reserved: Distances | None = None,
) -> Imported:
    """Create the site; `source` names the file in the audit log, `reserved` the result of `numbering.reserve`.

    Raises ArchiveError, leaving database and storage unchanged. A killed process leaves no rows, and files only in a
    folder of an unused id.
    """
    reserved = numbering.reserve(checked) if reserved is None else reserved
    try:
        with media.stored_for_rows() as stored, transaction.atomic():
            transaction.on_commit(stored.clear)
            # Free ids may have been taken since.
            distances = numbering.find_held(checked) if reserved.are_kept else reserved
            numbers = Numbering(checked, distances)
            archive = Archive(file, with_media=with_media, expected=checked.manifest)
            progress.begin("files")
            # Within the transaction, which reserves the id of their folder.
            for found in archive.files():
                stored.append(numbers.file(found.name))
                media.store(stored[-1], found.pieces)
                progress.advance(1)
            _load(archive, numbers, placement, progress)
            if reserved.are_kept:
                numbering.go_on_after(checked, distances)
            site = Site.objects.get(pk=numbers.site_id)
            _match_files(site, stored, with_media=with_media and checked.manifest.media.is_included)
            if Survey(numbers.site_id).problems:
                mend(numbers.site_id)  # restores the state of the original site
            counts: dict[str, Any] = {"channels": len(checked.channels), "contents": len(checked.contents)}
            audit.record("site.imported", site, site_id=site.pk, source=source, **counts)
    finally:
        progress.end()
    return Imported(numbers.site_id, distances.are_kept, numbers.outside)


def _load(archive: Archive, numbers: Numbering, placement: Placement, progress: Progress) -> None:
    progress.begin("rows", archive.manifest.rows)
    for table, parts in archive.tables():
        count = 0
        for rows in parts:
            try:
                if TABLES[table.name] is SITE:
                    _store_site(numbers, placement)
                else:
                    _store_rows(TABLES[table.name], rows, numbers)
            except (DataError, IntegrityError) as error:
                words = str(error).partition("\n")[0]
                place = f"Rows {count + 1} to {count + len(rows)} of {table.label}"
                raise PackageError(f"The database rejects one of them: {words}.", file=place) from error
            count += len(rows)
            progress.advance(len(rows))


def _match_files(site: Site, stored: list[str], *, with_media: bool) -> None:
    """Add rows of files that had none; without files, rows wait for them."""
    if with_media:
        record_files(site, (name.removeprefix(f"{folder_of(site.pk)}/") for name in stored), only_missing=True)
    else:
        MediaFile.objects.filter(site=site).update(missing_since=clock.now())


def _store_site(numbers: Numbering, placement: Placement) -> None:
    fields = numbers.site() | {"site_dir": placement.site_dir, "is_root": placement.is_root}
    fields["parent_id"] = placement.parent_id
    fields["site_name"] = placement.site_name or fields["site_name"]
    taxis = (Site.objects.aggregate(last=Max("taxis"))["last"] or 0) + 1
    Site(**fields, taxis=taxis).save(force_insert=True)


def _store_rows(each: SiteTable, rows: list[Row], numbers: Numbering) -> None:
    found = [numbers.row(each, dict(zip(each.names, row, strict=True))) for row in rows]
    if column := _NAMES.get(each):
        found = [fields for fields in found if not is_blank(fields[column])]
    if not found:
        return
    added = tuple(Column(name, kind) for name, kind in _ADDED.items() if name in found[0])
    table = replace(each.table, columns=(*each.table.columns, *added))
    names = [column.name for column in table.columns]
    database.load(connection, table, [[fields[name] for name in names] for fields in found])
