import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from cms_api.environment import MAX_VERSIONS
from contents.services.site_trash import OldSites
from contents.services.trash import OldTrash, Purged
from contents.storing.retention import OldHistory
from core.admin.numbers import read_number
from core.audit import retention
from core.lib import clock
from core.lib.durations import duration_option
from core.rest.idempotency import sweep
from media_library.trash import OldFiles
from sites.models import Site

_PORTIONS = "Works in small transactions; if interrupted, the next run continues. Prints the number of deleted records."
_TRASH = (
    "Permanently deletes records that have been in the trash for longer than --older-than (default: "
    "CMS_TRASH_DAYS): first contents, then channels without contents or subchannels, then files, then whole sites "
    f"with their files. {_PORTIONS} Exits with status 1 if some channels could not be deleted."
)
_AUDIT = (
    "Deletes entries of the audit log that are older than --older-than (default: CMS_AUDIT_DAYS), and records the "
    f"deletion there. {_PORTIONS}"
)
_HISTORY = (
    "Deletes recorded changes of contents that are older than --older-than (default: CMS_HISTORY_DAYS), and all but "
    "the latest --keep changes of each content (default: CMS_HISTORY_VERSIONS); a setting of 0 means no limit. The "
    f"contents do not change, and later versions stay readable. {_PORTIONS}"
)
_ANSWERS = (
    "Deletes responses that were stored for an Idempotency-Key more than 24 hours ago. Requests with such a key also "
    "delete a few of them; this command deletes the rest. Prints the number of deleted responses."
)
_SESSIONS = "Deletes administrators' expired sessions, like Django's clearsessions."


class Command(BaseCommand):
    help = "Deletes old records of one kind."

    def add_arguments(self, parser: ArgumentParser) -> None:
        kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)

        def kind(name: str, purged: str, description: str, purge: Callable[..., None]) -> ArgumentParser:
            added = kinds.add_parser(name, description=description, help=purged)
            added.set_defaults(purge=purge)
            return added

        trash = kind("trash", "old records in the trash", _TRASH, self._purge_trash)
        _add_age(trash, "30d", "minimum time in the trash, such as 30d or 24h; 0 for everything")
        trash.add_argument("--site", type=int, metavar="ID", help="purge the trash of this site only")
        audit = kind("audit", "old entries of the audit log", _AUDIT, self._purge_audit)
        _add_age(audit, "400d", "minimum age, such as 400d or 36h; more than 0")
        history = kind("history", "old changes of contents", _HISTORY, self._purge_history)
        _add_age(history, "365d", "minimum age, such as 365d or 36h; more than 0")
        history.add_argument(
            "--keep", type=_number, metavar="N", help="number of changes to keep per content; 1 or more"
        )
        history.add_argument("--site", type=int, metavar="ID", help="purge the history of this site only")
        for purged in (trash, audit, history):
            purged.add_argument(
                "--dry-run", action="store_true", help="print how many records would be deleted, but delete nothing"
            )
        kind("answers", "responses stored for an Idempotency-Key", _ANSWERS, self._purge_answers)
        kind("sessions", "expired sessions", _SESSIONS, self._purge_sessions)

    def handle(self, *, purge: Callable[..., None], **options: Any) -> None:
        purge(**options)

    def _purge_trash(self, *, older_than: timedelta | None, site: int | None, dry_run: bool, **options: Any) -> None:
        _raise_if_unknown(site)
        age = timedelta(days=settings.CMS_TRASH_DAYS) if older_than is None else older_than
        # With 0, also records trashed within the current second.
        before = clock.now() - age + timedelta(seconds=not age)
        trash, files, sites = OldTrash(before, site), OldFiles(before, site), OldSites(before, site)
        found, found_files = trash.count() + sites.count(), len(files)
        if dry_run:
            self.stdout.write(f"Would be purged: {_in_figures(found, len(sites), found_files)}")
            return
        with _bar(sum(found) + found_files, "records") as bar:
            purged, purged_files = trash.purge(bar.update), files.purge(bar.update)
            of_sites, purged_sites = sites.purge(bar.update)
        self.stdout.write(f"Purged: {_in_figures(purged + of_sites, purged_sites, purged_files)}")
        if remaining := trash.count().channels:
            self.stderr.write(f"Channels not deleted because they still have records: {remaining}. Run check_tree.")
            sys.exit(1)

    def _purge_audit(self, *, older_than: timedelta | None, dry_run: bool, **options: Any) -> None:
        days = settings.CMS_AUDIT_DAYS
        if older_than is None and days < 1:
            raise CommandError(f"CMS_AUDIT_DAYS is {days}; it must be 1 or more.")
        before = _moment(older_than, days, "audit log")
        found = retention.count_before(before)
        if dry_run:
            self.stdout.write(f"Would be purged: entries={found} before={before}")
            return
        with _bar(found, "entries") as bar:
            purged = retention.purge(before, bar.update)
        self.stdout.write(f"Purged: entries={purged} before={before}")

    def _purge_history(
        self, *, older_than: timedelta | None, keep: int | None, site: int | None, dry_run: bool, **options: Any
    ) -> None:
        _raise_if_unknown(site)
        days = settings.CMS_HISTORY_DAYS
        before = None if older_than is None and not days else _moment(older_than, days, "history")
        old = OldHistory(before, settings.CMS_HISTORY_VERSIONS or None if keep is None else keep, site)
        told = f"before={old.before or 'never'} keep={old.most or 'all'}"
        found = old.count()
        if dry_run:
            self.stdout.write(f"Would be purged: changes={found} {told}")
            return
        with _bar(found, "changes") as bar:
            purged = old.purge(bar.update)
        self.stdout.write(f"Purged: changes={purged} {told}")

    def _purge_answers(self, **options: Any) -> None:
        purged = 0
        while some := sweep():
            purged += some
        self.stdout.write(f"Purged: answers={purged}")

    def _purge_sessions(self, **options: Any) -> None:
        call_command("clearsessions")


def _add_age(parser: ArgumentParser, example: str, meaning: str) -> None:
    parser.add_argument("--older-than", type=duration_option, metavar=example, help=meaning)


def _number(text: str) -> int:
    if (number := read_number(text)) is None or not 1 <= number <= MAX_VERSIONS:
        raise ArgumentTypeError(f"{text!r} is not a number from 1 to {MAX_VERSIONS}.")
    return number


def _in_figures(purged: Purged, sites: int, files: int) -> str:
    return f"contents={purged.contents} channels={purged.channels} sites={sites} files={files}"


def _raise_if_unknown(site: int | None) -> None:
    if site is not None and not Site.with_trash.filter(pk=site).exists():
        raise CommandError(f"There is no site {site}; --site takes the id of a site.")


def _moment(age: timedelta | None, days: int, emptied: str) -> datetime:
    if age is not None and not age:
        raise CommandError(f"The age must be more than 0: a purge never deletes the whole {emptied}.", returncode=2)
    try:
        return clock.now() - (timedelta(days=days) if age is None else age)
    except OverflowError:  # before datetime.min
        return datetime.min


def _bar(found: int, unit: str) -> "tqdm[Any]":
    # `None` means: no bar unless the output is a terminal.
    return tqdm(total=found or None, unit=f" {unit}", disable=None)
