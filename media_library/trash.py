"""The trash of the library: files in a folder that no address shows, each below the id of its row."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction

from core import audit
from core.lib import clock
from core.lib.database_faults import may_be_stored
from core.lib.errors import InvalidInput
from core.lib.media_storage import TRASH, StorageBusy, StorageUnavailable
from core.rest.preconditions import Precondition
from media_library.changes import hold, media_not_found, smaller_paths
from media_library.models import MediaFile
from media_library.renditions.stored import forget_renditions
from media_library.uploads import name_of
from sites.models import Site
from sites.storing import asking

_storage: Any = default_storage
_Moves = list[tuple[str, str]]  # old and new names in the storage


@contextmanager
def _taking_back() -> Iterator[_Moves]:
    """Collect renamed files; a failure renames them back unless their row may be committed."""
    done: _Moves = []
    try:
        yield done
    except BaseException as error:
        if not may_be_stored(error):
            for name, target in reversed(done):
                with suppress(OSError, StorageBusy, StorageUnavailable):
                    _storage.move(target, name)
        raise


def trash_file(site_id: int, media_id: int, precondition: Precondition | None = None) -> MediaFile:
    """Move the file to the trash; its address is 404 from now on.

    After a crash before the commit, the row is listed and its files are in the trash: the next call continues, and
    `put_back` undoes it. Raises NotFound, LimitReached, Unavailable, and errors of the precondition.
    """
    with _taking_back() as done, transaction.atomic():
        row = hold(site_id, media_id, precondition)
        row.trashed_at = clock.now()
        row.version += 1
        row.save(update_fields=["trashed_at", "version"])
        audit.record("media.trashed", row, site_id=site_id)
        for name, hidden in _places(row):
            _move(name, hidden, done)
    return row


def restore_file(site_id: int, media_id: int) -> MediaFile:
    """Put the file back at its address. Raises NotFound, LimitReached, Unavailable, and InvalidInput

    (`media_path_taken`: another file has the address; `media_file_missing`: the storage has lost the file).
    """
    with _taking_back() as done, transaction.atomic():
        trashed = MediaFile.objects.filter(site=site_id, pk=media_id, trashed_at__isnull=False)
        if (row := trashed.select_for_update().first()) is None:
            raise media_not_found(site_id, media_id)
        places = _places(row)
        name, hidden = places[0]
        # If only the address has a file, an earlier restoration was interrupted.
        if _is_there(name) and _is_there(hidden):
            message = f"Another file has the path {row.path}."
            raise InvalidInput("media_path_taken", message, path=row.path)
        for name, hidden in places:
            if not _is_there(name):
                _move(hidden, name, done)
        if not _is_there(places[0][0]):
            raise InvalidInput("media_file_missing", f"The storage has lost the file {row.path}.", path=row.path)
        row.trashed_at, row.missing_since = None, None
        row.version += 1
        row.save(update_fields=["trashed_at", "missing_since", "version"])
        audit.record("media.restored", row, site_id=site_id)
    return row


def put_back(site: Site) -> int:
    """Put back the files of listed rows whose deletion was interrupted; return the number of rows."""
    folders = asking(partial(_storage.entries, name_of(site.pk, TRASH)))[0]
    ids = [int(name) for name in folders if name.isdecimal()]
    found = 0
    for start in range(0, len(ids), 500):
        listed = MediaFile.objects.filter(site=site, trashed_at__isnull=True, pk__in=ids[start : start + 500])
        for pk in listed.order_by("pk").values_list("pk", flat=True):
            found += _put_back(pk)
    return found


@transaction.atomic
def _put_back(pk: int) -> bool:
    row = MediaFile.objects.filter(pk=pk, trashed_at__isnull=True).select_for_update().first()
    if row is None or _is_there(name_of(row.site_id, row.path)):
        return False
    done: _Moves = []
    for name, hidden in _places(row):
        _move(hidden, name, done)
    return bool(done)


class OldFiles:
    """Files in the trash since before a moment, of one site or of all; without sites in the trash, which go whole."""

    def __init__(self, before: datetime, site_id: int | None = None) -> None:
        chosen = MediaFile.objects.filter(trashed_at__lt=before, site__trashed_at__isnull=True)
        chosen = chosen if site_id is None else chosen.filter(site=site_id)
        self._files = chosen.order_by("trashed_at", "pk")

    def __len__(self) -> int:
        return self._files.count()

    def purge(self, advance: Callable[[int], object] = lambda number: None) -> int:
        """Delete them permanently, each in a transaction; a later call continues. Return their number."""
        purged = 0
        for pk in list(self._files.values_list("pk", flat=True)):
            purged += self._purge(pk)
            advance(1)
        return purged

    @transaction.atomic
    def _purge(self, pk: int) -> bool:
        row = self._files.filter(pk=pk).select_for_update(of=("self",)).first()
        if row is None:
            return False  # restored since then
        # The file first: after a crash, the row is there to delete the rest.
        for _name, hidden in _places(row):
            asking(partial(_storage.delete, hidden))
        with suppress(OSError):
            _storage.delete(_folder_of(row))  # only file systems have folders without files
        forget_renditions(row.site_id, row.path)
        audit.record("media.purged", row, site_id=row.site_id)
        row.delete()
        return True


def _folder_of(row: MediaFile) -> str:
    return name_of(row.site_id, f"{TRASH}/{row.pk}")


def _places(row: MediaFile) -> list[tuple[str, str]]:
    """The names of the file and its smaller forms at their addresses, and in the trash."""
    paths = [row.path, *smaller_paths(row)]
    return [(name_of(row.site_id, path), f"{_folder_of(row)}/{path.rpartition('/')[2]}") for path in paths]


def _move(name: str, target: str, done: _Moves) -> None:
    """Rename the file if it exists."""
    with suppress(FileNotFoundError):
        asking(partial(_storage.move, name, target))
        done.append((name, target))


def _is_there(name: str) -> bool:
    try:
        asking(partial(_storage.size_of, name))
    except FileNotFoundError:
        return False
    return True
