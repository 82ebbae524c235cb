"""`manage.py purge_audit`: entries of the audit that have been kept for long enough."""

from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from cms_api.audit.retention import count_before, purge
from cms_api.lib import clock
from cms_api.lib.durations import duration_option


class Command(BaseCommand):
    help = (
        "Deletes entries of the audit that are older than --older-than, by default CMS_AUDIT_DAYS, and notes that in "
        "the audit. Works in small transactions and may be interrupted; the next run goes on. Prints how many went. "
        "Exits with 0, with 2 for an age that cannot be."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How old, and whether at all."""
        parser.add_argument(
            "--older-than", type=duration_option, metavar="400d", help="age of what goes: 400d, 36h; more than 0"
        )
        parser.add_argument("--dry-run", action="store_true", help="say how many would go; delete nothing")

    def handle(self, *, older_than: timedelta | None, dry_run: bool, **options: Any) -> None:
        """Delete and say how many. Raises CommandError for an age that cannot be."""
        before = _moment(older_than)
        found = count_before(before)
        if dry_run:
            self.stdout.write(f"Would be purged: entries={found} before={before}")
            return
        # `None` means: no bar where the output is no terminal.
        with tqdm(total=found or None, unit=" entries", disable=None) as bar:
            purged = purge(before, bar.update)
        self.stdout.write(f"Purged: entries={purged} before={before}")


def _moment(age: timedelta | None) -> datetime:
    days = settings.CMS_AUDIT_DAYS
    if age is not None and not age:
        raise CommandError("The age must be more than 0: a purge never empties the audit.", returncode=2)
    if age is None and days < 1:
        raise CommandError(f"CMS_AUDIT_DAYS is {days}; it must be 1 or more.", returncode=2)
    try:
        return clock.now() - (timedelta(days=days) if age is None else age)
    except OverflowError:  # before the calendar began
        return datetime.min
