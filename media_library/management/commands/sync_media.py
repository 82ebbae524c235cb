import sys
from argparse import ArgumentParser

from core.archive import schema
from core.archive.commands import ArchiveCommand, Progress
from media_library.syncing import Synced, sync
from sites.models import Site
from sites.services import find_site

_SHOWN = 20  # paths


class Command(ArchiveCommand):
    help = (
        "Compares the media library with the stored files of the sites: adds files that others have stored, reads "
        "SHA-256 and dimensions of files that were not read yet, and removes files that no longer exist. If such a "
        "file has texts, they stay, and come back with the file. Works in small transactions; if interrupted, the "
        "next run continues. Prints one line for each site. Exits with status 1 if the storage has no file of a site "
        "whose library has some; that library does not change. See docs/media.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("sites", nargs="*", metavar="SITE", help="ids or folders of sites; default: all sites")
        parser.add_argument("--dry-run", action="store_true", help="print what would change, but change nothing")
        super().add_arguments(parser)

    def work(self, progress: Progress, *, sites: list[str], dry_run: bool, **options: object) -> None:
        schema.require_migrated()
        chosen = [find_site(name) for name in sites] or list(Site.objects.order_by("pk"))
        lost = 0
        for site in chosen:
            found = sync(site, progress, dry_run=dry_run)
            progress.end()
            self._print(site, found)
            lost += found.is_storage_empty
        if dry_run:
            self.stdout.write("Nothing was written.")
        if lost:
            sys.exit(1)

    def _print(self, site: Site, found: Synced) -> None:
        if found.is_storage_empty:
            self.stderr.write(f"The storage has no files of site {site.pk}. Check CMS_MEDIA_STORAGE.")
        for path in found.missing[:_SHOWN]:
            self.stdout.write(f"{path} is missing; its texts stay.")
        if len(found.missing) > _SHOWN:
            self.stdout.write(f"… and {len(found.missing) - _SHOWN} more missing files")
        self.stdout.write(
            f"siteId={site.pk} added={found.added} changed={found.changed} removed={found.removed} "
            f"missing={len(found.missing)} read={found.read}"
        )
