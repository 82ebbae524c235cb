from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from core.archive import schema
from core.archive.commands import Progress, ReadingCommand
from transfer.importing import mark_warning
from transfer.package import SiteRecord
from transfer.placement import Placement, place_site
from transfer.whole_site.checking import Checked, check
from transfer.whole_site.importing import import_site
from transfer.whole_site.numbering import find_distances


class Command(ReadingCommand):
    help = (
        "Imports a file written by export_site as a new site, into SQLite or PostgreSQL. Checks the whole file "
        "before it writes anything, and writes the rows in one transaction. The last line of the output gives the "
        "numbers of rows and files. If it fails, nothing was imported. See docs/site-files.md."
    )
    written_by = "export_site"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", default="", help="name of the site; default: the name in the file")
        parser.add_argument(
            "--site-dir",
            default="",
            metavar="DIR",
            help="folder of the site; default: the folder in the file; turns a root site into an ordinary one",
        )
        parser.add_argument("--root", action="store_true", help="make it the root site")
        parser.add_argument("--dry-run", action="store_true", help="check the whole file, but write nothing")
        super().add_arguments(parser)

    def work(
        self,
        progress: Progress,
        *,
        path: Path,
        name: str,
        site_dir: str,
        root: bool,
        dry_run: bool,
        no_media: bool,
        **options: Any,
    ) -> None:
        schema.require_migrated()
        with_media = not no_media
        with path.open("rb") as file:
            checked = check(file, progress, with_media=with_media)
            placement = _place(checked, name, site_dir, is_root=root)
            self.warn_of_time_zone(checked.manifest)
            if dry_run:
                site_id, are_numbers_kept = 0, find_distances(checked).are_kept
            else:
                imported = import_site(file, checked, placement, progress, path.name, with_media=with_media)
                site_id, are_numbers_kept = imported.site_id, imported.are_numbers_kept
        if not dry_run and imported.outside:
            self.stderr.write(
                f"Contents that refer to channels or contents outside the file: {imported.outside}. These references "
                "were not changed."
            )
        if not dry_run and (warning := mark_warning(site_id)):
            self.stderr.write(warning)
        files = checked.manifest.media.files if with_media else 0
        numbers = "kept" if are_numbers_kept else "raised"
        self.stdout.write(f"siteId={site_id} rows={checked.manifest.rows} files={files} numbers={numbers}")


def _place(checked: Checked, name: str, site_dir: str, *, is_root: bool) -> Placement:
    site = checked.site
    record = SiteRecord(site_name=name or site["site_name"], site_dir=site["site_dir"], is_root=site["is_root"])
    placement = place_site(record, site_dir, is_root=is_root)
    return Placement(placement.site_dir, placement.is_root, site_name=record.site_name)
