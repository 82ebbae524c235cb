from argparse import ArgumentParser
from itertools import islice
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from tqdm import tqdm

from pages.checking import COOKIES_TOLD, line_of, misspelt_links, uses_cookies
from sites.models import Site
from sites.page_rules import quoted
from transfer.importing import ImportedSite, import_site, mark_warning
from transfer.notes import lines_of, notes_of
from transfer.package import PackageError
from transfer.placement import Placement, place_site
from transfer.site_files import SiteFiles, removing_strays
from transfer.site_template import SiteTemplate

_MAX_NOTES = 20


class Command(BaseCommand):
    help = (
        "Imports a SiteServer site template (a folder or a zip file) as a new site with settings, channels, "
        "contents, groups, tags, custom fields, forms, page templates, uploads and the files that pages load. If "
        "anything fails, nothing is written."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH", help="folder or zip file of the template")
        parser.add_argument(
            "--site-dir",
            default="",
            metavar="DIR",
            help="folder of the site; default: the folder in the template; turns a root site into an ordinary one",
        )
        parser.add_argument("--root", action="store_true", help="make it the root site")
        parser.add_argument(
            "--keep-ids",
            action="store_true",
            help="keep the ids of site and channels if all of them are free, and those of contents if all are",
        )
        parser.add_argument(
            "--with-entries",
            action="store_true",
            help="also import what visitors have sent by forms: personal data, for which you need a reason",
        )
        parser.add_argument("--dry-run", action="store_true", help="print what would be imported, but write nothing")

    def handle(
        self,
        *,
        path: Path,
        site_dir: str,
        root: bool,
        keep_ids: bool,
        with_entries: bool,
        dry_run: bool,
        **options: Any,
    ) -> None:
        try:
            with SiteTemplate(path, ZoneInfo(settings.TIME_ZONE)) as template:
                placement = place_site(template.site, site_dir, is_root=root)
                files = template.stored_files()
                imported = import_with_progress(
                    template, files, placement, keep_ids=keep_ids, with_entries=with_entries, dry_run=dry_run
                )
                notes = notes_of(template, files)
        except PackageError as error:
            raise CommandError(str(error)) from error
        if dry_run:
            self._print_plan(placement, imported)
        else:
            if warning := mark_warning(imported.site_id):
                self.stderr.write(warning)
            self._print_notes(Site.objects.get(pk=imported.site_id))
        if keep_ids:
            self._print_ids("The site and its channels", is_kept=imported.kept_ids.channels)
            self._print_ids("Contents", is_kept=imported.kept_ids.contents)
        for line in lines_of(notes):
            self.stdout.write(line)
        if notes["forms"]:
            entries = f"{imported.entry_count} of {notes['entries']} entries"
            self.stdout.write(f"Forms: {notes['forms']} with {notes['form_fields']} fields, and {entries}.")
        site_id = 0 if dry_run else imported.site_id
        counts = f"channels={len(imported.channels)} contents={imported.content_count}"
        stored = f"templates={imported.template_count} files={len(files.names)} leftOut={notes['left_out']}"
        self.stdout.write(f"siteId={site_id} {counts} {stored}")

    def _print_notes(self, site: Site) -> None:
        for template, problem in islice(misspelt_links(site.pk), _MAX_NOTES):
            self.stdout.write(line_of(template, problem))
        names = ("pk", "file_path", "channel_file_path_rule", "content_file_path_rule")
        rules = [(site.pk, *(str(value) for name, value in site.settings.items() if name.endswith("FilePathRule")))]
        for pk, *paths in (*rules, *site.channels.values_list(*names)):
            for path in paths:
                if quoted(path) != path:
                    self.stdout.write(f"channel {pk}: in addresses, {path} is {quoted(path)}.")
        if name := uses_cookies(site):
            self.stdout.write(COOKIES_TOLD.format(name))

    def _print_ids(self, what: str, *, is_kept: bool) -> None:
        self.stdout.write(f"{what}: {'the ids of the package' if is_kept else 'new ids, since not all are free'}.")

    def _print_plan(self, placement: Placement, imported: ImportedSite) -> None:
        rank = "the root site" if placement.is_root else "an ordinary site"
        self.stdout.write(f'The folder would be "{placement.site_dir}", and the site would be {rank}.')
        self.stdout.write("contents  channel")
        for channel in imported.channels:
            self.stdout.write(f"{channel.content_count:8}  {'  ' * channel.depth}{channel.channel_name}")
        self.stdout.write("Nothing was written.")


def import_with_progress(
    template: SiteTemplate, files: SiteFiles, placement: Placement, *, keep_ids: bool, with_entries: bool, dry_run: bool
) -> ImportedSite:
    """Import the site and its files with a progress bar; a dry run rolls back."""
    total = sum(channel.content_num for channel in template.channels())
    # `None`: only on a terminal.
    bar = tqdm(total=total or None, unit=" contents", disable=None)
    with bar, removing_strays() as noted, transaction.atomic():
        imported = import_site(template, placement, bar.update, keep_ids=keep_ids, with_entries=with_entries)
        if not dry_run:
            files.store(imported.site_id, lambda *told: None, noted.extend)
        transaction.set_rollback(dry_run)
    return imported
