import hashlib
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from django.core.exceptions import SuspiciousOperation
from django.core.files.storage import default_storage

from core.lib.database_faults import may_be_stored
from core.lib.media_storage import TRASH, FileOfDisk, StorageBusy, StorageUnavailable

# Other folders and names beginning with a dot are files still being written, or can be made again.
_PART = rf"(?:{re.escape(TRASH)}|(?!\.)[^/\\\x00-\x1f\x7f]+)"
_NAME = re.compile(rf"{_PART}(?:/{_PART})*")
_MAX_NAME = 1000  # bytes, the limit of object stores
_storage: Any = default_storage


@contextmanager
def _store_errors() -> Iterator[None]:
    """Turn an object store library's errors into `StorageUnavailable`, without importing the library."""
    try:
        yield
    except (OSError, SuspiciousOperation, StorageBusy, StorageUnavailable):
        raise
    except Exception as error:
        raise StorageUnavailable(f"{type(error).__name__}: {error}") from error


def is_name(name: str) -> bool:
    """Return true if a file may have this name: inside the storage, and not hidden, except in the trash."""
    return bool(_NAME.fullmatch(name)) and len(name.encode()) <= _MAX_NAME


def names(folder: str = "", *, with_trash: bool = False, without: str = "") -> Iterator[str]:
    """Yield the names of all files, sorted within each folder; may include files that are not ours.

    `without` is a folder whose files are left out.
    """
    try:
        with _store_errors():
            folders, files = _storage.listdir(folder)
    except FileNotFoundError:
        return  # just removed, or nothing was ever stored
    below = f"{folder}/" if folder else ""
    for name in sorted(files):
        if not name.startswith("."):
            yield below + name
    for name in sorted(folders):
        if below + name != without and (not name.startswith(".") or (with_trash and name == TRASH)):
            yield from names(below + name, with_trash=with_trash, without=without)


def size_of(name: str) -> int:
    """Raises `FileNotFoundError`."""
    with _store_errors():
        return int(_storage.size_of(name))


def pieces_of(name: str, size: int) -> Iterator[bytes]:
    with _store_errors():
        yield from _storage.parts(name, 0, size)


def part_of(name: str, start: int, stop: int) -> bytes:
    """Return the bytes of a file from `start` up to `stop`."""
    with _store_errors():
        return b"".join(_storage.parts(name, start, stop))


def sum_of(name: str) -> str | None:
    """Return a file's SHA-256; None if it does not exist."""
    try:
        return digest(pieces_of(name, size_of(name)))
    except (FileNotFoundError, IsADirectoryError):
        return None


def digest(pieces: Iterable[bytes]) -> str:
    found = hashlib.sha256()
    for piece in pieces:
        found.update(piece)
    return found.hexdigest()


def store(name: str, pieces: Iterable[bytes]) -> None:
    """Store a file under exactly this name, replacing any other; never partially."""
    with tempfile.TemporaryFile() as content:
        for piece in pieces:
            content.write(piece)
        content.seek(0)
        store_file(name, content)


def store_file(name: str, content: IO[bytes]) -> None:
    """Store a copy of an open file of this disk as `store` does."""
    if not is_name(name):
        raise SuspiciousOperation(f"{name!r} is not a valid file name.")
    # Not `save`, which picks another name if this one is taken.
    with _store_errors():
        _storage._save(name, FileOfDisk(content, name))


def remove(name: str) -> None:
    _storage.delete(name)


@contextmanager
def stored_for_rows() -> Iterator[list[str]]:
    """Collect names of files stored for rows to come; a failure removes them unless the rows may be committed.

    The block must clear the list on commit.
    """
    stored: list[str] = []
    try:
        yield stored
    except BaseException as error:
        if not may_be_stored(error):
            for name in stored:
                remove(name)
        raise
