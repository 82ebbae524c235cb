"""Tries a backup: restores it into a database of its own, checks what follows from the rows there, and asks the API."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from cms_api.operation.backup.faults import BackupFault

_DATABASE = "db.sqlite3"
_ANALYZE = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('ANALYZE')"
_SHOWN = 2000  # characters of what a step has said


def try_out(path: Path) -> Iterator[str]:
    """Restore into an SQLite file in a folder that is gone afterwards, and yield what each step says when it is done.

    Every step is a process of its own, since a process has one database. Raises BackupFault for a step that fails.
    """
    with tempfile.TemporaryDirectory(prefix="cms-verify-") as folder:
        for what, arguments in _steps(path, f"{folder}/{_DATABASE}"):
            done = subprocess.run(  # noqa: S603 - our own
                [sys.executable, *arguments],
                cwd=settings.BASE_DIR,
                env=_environment(folder),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
            )
            if done.returncode:
                raise BackupFault(f"{what} failed:\n{(done.stdout + done.stderr).strip()[-_SHOWN:]}")
            yield f"{what}: {done.stdout.strip().rpartition(chr(10))[2] or 'done'}"


def _steps(path: Path, database: str) -> list[tuple[str, list[str]]]:
    manage = str(settings.BASE_DIR / "manage.py")
    return [
        ("Making an empty database", [manage, "migrate", "--verbosity", "0"]),
        ("Restoring the rows", [manage, "restore", str(path.resolve()), "--no-media", "--no-input"]),
        # Without them the comparison of lists takes hours for thousands of tags.
        ("Gathering statistics", ["-c", _ANALYZE, database]),
        ("Lists of contents (check_lists)", [manage, "check_lists"]),
        ("Trees of channels (check_tree)", [manage, "check_tree"]),
        ("Answers of the API", ["-m", "cms_api.operation.backup.answering"]),
    ]


def _environment(folder: str) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("CMS_")}
    return ours | {
        "CMS_DATA_DIR": folder,
        "CMS_DATABASE_URL": f"sqlite:///{folder}/{_DATABASE}",
        # Of this installation, so that what depends on them is answered as it would be here.
        "CMS_SECRET_KEY": settings.SECRET_KEY,
        "CMS_PASSWORD_PEPPERS": ",".join(f"{name}:{secret}" for name, secret in settings.PASSWORD_PEPPERS.items()),
        "CMS_TIME_ZONE": settings.TIME_ZONE,
        "CMS_JOBS_AT_ONCE": "0",
        "CMS_LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "cms_api.settings",
    }
