"""`manage.py purge_history`: changes of contents that have been kept for long enough."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from cms_api.back_end.numbers import read_number
from cms_api.checks import MOST_VERSIONS
from cms_api.lib import clock
from cms_api.lib.durations import duration_option
from contents.storing.retention import OldHistory
from sites.models import Site


class Command(BaseCommand):
    help = (
        "Deletes changes of contents that are older than --older-than, by default CMS_HISTORY_DAYS, and of each "
        "content all but the latest --keep, by default CMS_HISTORY_VERSIONS; a setting of 0 is no bound. Contents "
        "stay as they are, and later versions can still be read. Works in small transactions and may be interrupted; "
        "the next run goes on. Prints how many went. Exits with 0, with 2 for an option that cannot be followed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--older-than", type=duration_option, metavar="365d", help="age of what goes: 365d, 36h; more than 0"
        )
        parser.add_argument("--keep", type=_number, metavar="N", help="changes that stay of each content; 1 or more")
        parser.add_argument("--site", type=int, metavar="ID", help="purge the history of this site only")
        parser.add_argument("--dry-run", action="store_true", help="say how many would go; delete nothing")

    def handle(
        self, *, older_than: timedelta | None, keep: int | None, site: int | None, dry_run: bool, **options: Any
    ) -> None:
        if site is not None and not Site.objects.filter(pk=site).exists():
            raise CommandError(f"There is no site {site}; --site takes the number of a site.", returncode=2)
        old = OldHistory(_moment(older_than), settings.CMS_HISTORY_VERSIONS or None if keep is None else keep, site)
        told = f"before={old.before or 'never'} keep={old.most or 'all'}"
        found = old.count()
        if dry_run:
            self.stdout.write(f"Would be purged: changes={found} {told}")
            return
        # `None` means: no bar where the output is no terminal.
        with tqdm(total=found or None, unit=" changes", disable=None) as bar:
            purged = old.purge(bar.update)
        self.stdout.write(f"Purged: changes={purged} {told}")


def _moment(age: timedelta | None) -> datetime | None:
    if age is not None and not age:
        raise CommandError("The age must be more than 0: a purge never empties the history.", returncode=2)
    if age is None and not settings.CMS_HISTORY_DAYS:
        return None
    try:
        return clock.now() - (timedelta(days=settings.CMS_HISTORY_DAYS) if age is None else age)
    except OverflowError:  # before the calendar began
        return datetime.min


def _number(text: str) -> int:
    if (number := read_number(text)) is None or not 1 <= number <= MOST_VERSIONS:
        raise ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_VERSIONS}.")
    return number
