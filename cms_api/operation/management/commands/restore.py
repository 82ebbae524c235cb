"""`manage.py restore`: brings back what `backup` has written."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import connection

from cms_api.operation.backup import installation, restoring, schema
from cms_api.operation.backup.archive import Archive
from cms_api.operation.backup.manifest import Manifest
from cms_api.operation.backup.progress import Progress, ProgressCommand

_WORD = "replace"


class Command(ProgressCommand):
    help = (
        "Brings back a backup into an empty database after `migrate`, of either engine, or with --replace into any. "
        "All of the file is checked before anything is changed; the rows come in one transaction. The last line of the "
        "output tells how much came back. Exits with 0, or with 1 and a sentence that says why not; then nothing was "
        "changed, unless the sentence says so. See docs/backup.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH", help="a file that `backup` has written")
        parser.add_argument(
            "--replace", action="store_true", help="delete what the database has, after a question; files stay"
        )
        parser.add_argument("--no-input", action="store_true", help="do not ask")
        parser.add_argument("--no-media", action="store_true", help="leave the uploaded files as they are")
        super().add_arguments(parser)

    def work(
        self, progress: Progress, *, path: Path, replace: bool, no_input: bool, no_media: bool, **options: Any
    ) -> None:
        with_media = not no_media
        schema.require_migrated(connection)
        if not replace:
            restoring.require_empty()
        with path.open("rb") as file:
            schema.require_same(Archive(file).manifest)  # before the long look at everything
            manifest = restoring.check(file, progress, vendor=connection.vendor, with_media=with_media)
            self._warn(manifest, with_media=with_media)
            if replace and not no_input:
                self._confirm(manifest)
            restored = restoring.restore(file, progress, replace=replace, with_media=with_media)
        if restored.is_restart_due:
            self.stderr.write("Restart the servers that run (`manage.py restart`): the backup is of another database.")
        self.stdout.write(f"rows={restored.rows} files={restored.files} made_at={manifest.made_at.replace(' ', 'T')}")

    def _warn(self, manifest: Manifest, *, with_media: bool) -> None:
        for sentence in installation.warnings(manifest):
            self.stderr.write(self.style.WARNING(sentence))
        if with_media and not manifest.media.is_included:
            self.stderr.write(self.style.WARNING("The backup was made without the uploaded files."))

    def _confirm(self, manifest: Manifest) -> None:
        database = connection.settings_dict["NAME"]
        rows = sum(stored.rows for stored in manifest.tables)
        self.stderr.write(
            f"Everything in the database {database} will be deleted, and replaced by {rows} rows of {manifest.made_at}."
        )
        try:
            answer = input(f'Type "{_WORD}" to go on: ')
        except EOFError:
            answer = ""
        if answer.strip() != _WORD:
            raise CommandError("Nothing was changed.")
