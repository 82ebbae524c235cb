from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.archive.errors import ArchiveError
from transfer.site_template import SiteTemplate
from transfer.template_updates import update_templates
from transfer.whole_site.exporting import find_site


class Command(BaseCommand):
    help = (
        "Imports the page templates, includes, scripts, styles, fonts and pictures of a SiteServer site template (a "
        "folder or a zip file) into an existing site. Existing ones are updated, others added, none deleted; "
        "contents, channels and the files below upload/ stay. Prints each change; the last line counts them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("site", type=int, metavar="SITE", help="id of the site")
        parser.add_argument("path", type=Path, metavar="PATH", help="folder or zip file of the template")
        parser.add_argument("--dry-run", action="store_true", help="print what would change, but write nothing")

    def handle(self, *, site: int, path: Path, dry_run: bool, **options: Any) -> None:
        try:
            with SiteTemplate(path, ZoneInfo(settings.TIME_ZONE)) as template:
                updated = update_templates(find_site(site), template, dry_run=dry_run)
        except ArchiveError as error:
            raise CommandError(str(error)) from error
        for word, names in (("added", updated.added), ("changed", updated.changed)):
            for name in names:
                self.stdout.write(f"{word} {name}")
        if dry_run:
            self.stdout.write("Nothing was written.")
        counts = f"added={len(updated.added)} changed={len(updated.changed)} unchanged={updated.unchanged}"
        self.stdout.write(f"siteId={site} {counts}")
