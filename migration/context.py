from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

from core.archive.commands import Progress
from migration import records
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
    with_entries: bool = False  # of forms: personal data
    is_dry_run: bool = False  # all changes are rolled back afterwards

    def asks_for(self, site_id: int) -> bool:
        """Return whether rows of the site are read; rows of no site, 0, always are."""
        return self.site_ids is None or not site_id or site_id in self.site_ids


@dataclass(frozen=True)
class Context:
    """The source, the options and the report, which all steps of a migration share."""

    source: Source
    options: Options
    report: Report
    progress: Progress

    def store(
        self,
        table: str,
        done: Iterable[tuple[int, int, str]],
        version: int = 0,
        channels: Mapping[int, int] | None = None,
    ) -> None:
        """Call `records.store`, and keep the findings about the rows, which no later run reads again."""
        self.report.sync()
        records.store(table, done, version, channels)

    def rows(self, table: str, what: str) -> Iterator[Row]:
        """Yield the rows of the table and report progress as `what`."""
        self.progress.begin(what, self.source.count(table))
        for row in self.source.rows(table):
            yield row
            self.progress.advance(1)
        self.progress.end()
