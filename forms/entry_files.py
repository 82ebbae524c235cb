"""Stores the files of entries where no address shows them.

A mark stands beside each file that is about to be stored or deleted, until its row is. After a crash, `sweep` finds by
the marks alone which files have no row.
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from itertools import islice
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import transaction

from core.archive import media
from core.lib import clock
from core.lib.database_faults import may_be_stored
from core.lib.media_storage import StorageUnavailable
from forms.models import EntryFile

FOLDER, _MARKS = "entries", "marks"
WAITING = timedelta(hours=1)  # for which a file waits for its entry, and a mark for its row
_NAME = re.compile("[0-9a-f]{32}")
_BATCH = 200  # rows per transaction


def _storage() -> Any:
    return storages["private"]


@contextmanager
def stored() -> Iterator[list[EntryFile]]:
    """Collect rows whose files are stored; files of those that are not in the database afterwards are deleted."""
    rows: list[EntryFile] = []
    try:
        yield rows
    except BaseException as error:
        if not may_be_stored(error):
            for row in rows:
                with suppress(OSError):  # later, by its mark
                    remove(row.path)
        raise
    for row in rows:
        if row.pk:
            _unmark(row.path)
        else:
            remove(row.path)


def write(row: EntryFile, data: bytes) -> None:
    """Store the file of the row, whose token is its name. Raises StorageUnavailable."""
    row.path = _path_of(row.token.hex)
    try:
        _mark(row.path)
        _storage()._save(row.path, ContentFile(data))
    except OSError as error:  # a full disk
        raise StorageUnavailable(str(error)) from error


def pieces(row: EntryFile) -> Iterator[bytes]:
    """Raises FileNotFoundError at once if the file is missing."""
    size = _storage().size_of(row.path)
    found: Iterator[bytes] = _storage().parts(row.path, 0, size)
    return found


def is_stored(row: EntryFile) -> bool:
    return bool(_storage().exists(row.path))


def forget(row: EntryFile) -> None:
    """Delete the file once the deletion of its row is committed."""
    if row.path:
        _mark(row.path)
        transaction.on_commit(partial(remove, row.path), robust=True)


def remove(path: str) -> None:
    _storage().delete(path)
    _unmark(path)


def sweep() -> None:
    """Delete files that have waited for their entry too long, and those that a crash has left without a row."""
    while _delete_waiting():
        pass
    _folders, marks = _storage().entries(_MARKS)
    before = time.time() - WAITING.total_seconds()
    due = [name for name, mark in marks.items() if mark.stored_at < before]
    for start in range(0, len(due), _BATCH):
        names = due[start : start + _BATCH]
        kept = _with_rows(names)
        for name in names:
            (_unmark if name in kept else remove)(_path_of(name))


def review() -> None:
    """Let `sweep` look at files without a row, which a restore leaves where it replaces rows."""
    names = (name.rpartition("/")[2] for name in media.names(f"{media.PRIVATE}/{FOLDER}"))
    while some := list(islice(names, _BATCH)):
        for name in set(some) - _with_rows(some):
            _mark(_path_of(name))


def _with_rows(names: list[str]) -> set[str]:
    tokens = EntryFile.objects.filter(token__in=[name for name in names if _NAME.fullmatch(name)])
    return {token.hex for token in tokens.values_list("token", flat=True)}


@transaction.atomic
def _delete_waiting() -> int:
    due = EntryFile.objects.filter(entry=None, created_at__lt=clock.now() - WAITING).order_by("created_at")
    # Locked, so that none gets an entry in between.
    numbers = [row.pk for row in due.select_for_update()[:_BATCH]]
    EntryFile.objects.filter(pk__in=numbers).delete()
    return len(numbers)


def _path_of(name: str) -> str:
    return f"{FOLDER}/{name[:2]}/{name}"


def _mark(path: str) -> None:
    _storage()._save(_mark_of(path), ContentFile(b""))


def _unmark(path: str) -> None:
    _storage().delete(_mark_of(path))


def _mark_of(path: str) -> str:
    return f"{_MARKS}/{path.rpartition('/')[2]}"
