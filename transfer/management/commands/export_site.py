import os
from argparse import ArgumentParser
from typing import Any, BinaryIO

from core.archive import schema
from core.archive.commands import Progress, WritingCommand
from transfer.whole_site import checking
from transfer.whole_site.exporting import SiteWriter


class Command(WritingCommand):
    help = (
        "Writes a consistent snapshot of a site to one file in the format of `backup`: settings, channels, contents "
        "with their bodies, groups, tags, custom fields, forms, the trash and the uploaded files. Others can keep "
        "editing. The file appears only when it is complete and can be imported, and only its owner can read it. The "
        "last line of the output gives the numbers of rows and files. See docs/site-files.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("site_id", type=int, metavar="SITE", help="id of the site")
        super().add_arguments(parser)
        parser.add_argument("--without-trash", action="store_true", help="leave out the trash")
        parser.add_argument(
            "--with-entries",
            action="store_true",
            help="include what visitors have sent by forms: personal data, for which you need a reason",
        )

    def work(
        self,
        progress: Progress,
        *,
        site_id: int,
        file: str,
        force: bool,
        no_media: bool,
        without_trash: bool,
        with_entries: bool,
        **options: Any,
    ) -> None:
        def write(target: BinaryIO) -> str:
            writer = SiteWriter(
                site_id,
                target,
                progress,
                with_media=not no_media,
                with_trash=not without_trash,
                with_entries=with_entries,
            )
            writer.write()
            # No file appears that an import would refuse.
            target.flush()
            checking.check(target, progress, with_media=False)
            target.seek(0, os.SEEK_END)
            self.warn_of_files(writer.left_out, "was skipped because it is not a valid name for a file of a site")
            return f"siteId={site_id} rows={writer.manifest.rows} files={writer.manifest.media.files}"

        schema.require_migrated()
        self.write_to(file, f"site-{site_id}", write, force=force)
