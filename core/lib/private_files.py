import os
import secrets
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

OTHERS = stat.S_IRWXG | stat.S_IRWXO
closed: list[Path] = []  # permissions that this process has withdrawn from other accounts


def exposed(folder: Path) -> list[Path]:
    """Return the files in the data folder that other accounts may access. The group may enter it and read published
    files."""
    found = [folder] if folder.stat().st_mode & stat.S_IRWXO else []
    for entry in os.scandir(folder):
        with suppress(FileNotFoundError):  # SQLite removes its files with the last connection
            # Public anyway; a proxy in the service's group may serve them itself.
            is_published = entry.name in {"media", "static"}
            if not is_published and not entry.is_symlink() and entry.stat().st_mode & OTHERS:
                found.append(Path(entry.path))
    return found


def withdraw(folder: Path) -> None:
    for path in exposed(folder):
        with suppress(OSError):
            path.chmod(path.stat().st_mode & ~OTHERS)
            closed.append(path)


def create_private(path: str) -> None:
    """Create an empty file that only its owner can read; ignore an existing one, and errors."""
    if not os.path.exists(path):
        with suppress(OSError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, stat.S_IRUSR | stat.S_IWUSR))


def read_or_create(path: Path) -> str:
    """Return the file's secret, created on first use (0600); of several processes, the first wins. Raises OSError."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        # mkstemp gives mode 0600; linking a complete file means that no process reads half of it.
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32) + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            with suppress(FileExistsError):
                os.link(temporary, path)
        finally:
            os.unlink(temporary)
    return path.read_text(encoding="ascii").strip()
