"""`manage.py import_site`: a new site out of what `export_site` has written."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection

from cms_api.operation.backup import schema
from cms_api.operation.backup.progress import Progress, ProgressCommand
from sites.models import Site
from sites.uploads import mark_problem
from transfer.package import PackageError, SiteRecord
from transfer.placement import Placement, place_site
from transfer.whole_site.checking import Checked, check
from transfer.whole_site.importing import Imported, import_site
from transfer.whole_site.numbering import find_distances


class Command(ProgressCommand):
    help = (
        "Makes a new site of a file that export_site has written, on either engine. All of the file is checked before "
        "anything is written; the rows come in one transaction. Channels and contents keep their numbers where none of "
        "them was ever given out here; otherwise all get higher ones, and what refers to them follows. The last line "
        "of the output tells how much came in. Exits with 0, or with 1 and a sentence that says which line is wrong "
        "and why; then nothing was imported. See docs/site-files.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "path", type=Path, metavar="FILE", help="a file that export_site has written, packed or not"
        )
        parser.add_argument("--name", default="", help="name of the site instead of the file's")
        parser.add_argument(
            "--site-dir",
            default="",
            metavar="DIR",
            help="folder of the site instead of the file's; makes a root site an ordinary one",
        )
        parser.add_argument("--root", action="store_true", help="make it the root site")
        parser.add_argument("--dry-run", action="store_true", help="check all of the file and write nothing")
        super().add_arguments(parser)

    def handle(self, **options: Any) -> None:
        try:
            super().handle(**options)
        except PackageError as error:
            raise CommandError(str(error)) from error

    def work(
        self, progress: Progress, *, path: Path, name: str, site_dir: str, root: bool, dry_run: bool, **options: Any
    ) -> None:
        schema.require_migrated(connection)
        with path.open("rb") as file:
            checked = check(file, progress)
            placement = _place(checked, name, site_dir, is_root=root)
            self._warn_of_time_zone(checked)
            if dry_run:
                kept = find_distances(checked).are_kept
                self.stdout.write(_summary(0, checked, are_numbers_kept=kept))
                return
            imported = import_site(file, checked, placement, progress, path.name)
        self._warn(imported)
        self.stdout.write(_summary(imported.site_id, checked, are_numbers_kept=imported.are_numbers_kept))

    def _warn_of_time_zone(self, checked: Checked) -> None:
        zone = checked.header.get("timeZone")
        if zone != settings.TIME_ZONE:
            told = f"Times of the file are those of {str(zone)[:40]!r}, and here of {settings.TIME_ZONE!r}"
            self.stderr.write(f"{told} (CMS_TIME_ZONE): they show the same hours.")

    def _warn(self, imported: Imported) -> None:
        if imported.outside:
            self.stderr.write(
                f"{imported.outside} contents refer to channels or contents that are not in the file, by their "
                "numbers; these were left as they are."
            )
        if problem := mark_problem(Site.objects.get(pk=imported.site_id)):
            self.stderr.write(f"{problem.message} Until then it takes no pictures that are large enough for the mark.")


def _place(checked: Checked, name: str, site_dir: str, *, is_root: bool) -> Placement:
    site = checked.site
    record = SiteRecord(site_name=name or site["site_name"], site_dir=site["site_dir"], is_root=site["is_root"])
    placement = place_site(record, site_dir, is_root=is_root)
    return Placement(placement.site_dir, placement.is_root, site_name=record.site_name)


def _summary(site_id: int, checked: Checked, *, are_numbers_kept: bool) -> str:
    numbers = "kept" if are_numbers_kept else "raised"
    return f"siteId={site_id} rows={checked.rows} files={checked.files} numbers={numbers}"
