import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from cms_api.backup import comparing, restoring
from cms_api.backup.failures import notifying_of_failure
from cms_api.backup.stored import stored_tables
from cms_api.backup.trying import try_out
from core.archive import schema
from core.archive.commands import ArchiveCommand, Progress
from core.archive.reading import Archive
from transfer.whole_site import checking

_SHOWN = 100


class Command(ArchiveCommand):
    help = (
        "Reads a whole backup or site file and checks every checksum and count, and that SQLite and PostgreSQL can "
        "store every value. Then restores it into a temporary SQLite file, runs check_lists, check_media_uses and "
        "check_tree there, and sends sample requests to the API. With --against-database, also compares every row and "
        "file of a backup with the current ones. Exits with status 1 if it finds a difference. See docs/backup.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="FILE", help="a file written by `backup` or `export_site`")
        parser.add_argument(
            "--against-database", action="store_true", help="list the differences from the current rows and files"
        )
        super().add_arguments(parser)

    def handle(self, **options: Any) -> None:
        with notifying_of_failure("verify_backup"):
            super().handle(**options)

    def work(self, progress: Progress, *, path: Path, against_database: bool, **options: Any) -> None:
        found = 0
        with path.open("rb") as file:
            manifest = Archive(file).manifest
            if against_database:
                manifest.require_installation()
            if manifest.site:
                checking.check(file, progress)
            else:
                # Also finds values that only SQLite can store, so that a restore is possible on any engine.
                is_fitting = [stored.table for stored in manifest.tables] == stored_tables()
                restoring.check(file, progress, vendor="postgresql" if is_fitting else "")
            files = manifest.media.files
            self.stdout.write(f"All checksums and counts match: {manifest.rows} rows, {files} files.")
            if manifest.installation:
                restoring.require_fitting(manifest)
            for line in try_out(path, manifest):
                self.stdout.write(line)
            if against_database:
                schema.require_migrated()
                for found, line in enumerate(comparing.differences(file, progress), start=1):
                    if found <= _SHOWN:
                        self.stdout.write(line)
                if found > _SHOWN:
                    self.stdout.write(f"Only the first {_SHOWN} differences are shown.")
        self.stdout.write(f"rows={manifest.rows} files={files} differences={found}")
        if found:
            sys.exit(1)
