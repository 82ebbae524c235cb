"""A file that bears its name only when it is whole."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from cms_api.operation.backup.faults import BackupFault

_WITHOUT_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)  # file systems: FAT, network shares


@contextmanager
def new_file(path: Path, *, replace: bool = False) -> Iterator[BinaryIO]:
    """A file that takes the name when the block ends well, outlasts a power cut from then on, and is gone otherwise.

    Its owner alone may read it. A file of the name is never overwritten unless `replace` says so. Raises BackupFault.
    """
    if not replace and path.exists():
        raise BackupFault(f"{path} is there already; a new file overwrites nothing.")
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(handle)
        _name(temporary, path, replace=replace)
        _sync(path.parent)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _name(temporary: str, path: Path, *, replace: bool) -> None:
    if replace:
        os.replace(temporary, path)
        return
    try:
        try:
            os.link(temporary, path)  # unlike a renaming it overwrites nothing
        except OSError as error:
            if error.errno not in _WITHOUT_LINKS:
                raise
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
            os.replace(temporary, path)
    except FileExistsError as error:
        raise BackupFault(f"{path} has come into being meanwhile; a new file overwrites nothing.") from error


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # network shares that know no such thing for folders
            os.fsync(handle)
    finally:
        os.close(handle)
