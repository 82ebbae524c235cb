from typing import Any, BinaryIO

from cms_api.archive import schema
from cms_api.archive.commands import Progress, WritingCommand
from cms_api.operation.backup.failures import notifying_of_failure
from cms_api.operation.backup.writing import BackupWriter


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

    def work(self, progress: Progress, *, file: str, force: bool, no_media: bool, **options: Any) -> None:
        def write(target: BinaryIO) -> str:
            writer = BackupWriter(target, progress, with_media=not no_media)
            writer.write()
            self.warn_of_files(writer.left_out, "was skipped because it is not a valid name for an uploaded file")
            self.warn_of_files(writer.missing, "is a user's picture but is missing from the storage")
            return f"rows={writer.manifest.rows} files={writer.manifest.media.files}"

        schema.require_migrated()
        self.write_to(file, "backup", write, force=force)
