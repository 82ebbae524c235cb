from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import connection

from cms_api.backup import restoring
from cms_api.backup.writing import warnings
from core.archive import schema
from core.archive.commands import Progress, ReadingCommand
from core.archive.manifest import Manifest
from core.archive.reading import Archive
from events.models import Numbering
from webhooks.models import Webhook

_WORD = "replace"


class Command(ReadingCommand):
    help = (
        "Restores a backup into an empty database after `migrate` or, with --replace, into any database, SQLite or "
        "PostgreSQL. Checks the whole file before it changes anything, and restores the rows in one transaction. "
        "The last line of the output gives the numbers of rows and files. If it fails, nothing was changed, unless "
        "the message says otherwise. See docs/backup.md."
    )
    written_by = "backup"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--replace",
            action="store_true",
            help="delete all rows of the database first, after a confirmation; files stay",
        )
        parser.add_argument("--no-input", action="store_true", help="do not ask for confirmation")
        super().add_arguments(parser)

    def work(
        self, progress: Progress, *, path: Path, replace: bool, no_input: bool, no_media: bool, **options: Any
    ) -> None:
        with_media = not no_media
        schema.require_migrated()
        if not replace:
            restoring.require_empty()
        with path.open("rb") as file:
            manifest = Archive(file).manifest
            restoring.require_fitting(manifest)  # before the long check of everything
            restoring.check(file, progress, vendor=connection.vendor, with_media=with_media, expected=manifest)
            for sentence in warnings(manifest):
                self.stderr.write(self.style.WARNING(sentence))
            self.warn_of_time_zone(manifest)
            if with_media and not manifest.media.is_included:
                self.stderr.write(self.style.WARNING("The backup was made without the uploaded files."))
            if replace and not no_input:
                self._confirm(manifest)
            had_readers = Numbering.objects.exists()
            restored = restoring.restore(file, manifest, progress, replace=replace, with_media=with_media)
        if restored.is_restart_due:
            self.stderr.write(
                "Restart the running servers (`manage.py restart`): the backup comes from another database."
            )
        if had_readers or Webhook.objects.exists():
            self.stderr.write(
                "Events that waited for webhooks were dropped, and cursors of the feed of changes have expired. "
                "Receivers of webhooks and readers of the feed must read all records again."
            )
        self.stdout.write(f"rows={restored.rows} files={restored.files} made_at={manifest.made_at.replace(' ', 'T')}")

    def _confirm(self, manifest: Manifest) -> None:
        database = connection.settings_dict["NAME"]
        self.stderr.write(
            f"Everything in the database {database} will be deleted and replaced with {manifest.rows} rows from "
            f"{manifest.made_at}."
        )
        try:
            answer = input(f'Type "{_WORD}" to continue: ')
        except EOFError:
            answer = ""
        if answer.strip() != _WORD:
            raise CommandError("Nothing was changed.")
