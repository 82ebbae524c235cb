import fcntl
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.management.base import CommandError
from django.db import transaction

from core.archive.commands import ArchiveCommand, Progress
from core.lib import clock
from migration import steps
from migration.comparing import compare
from migration.content_ids import new_ids, told_new_ids
from migration.context import Context, Options
from migration.layout import read_layout
from migration.models import MigrationRun
from migration.report import Outcome, Report
from migration.secret_key import find_secret_key
from migration.sources import open_source
from migration.sources.source import Source, SourceError
from migration.verification import verify


def _site_ids(text: str) -> frozenset[int]:
    try:
        return frozenset(int(part) for part in text.split(","))
    except ValueError as error:
        raise ArgumentTypeError("ids of sites, joined by commas") from error


class Command(ArchiveCommand):
    _report: Report | None = None
    help = (
        "Migrates an installation of SiteServer 6 or 7: sites, channels and contents with their ids, files, people and "
        "API keys. SOURCE is a folder written by `siteserver backup`, or mysql://, postgres://, mssql:// or sqlite:/// "
        "with account, host and database. A further run updates changed records, and moves records that the source no "
        "longer has to the trash. The report (report.html, report.json, findings.csv) lists changed and omitted "
        "records, with reasons. Exits with status 0, with 1 and a message if it cannot continue, or with 2 if the "
        "verification "
        "found differences that no finding explains. See "
        "docs/migration.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", metavar="SOURCE", help="a backup folder or the address of a database")
        parser.add_argument(
            "--files", type=Path, metavar="FOLDER", help="the installation's folder: templates, uploads"
        )
        parser.add_argument("--sites", type=_site_ids, metavar="IDS", help="only these sites, such as 1,36")
        parser.add_argument("--dry-run", action="store_true", help="read and check everything, but store nothing")
        parser.add_argument("--resume", action="store_true", help="skip the steps that an interrupted run has done")
        parser.add_argument("--with-keys", action="store_true", help="let the clients go on with their API keys")
        parser.add_argument(
            "--secret-key-file", type=Path, metavar="FILE", help="secret key of the original; default: as in --files"
        )
        parser.add_argument("--owner", default="", metavar="NAME", help="administrator who gets API keys without one")
        parser.add_argument("--ordinary", action="store_true", help="give roles limited to sites no permissions yet")
        parser.add_argument(
            "--with-entries",
            action="store_true",
            help="also bring what visitors have sent by forms: personal data, for which you need a reason",
        )
        parser.add_argument("--reset-passwords", action="store_true", help="let everybody set a new password")
        parser.add_argument(
            "--time-zone",
            type=ZoneInfo,
            default=None,
            metavar="ZONE",
            help="of the original server; default: CMS_TIME_ZONE",
        )
        parser.add_argument(
            "--report", type=Path, metavar="FOLDER", help="for the report; default: a dated folder in CMS_DATA_DIR"
        )
        parser.add_argument(
            "--compare", default="", metavar="URL", help="compare responses with those of the original's API there"
        )
        parser.add_argument("--key", default="", help="API key for --compare, which both accept")
        super().add_arguments(parser)

    def work(self, progress: Progress, *, source: str, report: Path | None, **asked: Any) -> None:
        zone = asked["time_zone"] or ZoneInfo(settings.TIME_ZONE)
        started_at = clock.now()
        folder = report or settings.DATA_DIR / "migrations" / f"{started_at:%Y-%m-%d-%H%M%S}"
        folder.mkdir(parents=True, exist_ok=True)
        try:
            options = self._options(zone, started_at, asked)
            with alone(), open_source(source, zone, self._note_problem) as opened:
                run, earlier = _begin(opened, resume=asked["resume"])
                with Report(folder, earlier) as self._report:
                    self._migrate(Context(opened, options, self._report, progress), run, asked)
        except SourceError as error:
            raise CommandError(str(error)) from error

    def _note_problem(self, *problem: str) -> None:
        """Note a problem of the source; rows that are read before there is a report are read again."""
        if self._report is not None:
            self._report.find(*problem)

    @staticmethod
    def _options(zone: ZoneInfo, started_at: datetime, asked: dict[str, Any]) -> Options:
        key = find_secret_key(asked["secret_key_file"], asked["files"]) if asked["with_keys"] else ""
        return Options(
            time_zone=zone,
            started_at=started_at,
            site_ids=asked["sites"],
            files=asked["files"],
            secret_key=key,
            owner=asked["owner"],
            with_keys=asked["with_keys"],
            with_ordinary=asked["ordinary"],
            with_passwords=not asked["reset_passwords"],
            with_entries=asked["with_entries"],
            is_dry_run=asked["dry_run"],
        )

    def _migrate(self, context: Context, run: MigrationRun, asked: dict[str, Any]) -> None:
        layout = read_layout(context.source)
        run.report = str(context.report.folder.resolve())
        context.report.facts |= {
            "Source": context.source.description,
            "Version": layout.version,
            "Begun": str(context.options.started_at),
            "Stored": "nothing: a dry run" if context.options.is_dry_run else "yes",
        }
        with _rolled_back() if context.options.is_dry_run else nullcontext():
            run.save()
            brought = steps.migrate(context, layout, run)
            context.report.facts["Ids of contents"] = told_new_ids()
        is_right = context.options.is_dry_run or verify(context, layout, brought)
        if asked["compare"]:
            told = compare(context, layout, brought.site_ids, asked["compare"], asked["key"])
            context.report.facts["Responses compared"] = f"{told.compared}, of which {told.different} differ"
        context.report.facts["Ended"] = str(clock.now())
        context.report.write()
        if not context.options.is_dry_run:
            context.report.write_ids(new_ids())
            run.finished_at = clock.now()
            run.save()
        self._say(context, is_right=is_right)

    def _say(self, context: Context, *, is_right: bool) -> None:
        self.stdout.write(context.report.facts["Ids of contents"])
        for kind, counts in context.report.outcomes.items():
            told = ", ".join(f"{counts[each]} {each}" for each in Outcome if counts[each])
            self.stdout.write(f"{kind}: {told or 'none'}")
        findings = sum(found.count for found in context.report.findings.values())
        self.stdout.write(f"findings={findings} report={context.report.folder / 'report.html'}")
        if not is_right:
            raise CommandError("The verification found differences; see the report.", returncode=2)


def _begin(source: Source, *, resume: bool) -> tuple[MigrationRun, Path | None]:
    """Return the run, and the folder with the report of the interrupted run before it.

    Raises SourceError if there is nothing to resume.
    """
    last = MigrationRun.objects.order_by("pk").last()
    is_interrupted = last is not None and last.finished_at is None
    if resume and not is_interrupted:
        raise SourceError("There is no interrupted migration; run the command without --resume.")
    is_same = last is not None and last.fingerprint == source.fingerprint
    if last and resume and not is_same:
        raise SourceError(f"The interrupted migration was from {last.source}, another installation.")
    earlier = Path(last.report) if last and is_interrupted and is_same and last.report else None
    run = last if last and resume else MigrationRun(fingerprint=source.fingerprint, source=source.description)
    return run, earlier


@contextmanager
def alone() -> Iterator[None]:
    with (settings.DATA_DIR / "migration.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SourceError("Another migration is running.") from error
        yield


@contextmanager
def _rolled_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
