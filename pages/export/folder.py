"""The folder of an export: which file a path is, and writing that survives being killed."""

import fcntl
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from core.archive.errors import ArchiveError

OWN = ".export"  # the folder of the manifest and of files being written
_UNFIT = re.compile(r"[\x00-\x1f\x7f\\]")


class UnfitPath(ValueError):
    """The path cannot be a file in the folder."""


class Written(NamedTuple):
    size: int
    mtime: int  # in nanoseconds


class Folder:
    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.own = self.root / OWN
        self.manifest = self.own / "manifest.sqlite3"
        self._parents: set[Path] = set()  # that are known to be inside

    def prepare(self, *, force: bool) -> None:
        """Create the folder and its internal files. Raises ArchiveError if it has files that no export has written."""
        self.root.mkdir(parents=True, exist_ok=True)
        if not force and not self.own.is_dir() and any(self.root.iterdir()):
            message = f"{self.root} has files that no export has written. Choose an empty folder, or add --force."
            raise ArchiveError(message)
        self.own.mkdir(exist_ok=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for one export at a time; the lock ends with the process. Raises ArchiveError."""
        with open(self.own / "lock", "w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ArchiveError(f"Another export is writing into {self.root}.") from error
            for left in self.own.glob("writing-*"):  # by an export that was killed
                left.unlink()
            yield

    @property
    def ignores_case(self) -> bool:
        """Return true if the file system ignores letter case in names."""
        return (self.own / "LOCK").exists()

    def file_of(self, path: str) -> Path:
        """Return the file of a path below the site's web address. Raises UnfitPath."""
        parts = f"{path}index.html".split("/")[1:] if path.endswith("/") else path.split("/")[1:]
        if not parts or not path.startswith("/") or any(part in {"", ".", ".."} for part in parts):
            raise UnfitPath("The path is not that of a file.")
        if _UNFIT.search(path) or parts[0].casefold() == OWN:
            raise UnfitPath("The path has characters or names that a file may not have here.")
        try:
            os.fsencode("/".join(parts)).decode()
        except UnicodeError as error:
            raise UnfitPath("The path has characters that a file may not have here.") from error
        return self.root.joinpath(*parts)

    def write(self, path: str, pieces: Iterable[bytes]) -> Written:
        """Write the file, which appears as a whole. Raises UnfitPath and OSError."""
        target = self.file_of(path)
        self._require_inside(target.parent)
        temporary = self.own / f"writing-{os.getpid()}"
        with open(temporary, "wb") as file:
            file.writelines(pieces)
            file.flush()
            found = os.fstat(file.fileno())
        os.replace(temporary, target)
        return Written(found.st_size, found.st_mtime_ns)

    def find(self, path: str) -> Written | None:
        with suppress(OSError):
            found = self.file_of(path).lstat()
            return Written(found.st_size, found.st_mtime_ns)
        return None

    def remove(self, path: str) -> None:
        """Remove the file, and folders that become empty."""
        target = self.file_of(path)
        with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            target.unlink()
        for parent in target.parents:
            if parent == self.root:
                break
            try:
                parent.rmdir()
            except OSError:  # not empty
                break

    def _require_inside(self, parent: Path) -> None:
        """Create the folder. Raises UnfitPath if a symbolic link points outside the export."""
        if parent in self._parents and parent.is_dir():
            return
        parent.mkdir(parents=True, exist_ok=True)
        if not parent.resolve().is_relative_to(self.root):
            raise UnfitPath("A symbolic link leads out of the folder.")
        if len(self._parents) > 10_000:
            self._parents.clear()
        self._parents.add(parent)
