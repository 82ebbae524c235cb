"""Installations of either engine, of which each step is a process of its own."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from tests.postgresql import HAS_POSTGRESQL, new_database
from tools import forking
from tools.servers import ROOT

SECRETS = {"CMS_SECRET_KEY": "k" * 60, "CMS_PASSWORD_PEPPERS": "second:s3cond-pepper,first:f1rst-pepper"}
ENGINES = ("sqlite", "postgresql") if HAS_POSTGRESQL else ("sqlite",)
_SECONDS = 300


class Place:
    """An installation, migrated unless said otherwise, with secrets that all of them have."""

    def __init__(self, folder, url="", *, migrate=True):
        self.folder = folder
        self.environment = (
            {name: value for name, value in os.environ.items() if not name.startswith("CMS_")}
            | SECRETS
            | {
                "CMS_DATA_DIR": str(folder),
                "CMS_DATABASE_URL": url,
                "CMS_JOBS_AT_ONCE": "0",
                "CMS_LOG_LEVEL": "ERROR",
                "DJANGO_SETTINGS_MODULE": "cms_api.settings",
            }
        )
        if not migrate:
            return
        # Of the first SQLite database the others are copies, which takes less time than its migrations.
        migrated = Path(os.environ["CMS_DATA_DIR"]) / "migrated.sqlite3"
        if not url and migrated.exists():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(migrated, folder / "db.sqlite3")
            return
        self.manage("migrate", "--verbosity", "0")
        if not url:
            shutil.copy(folder / "db.sqlite3", migrated)

    def begin(self, *arguments):
        """A Python process with those arguments, not waited for."""
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments):
        """The end of such a process: exit code, output, errors."""
        code, out, errors = forking.run(self.environment, *map(str, arguments), seconds=_SECONDS)
        return code, out.strip(), errors.strip()

    def manage(self, *arguments):
        """What a management command has written; it must end well."""
        code, out, errors = self.run("manage.py", *map(str, arguments))
        assert code == 0, errors + out
        return out

    def script(self, module, *arguments):
        """What a script of this folder prints as JSON."""
        code, out, errors = self.run("-m", f"tests.backup.{module}", *map(str, arguments))
        assert code == 0, errors
        return json.loads(out)

    def rows(self):
        """Every row, in Django's own words and not in those of the backup."""
        left_out = (
            "sessions",
            "jobs.job",
            "events",
            "cms_api.pendingimport",
            "operation.installation",
            "operation.node",
            "operation.restartrequest",
        )
        derived = (
            "contents.listedcontent",
            "contents.listedcount",
            "channels_app.treeversion",
            "pages.contentsversion",
            "media_library.mediause",
        )
        excluded = [f"--exclude={name}" for name in (*left_out, "cms_api.sharedcounter", *derived)]
        # Pairs have no number by which Django could write them.
        text = self.manage("dumpdata", "--all", "--exclude=channels_app.channelancestor", *excluded)
        return {(row["model"], row["pk"]): row["fields"] for row in json.loads(text)}


@contextmanager
def place(folder, engine):
    """An installation of that engine, whose database is gone after the block."""
    if engine == "sqlite":
        yield Place(folder)
        return
    with new_database() as url:
        yield Place(folder, url)
