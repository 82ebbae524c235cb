"""Rows of a site's files, made to fit the storage."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import F, QuerySet

from core.archive import media
from core.archive.commands import Progress
from core.lib import clock
from core.lib.media_storage import SITE_FILES, StoredFile
from media_library.kinds import in_library
from media_library.models import MediaFile, title_of
from media_library.reading import read
from media_library.services import store_rows, stored_in
from media_library.trash import put_back
from sites.models import Site

_AT_A_TIME = 500  # rows in a transaction
Files = dict[str, StoredFile]


@dataclass(slots=True)
class Synced:
    added: int = 0
    changed: int = 0  # files with other bytes than their rows know, or that had been missing
    removed: int = 0  # rows
    missing: list[str] = field(default_factory=list)  # paths of rows that stay for their texts
    read: int = 0  # files
    is_storage_empty: bool = False  # although there are rows: these were left unchanged


def sync(site: Site, progress: Progress, *, dry_run: bool) -> Synced:
    """Add, change and remove rows in small transactions. Raises StorageBusy and StorageUnavailable."""
    found, stored = Synced(), set[str]()
    if not dry_run:
        put_back(site)
    progress.begin("files compared")
    for files in stored_folders(site):
        stored.update(files)
        chosen = in_library(site, files)
        for start in range(0, len(chosen), _AT_A_TIME):
            _compare(site, {path: files[path] for path in chosen[start : start + _AT_A_TIME]}, found, dry_run=dry_run)
        progress.advance(len(files))
    rows = MediaFile.objects.listed().filter(site=site)
    if not stored and rows.exists():
        found.is_storage_empty = True
        return found
    for batch in _batches(rows):
        _find_missing([row for row in batch if row.path not in stored], found, dry_run=dry_run)
    unread = rows.filter(sha256="")
    if dry_run:
        found.read = unread.count() + found.added + found.changed
        return found
    progress.begin("files read", unread.count())
    for batch in _batches(unread):
        for row in batch:
            found.read += _fill(row)
            progress.advance(1)
    return found


def stored_folders(site: Site) -> Iterator[Files]:
    waiting = [""]
    while waiting:
        below, files = stored_in(site, waiting.pop())
        yield files
        waiting += [folder for folder in below if not folder.rpartition("/")[2].startswith(".")]


def _compare(site: Site, files: Files, found: Synced, *, dry_run: bool) -> None:
    rows = {row.path: row for row in MediaFile.objects.filter(site=site, path__in=files)}
    added = {path: file for path, file in files.items() if path not in rows}
    changed = {
        path: files[path]
        for path, row in rows.items()
        if row.trashed_at is None and (row.missing_since or row.bytes != files[path].size)
    }
    found.added += len(added)
    found.changed += len(changed)
    if added and not dry_run:
        store_rows(site, added, only_missing=True)
    if changed and not dry_run:
        store_rows(site, changed)


def _batches(rows: QuerySet[MediaFile]) -> Iterator[list[MediaFile]]:
    last = 0
    while batch := list(rows.filter(pk__gt=last).order_by("pk")[:_AT_A_TIME]):
        last = batch[-1].pk
        yield batch


def _find_missing(rows: list[MediaFile], found: Synced, *, dry_run: bool) -> None:
    # Uploads since the listing have rows, too.
    lost = [row for row in rows if not is_stored(row)]
    typed = [row for row in lost if _has_texts(row)]
    found.missing += [row.path for row in typed]
    found.removed += len(lost) - len(typed)
    if dry_run or not lost:
        return
    with transaction.atomic():
        now = clock.now()
        some = MediaFile.objects.filter(pk__in=[row.pk for row in typed])
        some.update(missing_since=now, changed_at=now, version=F("version") + 1)
        MediaFile.objects.filter(pk__in=[row.pk for row in lost if row not in typed]).delete()


def is_stored(row: MediaFile) -> bool:
    try:
        media.size_of(f"{SITE_FILES.folder}/{row.site_id}/{row.path}")
    except FileNotFoundError:
        return False
    return True


def _has_texts(row: MediaFile) -> bool:
    """Return true if the row has something that the file would not bring back."""
    is_titled = row.title != title_of(row.path)
    return is_titled or any((row.alternative_text, row.credit, row.tags, row.folder_id, row.focal_x is not None))


def _fill(row: MediaFile) -> int:
    try:
        values = read(row)
    except FileNotFoundError:  # removed since; the next run finds that
        return 0
    # Not if the file has been replaced since.
    return MediaFile.objects.filter(pk=row.pk, version=row.version).update(**values)
