"""Secrets that the service makes for itself at its first start."""

import os
import secrets
import tempfile
from pathlib import Path


def read_or_create(path: Path) -> str:
    """The secret kept in the file, made on first use and readable by its owner alone.

    Several processes may start at once: whoever links its file first wins, the others read it.
    Raises OSError when the folder cannot be written.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        _create(path)
    return path.read_text(encoding="ascii").strip()


def _create(path: Path) -> None:
    # mkstemp gives mode 0600; linking a complete file means that nobody ever reads half of it.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32) + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(temporary)
