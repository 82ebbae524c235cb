from typing import Any, BinaryIO

from django.db import Error

from cms_api.backup.failures import notifying_of_failure
from cms_api.backup.writing import BackupWriter
from core.archive import schema
from core.archive.commands import Progress, WritingCommand
from core.lib import clock
from core.operation.models import Installation


class Command(WritingCommand):
    help = (
        "Writes one file with a consistent snapshot of the database, the uploaded files and the settings, without "
        "secrets. The service can keep running. The file appears only when it is complete. Only its owner can read "
        "it, because it contains personal data and password hashes. The last line of the output gives the numbers "
        "of rows and files. See docs/backup.md."
    )

    def handle(self, **options: Any) -> None:
        with notifying_of_failure("backup"):
            super().handle(**options)
        try:
            Installation.objects.update_or_create(pk=1, defaults={"backed_up_at": clock.now()})
        except Error as error:  # the database may be read-only
            self.stderr.write(f"The time of this backup was not stored, so metrics do not know of it: {error}")

    def work(self, progress: Progress, *, file: str, force: bool, no_media: bool, **options: Any) -> None:
        def write(target: BinaryIO) -> str:
            writer = BackupWriter(target, progress, with_media=not no_media)
            writer.write()
            self.warn_of_files(writer.left_out, "was skipped because it is not a valid name for an uploaded file")
            self.warn_of_files(writer.missing, "is a user's picture but is missing from the storage")
            return f"rows={writer.manifest.rows} files={writer.manifest.media.files}"

        schema.require_migrated()
        self.write_to(file, "backup", write, force=force)
