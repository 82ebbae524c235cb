import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from core.archive.errors import ArchiveError

_WITHOUT_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)  # file systems without hard links


@contextmanager
def new_file(path: Path, *, replace: bool = False) -> Iterator[BinaryIO]:
    """Write a file that appears, durably and for its owner only, if the block succeeds. Raises `ArchiveError`."""
    if not replace and path.exists():
        raise ArchiveError(f"{path} already exists and is not overwritten.")
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(handle)
        if replace:
            os.replace(temporary, path)
        else:
            _link(temporary, path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            with suppress(OSError):  # some network shares cannot sync folders
                os.fsync(folder)
        finally:
            os.close(folder)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _link(temporary: str, path: Path) -> None:
    try:
        try:
            os.link(temporary, path)  # unlike rename, never overwrites
        except OSError as error:
            if error.errno not in _WITHOUT_LINKS:
                raise
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
            os.replace(temporary, path)
    except FileExistsError as error:
        raise ArchiveError(f"{path} was created by another process and is not overwritten.") from error
