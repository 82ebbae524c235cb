import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from core.archive.errors import ArchiveError
from core.archive.manifest import Manifest

_DATABASE = "db.sqlite3"
_ANALYZE = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('ANALYZE')"
_SHOWN = 2000  # characters of a step's output


def try_out(path: Path, manifest: Manifest) -> Iterator[str]:
    """Restore into a temporary SQLite file, one process per step; yield a line for each. Raises `ArchiveError`."""
    manage = str(settings.BASE_DIR / "manage.py")
    bring_in = ["import_site", "--site-dir", "site"] if manifest.site else ["restore", "--no-input"]
    with tempfile.TemporaryDirectory(prefix="cms-verify-") as folder:
        for what, arguments in (
            ("Creating an empty database", [manage, "migrate", "--verbosity", "0"]),
            ("Restoring the rows", [manage, *bring_in, "--no-media", str(path.resolve())]),
            # Without statistics, comparing lists takes hours for thousands of tags.
            ("Gathering statistics", ["-c", _ANALYZE, f"{folder}/{_DATABASE}"]),
            ("Lists of contents (check_lists)", [manage, "check_lists"]),
            ("Uses of media (check_media_uses)", [manage, "check_media_uses"]),
            ("Channel trees (check_tree)", [manage, "check_tree"]),
            ("Responses of the API", ["-m", "cms_api.backup.answering"]),
        ):
            done = subprocess.run(  # noqa: S603 - our own command
                [sys.executable, *arguments],
                cwd=settings.BASE_DIR,
                env=_environment(folder),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
            )
            if done.returncode:
                raise ArchiveError(f"{what} failed:\n{(done.stdout + done.stderr).strip()[-_SHOWN:]}")
            yield f"{what}: {done.stdout.strip().rpartition(chr(10))[2] or 'done'}"


def _environment(folder: str) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("CMS_")}
    return ours | {
        "CMS_DATA_DIR": folder,
        "CMS_DATABASE_URL": f"sqlite:///{folder}/{_DATABASE}",
        # From this installation, so that the API behaves as it would here.
        "CMS_SECRET_KEY": settings.SECRET_KEY,
        "CMS_PASSWORD_PEPPERS": ",".join(f"{name}:{secret}" for name, secret in settings.PASSWORD_PEPPERS.items()),
        "CMS_TIME_ZONE": settings.TIME_ZONE,
        "CMS_JOBS_AT_ONCE": "0",
        "CMS_LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "cms_api.settings",
    }
