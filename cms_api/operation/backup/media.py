"""The files of the media storage: which there are, reading and storing them, whatever the storage."""

import hashlib
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.core.files.base import File
from django.core.files.storage import default_storage

from cms_api.lib.database_faults import may_be_stored
from cms_api.lib.media_storage import StorageBusy, StorageUnavailable

# Folders and names that begin with a dot are files that are just being written.
_NAME = re.compile(r"(?!\.)[^/\\\x00-\x1f\x7f]+(?:/(?!\.)[^/\\\x00-\x1f\x7f]+)*")
_MOST_NAME = 1000  # bytes, what object stores allow
_storage: Any = default_storage


@contextmanager
def _store_errors() -> Iterator[None]:
    """What the library of an object store raises, which only those who use one load, is a StorageUnavailable."""
    try:
        yield
    except (OSError, SuspiciousOperation, StorageBusy, StorageUnavailable):
        raise
    except Exception as error:
        raise StorageUnavailable(f"{type(error).__name__}: {error}") from error


def is_name(name: str) -> bool:
    """Whether a file of the storage may be called so: below its folder, and nothing hidden."""
    return bool(_NAME.fullmatch(name)) and len(name.encode()) <= _MOST_NAME


def names(folder: str = "") -> Iterator[str]:
    """The names of all files, in their order within each folder; those that no file of ours has too."""
    try:
        with _store_errors():
            folders, files = _storage.listdir(folder)
    except FileNotFoundError:
        return  # gone meanwhile, or nothing was ever stored
    below = f"{folder}/" if folder else ""
    for name in sorted(files):
        if not name.startswith("."):
            yield below + name
    for name in sorted(folders):
        if not name.startswith("."):
            yield from names(below + name)


def size_of(name: str) -> int:
    """How many bytes the file has. Raises FileNotFoundError."""
    with _store_errors():
        return int(_storage.size_of(name))


def pieces_of(name: str, size: int) -> Iterator[bytes]:
    """The content of a file of that size, some of it at a time."""
    with _store_errors():
        yield from _storage.parts(name, 0, size)


def sum_of(name: str) -> str | None:
    """The SHA-256 of a file; None where there is none of that name."""
    try:
        return digest(pieces_of(name, size_of(name)))
    except (FileNotFoundError, IsADirectoryError):
        return None


def digest(pieces: Iterable[bytes]) -> str:
    """The SHA-256 of what the pieces are together."""
    found = hashlib.sha256()
    for piece in pieces:
        found.update(piece)
    return found.hexdigest()


def store(name: str, pieces: Iterable[bytes]) -> None:
    """Store a file under that very name, in place of another if there is one. It is whole, or not there at all."""
    if not is_name(name):
        raise SuspiciousOperation(f"{name!r} cannot be the name of a file.")
    with tempfile.TemporaryFile() as content:
        for piece in pieces:
            content.write(piece)
        content.seek(0)
        # Not `save`, which takes another name where one is taken.
        with _store_errors():
            _storage._save(name, File(content, name))


def remove(name: str) -> None:
    """Remove a file; one that is gone is no error."""
    _storage.delete(name)


@contextmanager
def stored_for_rows() -> Iterator[list[str]]:
    """The names of the files that are stored for rows to come: removed again if the block fails.

    It clears them when it commits: whatever fails from then on, rows name these files. Where it is not known whether a
    commit was made, they stay, and do no harm if no row names them.
    """
    stored: list[str] = []
    try:
        yield stored
    except BaseException as error:
        if not may_be_stored(error):
            for name in stored:
                remove(name)
        raise
