"""`manage.py purge_trash`: what has long been in the trash leaves it for good."""

import sys
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from cms_api.lib import clock
from cms_api.lib.durations import duration_option
from contents.services.trash import OldTrash
from sites.models import Site


class Command(BaseCommand):
    help = (
        "Deletes for good what has been in the trash for longer than --older-than, by default CMS_TRASH_DAYS: "
        "contents, then channels to which nothing belongs any more. Works in small transactions and may be "
        "interrupted; the next run goes on. Prints how many went. Exits with 0, with 1 when channels had to stay, "
        "with 2 for an option that cannot be followed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--older-than", type=duration_option, metavar="30d", help="age in the trash: 30d, 24h or 0 for everything"
        )
        parser.add_argument("--site", type=int, metavar="ID", help="purge the trash of this site only")
        parser.add_argument("--dry-run", action="store_true", help="say how many would go; delete nothing")

    def handle(self, *, older_than: timedelta | None, site: int | None, dry_run: bool, **options: Any) -> None:
        if site is not None and not Site.objects.filter(pk=site).exists():
            raise CommandError(f"There is no site {site}; --site takes the number of a site.", returncode=2)
        age = timedelta(days=settings.CMS_TRASH_DAYS) if older_than is None else older_than
        # With 0 also what went there this very second.
        trash = OldTrash(clock.now() - age + timedelta(seconds=not age), site)
        found = trash.count()
        if dry_run:
            self.stdout.write(f"Would be purged: contents={found.contents} channels={found.channels}")
            return
        # `None` means: no bar where the output is no terminal.
        with tqdm(total=sum(found) or None, unit=" records", disable=None) as bar:
            purged = trash.purge(bar.update)
        self.stdout.write(f"Purged: contents={purged.contents} channels={purged.channels}")
        if remaining := trash.count().channels:
            self.stderr.write(f"Channels that stay, since something belongs to them: {remaining}. Run check_tree.")
            sys.exit(1)
