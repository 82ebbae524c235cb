"""Makes a site of a file that `check` has found whole: its uploaded files first, then all rows in one transaction."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from django.db import DataError, IntegrityError, transaction
from django.db.models import Max

from channels_app.models import Channel
from channels_app.tree_fields import Survey, mend
from cms_api import audit
from cms_api.operation.backup import media
from cms_api.operation.backup.progress import Progress
from contents.models import Content, ContentBody, ContentGroup, ContentTag, CustomField, LastTaxis
from sites.models import Site
from transfer.batches import BATCH, BATCH_CHARACTERS
from transfer.package import PackageError
from transfer.placement import Placement
from transfer.whole_site import numbering
from transfer.whole_site.checking import Checked
from transfer.whole_site.files import folder_of, read_head, read_pieces
from transfer.whole_site.lines import FILE, Line, LineReader
from transfer.whole_site.members import BODY, CHANNEL, CONTENT, FIELD, GROUP, ROWS, SITE, TAG
from transfer.whole_site.numbering import Numbering

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Imported:
    site_id: int
    are_numbers_kept: bool
    outside: int  # contents that refer to something that was not in the file


def import_site(file: BinaryIO, checked: Checked, placement: Placement, progress: Progress, source: str) -> Imported:
    """Make the site. `source` is what the audit calls the file.

    Raises PackageError and BackupFault; then the database is as it was, and no file is left in the storage. A process
    that is killed leaves no rows; files that it has stored lie in a folder of a number that no site has.
    """
    reserved = numbering.reserve(checked)
    try:
        with media.stored_for_rows() as stored, transaction.atomic():
            transaction.on_commit(stored.clear)
            distances = numbering.settle(checked, reserved)
            numbers = Numbering(checked, distances)
            _load(file, checked, _Loading(placement, numbers, progress), stored, progress)
            if reserved.are_kept:
                numbering.go_on_after(checked, distances)
            _finish(numbers.site_id, checked, source)
    finally:
        progress.end()
    return Imported(numbers.site_id, distances.are_kept, numbers.outside)


def _load(file: BinaryIO, checked: Checked, loading: "_Loading", stored: list[str], progress: Progress) -> None:
    reader = LineReader(file)
    lines = reader.lines()
    progress.begin("files")
    # Within the transaction: nobody else is given the number that their folder has.
    first = _store_files(lines, loading.site_id, stored, progress)
    progress.begin("rows", checked.rows)
    loading.load(chain(first, lines))
    if reader.sha256 != checked.sha256:
        raise PackageError("The file was changed while it was read; nothing was imported.")


def _store_files(lines: Iterator[Line], site_id: int, stored: list[str], progress: Progress) -> list[Line]:
    """Store the uploaded files, and return the first line that is of something else."""
    for line in lines:
        if line.kind != FILE:
            return [line]
        head = read_head(line)
        name = folder_of(site_id) + head.name
        stored.append(name)
        media.store(name, read_pieces(head, line, lines))
        progress.advance(1)
    return []


def _finish(site_id: int, checked: Checked, source: str) -> None:
    if Survey(site_id).problems:
        mend(site_id)  # as they were where the site comes from
    counts: dict[str, Any] = {"channels": len(checked.channels), "contents": len(checked.contents)}
    audit.note("site.imported", Site.objects.get(pk=site_id), site_id=site_id, source=source, **counts)


class _Loading:
    """Brings the rows of a file into the database, some of them at a time."""

    def __init__(self, placement: Placement, numbers: Numbering, progress: Progress) -> None:
        self._placement, self._numbers, self._progress = placement, numbers, progress
        self.site_id = numbers.site_id
        self._store: dict[str, Callable[[list[Row]], object]] = {
            SITE.name: self._store_site,
            FIELD.name: self._store_fields,
            GROUP.name: lambda rows: self._store_names(ContentGroup, rows),
            TAG.name: lambda rows: self._store_names(ContentTag, rows),
            CHANNEL.name: self._store_channels,
            CONTENT.name: self._store_contents,
        }

    def load(self, lines: Iterator[Line]) -> None:
        """Store all rows. Raises PackageError where the database refuses one."""
        for batch in _batches(lines):
            kind, rows = batch[0].kind, [ROWS[line.kind].read(line.members, line.place) for line in batch]
            try:
                self._store[kind](rows)
            except (DataError, IntegrityError) as error:
                place = f"Lines {batch[0].number} to {batch[-1].number}"
                words = str(error).partition("\n")[0]
                raise PackageError(f"The database refuses one of them: {words}.", file=place) from error
            self._progress.advance(len(batch))

    def _store_site(self, rows: list[Row]) -> None:
        (row,) = rows
        placed = self._placement
        fields = self._numbers.site(row) | {"site_dir": placed.site_dir, "is_root": placed.is_root}
        fields["site_name"] = placed.site_name or row["site_name"]
        taxis = (Site.objects.aggregate(last=Max("taxis"))["last"] or 0) + 1
        Site(**fields, taxis=taxis).save(force_insert=True)

    def _store_fields(self, rows: list[Row]) -> None:
        CustomField.objects.bulk_create(
            CustomField(site_id=self.site_id, folded_name=row["name"].casefold(), **row) for row in rows
        )

    def _store_names(self, model: type[ContentGroup] | type[ContentTag], rows: list[Row]) -> None:
        manager: Any = model._default_manager
        manager.bulk_create(model(site_id=self.site_id, **row) for row in rows)

    def _store_channels(self, rows: list[Row]) -> None:
        channels = [self._numbers.channel(row) for row in rows]
        Channel.objects.bulk_create(Channel(site_id=self.site_id, **fields) for fields, _ in channels)
        LastTaxis.objects.bulk_create(
            LastTaxis(channel_id=fields["id"], taxis=taxis) for fields, taxis in channels if taxis is not None
        )

    def _store_contents(self, rows: list[Row]) -> None:
        contents = [self._numbers.content(row) for row in rows]
        bodies = [
            ContentBody(content_id=row["id"], text=body) for row in contents if (body := row.pop(BODY)) is not None
        ]
        Content.objects.bulk_create(Content(site_id=self.site_id, **row) for row in contents)
        ContentBody.objects.bulk_create(bodies)


def _batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """Lines of one kind, a limited number and size at a time."""
    batch: list[Line] = []
    characters = 0
    for line in lines:
        if batch and (line.kind != batch[0].kind or len(batch) == BATCH or characters >= BATCH_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(line)
        characters += sum(len(value) for value in line.members.values() if isinstance(value, str))
    if batch:
        yield batch
