"""`manage.py verify_backup`: whether a backup can be relied upon."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.db import connection

from cms_api.operation.backup import comparing, restoring, schema
from cms_api.operation.backup.progress import Progress, ProgressCommand
from cms_api.operation.backup.scratch import try_out

_SHOWN = 100


class Command(ProgressCommand):
    help = (
        "Reads a whole backup and checks every sum and count, restores it into an SQLite file that is deleted "
        "afterwards, runs check_lists and check_tree there, and asks the API for some of everything. With "
        "--against-database it compares every row and file with the present ones, too. Exits with 0 when all is well, "
        "with 1 otherwise. See docs/backup.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH", help="a file that `backup` has written")
        parser.add_argument(
            "--against-database", action="store_true", help="tell in what it differs from the present rows and files"
        )
        super().add_arguments(parser)

    def work(self, progress: Progress, *, path: Path, against_database: bool, **options: Any) -> None:
        found = 0
        with path.open("rb") as file:
            manifest = restoring.check(file, progress)
            rows = sum(stored.rows for stored in manifest.tables)
            self.stdout.write(f"Every sum and count is right: {rows} rows, {manifest.media.files} files.")
            schema.require_same(manifest)
            for line in try_out(path):
                self.stdout.write(line)
            if against_database:
                schema.require_migrated(connection)
                for found, line in enumerate(comparing.differences(file, progress), start=1):
                    if found <= _SHOWN:
                        self.stdout.write(line)
                if found > _SHOWN:
                    self.stdout.write(f"Only the first {_SHOWN} differences are shown.")
        self.stdout.write(f"rows={rows} files={manifest.media.files} differences={found}")
        if found:
            sys.exit(1)
