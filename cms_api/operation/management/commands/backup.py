"""`manage.py backup`: one file with the database, the media and the settings, without secrets."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.db import connection

from cms_api.lib import clock
from cms_api.operation.backup import schema
from cms_api.operation.backup.progress import Progress, ProgressCommand
from cms_api.operation.backup.writing import write_backup

_SHOWN = 20


class Command(ProgressCommand):
    help = (
        "Writes one file with the rows of the database, the uploaded files and the settings, without secrets, as they "
        "are at one moment; others may go on writing. It is there when it is whole, and its owner alone may read it, "
        "since it holds personal data and digests of passwords. The last line of the output tells how much it holds. "
        "Exits with 0, with 1 when no backup was made. See docs/backup.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "path", nargs="?", type=Path, metavar="PATH", help="a new file; by default a dated one in this folder"
        )
        parser.add_argument("--no-media", action="store_true", help="leave the uploaded files out")
        super().add_arguments(parser)

    def work(self, progress: Progress, *, path: Path | None, no_media: bool, **options: Any) -> None:
        target = path or Path(clock.now().strftime("backup-%Y%m%d-%H%M%S.tar"))
        schema.require_migrated(connection)
        made = write_backup(target, progress, with_media=not no_media)
        for text, names in (
            ("is left out, since a file of the service cannot be called so", made.left_out),
            ("is the picture of a user, and is not in the storage", made.missing),
        ):
            for name in names[:_SHOWN]:
                self.stderr.write(f"{name!r} {text}.")
            if len(names) > _SHOWN:
                self.stderr.write(f"The same goes for {len(names) - _SHOWN} more.")
        rows = sum(stored.rows for stored in made.manifest.tables)
        self.stdout.write(f"rows={rows} files={made.manifest.media.files} bytes={made.bytes} path={target.resolve()}")
