import hashlib
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from django.core.exceptions import SuspiciousOperation
from django.core.files.storage import default_storage, storages

from core.lib.database_faults import may_be_stored
from core.lib.media_storage import TRASH, FileOfDisk, StorageBusy, StorageUnavailable

# Other folders and names beginning with a dot are files still being written, or can be made again.
_PART = rf"(?:{re.escape(TRASH)}|(?!\.)[^/\\\x00-\x1f\x7f]+)"
PRIVATE = ".private"  # in names of archives: the folder of files that no address shows
_NAME = re.compile(rf"(?:{re.escape(PRIVATE)}/)?{_PART}(?:/{_PART})*")
_MAX_NAME = 1000  # bytes, the limit of object stores
_storage: Any = default_storage


def _place_of(name: str) -> tuple[Any, str]:
    """Return the storage of the file, and its name there."""
    is_private = name.startswith(f"{PRIVATE}/")
    return (storages["private"], name.removeprefix(f"{PRIVATE}/")) if is_private else (_storage, name)


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
            storage, place = _place_of(folder)
            folders, files = storage.listdir(place)
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
        storage, place = _place_of(name)
        return int(storage.size_of(place))


def pieces_of(name: str, size: int) -> Iterator[bytes]:
    with _store_errors():
        storage, place = _place_of(name)
        yield from storage.parts(place, 0, size)


def part_of(name: str, start: int, stop: int) -> bytes:
    """Return the bytes of a file from `start` up to `stop`."""
    with _store_errors():
        storage, place = _place_of(name)
        return b"".join(storage.parts(place, start, stop))


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
        storage, place = _place_of(name)
        storage._save(place, FileOfDisk(content, name))


def remove(name: str) -> None:
    storage, place = _place_of(name)
    storage.delete(place)


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
