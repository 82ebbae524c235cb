"""Keeps the data folder from other accounts of the machine."""

import os
import stat
from contextlib import suppress
from pathlib import Path

OTHERS = stat.S_IRWXG | stat.S_IRWXO
# Published in any case; a proxy whose account is in the group of the service may serve these by itself.
_PUBLISHED = frozenset({"media", "static"})


def exposed(folder: Path) -> list[Path]:
    """The data folder and what it holds, as far as accounts other than the owner's have permissions there.

    Only the group may enter the folder, and use what is published.
    """
    found = [folder] if folder.stat().st_mode & stat.S_IRWXO else []
    for entry in os.scandir(folder):
        with suppress(FileNotFoundError):  # SQLite removes its files when the last connection ends
            if entry.name not in _PUBLISHED and not entry.is_symlink() and entry.stat().st_mode & OTHERS:
                found.append(Path(entry.path))
    return found


def withdraw(folder: Path) -> None:
    """Take those permissions away, as far as this account may."""
    for path in exposed(folder):
        with suppress(OSError):
            path.chmod(path.stat().st_mode & ~OTHERS)


def create_private(path: str) -> None:
    """Make an empty file that only its owner can read; leave one alone that exists, or that cannot be made."""
    if not os.path.exists(path):
        with suppress(OSError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, stat.S_IRUSR | stat.S_IWUSR))
