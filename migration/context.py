from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

from cms_api.archive.commands import Progress
from migration.report import Report
from migration.sources.source import Row, Source


@dataclass(frozen=True, kw_only=True)
class Options:
    time_zone: tzinfo  # of dates with an offset
    started_at: datetime
    site_ids: frozenset[int] | None = None  # None: every site
    files: Path | None = None  # the installation's folder
    secret_key: str = ""  # of the original: decrypts its API keys
    owner: str = ""  # administrator here who gets API keys without an owner
    with_keys: bool = False
    with_ordinary: bool = False  # whether limited administrators stay ordinary ones without permissions
    with_passwords: bool = True
    is_dry_run: bool = False  # all changes are rolled back afterwards


@dataclass(frozen=True)
class Context:
    """The source, the options and the report, which all steps of a migration share."""

    source: Source
    options: Options
    report: Report
    progress: Progress

    def rows(self, table: str, what: str) -> Iterator[Row]:
        """Yield the rows of the table and report progress as `what`."""
        self.progress.begin(what, self.source.count(table))
        for row in self.source.rows(table):
            yield row
            self.progress.advance(1)
        self.progress.end()
