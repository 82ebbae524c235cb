"""The report of a migration: numbers of records, and findings with their places."""

import csv
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Self

from django.template.loader import render_to_string

_SHOWN = 10  # places of a finding; all are in the CSV file
_FINDINGS = "findings.csv"
_HEADS = ["finding", "place", "detail"]


class Outcome(StrEnum):
    NEW = "new"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    LEFT_OUT = "left out"
    DELETED = "deleted"


@dataclass
class Finding:
    """Something that the migration changed or left out, with the first places where it did."""

    count: int = 0
    places: list[str] = field(default_factory=list)


class Report:
    """Counts of records by kind and outcome, and findings by sentence; a CSV file gets all places of findings.

    The file outlives a process that is killed: a later report begins with the findings of an interrupted run, whose
    report is in the folder `earlier`.
    """

    def __init__(self, folder: Path, earlier: Path | None = None) -> None:
        self.folder = folder
        self.facts: dict[str, str] = {}  # such as version and source
        self.outcomes: dict[str, Counter[Outcome]] = defaultdict(Counter)
        self.findings: dict[str, Finding] = defaultdict(Finding)
        self.checks: list[dict[str, object]] = []  # of the verification: name, expected, found, and whether it is right
        self.is_recording = True
        self._places: set[int] = set()  # hashes
        self._found: set[int] = set()  # hashes
        self._is_synced = False
        found = list(_read(earlier / _FINDINGS)) if earlier else []
        new = folder / f"{_FINDINGS}.new"
        self._file = new.open("w", encoding="utf-8-sig", newline="")
        self._csv = csv.writer(self._file)
        self._write_row(_HEADS)
        for sentence, place, detail in found:
            self.find(sentence, place, detail)
        self.sync()
        new.replace(folder / _FINDINGS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def sync(self) -> None:
        """Keep the findings so far even if the power fails; before the commit of their records."""
        if self._is_synced:
            return
        os.fsync(self._file.fileno())
        self._is_synced = True

    def add(self, kind: str, outcome: Outcome, number: int = 1) -> None:
        """Count records of a kind, such as "contents"."""
        self.outcomes[kind][outcome] += number

    def find(self, sentence: str, place: str, detail: str = "") -> None:
        """Note a finding: the same sentence for each place, such as "siteserver_Content_36 17". Never a secret.

        A step that is done again finds the same again, which counts once.
        """
        key = hash((sentence, place, detail))
        if not self.is_recording or key in self._found:
            return
        self._found.add(key)
        self._places.add(hash(place.casefold()))
        found = self.findings[sentence]
        found.count += 1
        if len(found.places) < _SHOWN:
            found.places.append(f"{place}: {detail}" if detail else place)
        self._write_row([sentence, place, detail])

    def _write_row(self, row: list[str]) -> None:
        self._csv.writerow(row)
        self._file.flush()  # survives the process
        self._is_synced = False

    def explains(self, place: str) -> bool:
        """Return whether there is a finding about the place."""
        return hash(place.casefold()) in self._places

    def write_ids(self, rows: Iterable[Sequence[object]]) -> None:
        """Write content_ids.csv with the contents that have new ids: table, channel, former and new id."""
        with (self.folder / "content_ids.csv").open("w", encoding="utf-8-sig", newline="") as file:
            csv.writer(file).writerows(chain([("table", "channelId", "formerId", "id")], rows))

    def write(self) -> None:
        """Write report.json and report.html beside the CSV file."""
        outcomes = {kind: {each: counts[each] for each in Outcome} for kind, counts in self.outcomes.items()}
        findings = [{"finding": sentence} | asdict(found) for sentence, found in self.findings.items()]
        told = {"facts": self.facts, "records": outcomes, "findings": findings, "checks": self.checks}
        (self.folder / "report.json").write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")
        rows = [(kind, list(counts.values())) for kind, counts in outcomes.items()]
        page = render_to_string("migration/report.html", told | {"rows": rows, "outcomes": list(Outcome)})
        (self.folder / "report.html").write_text(page, encoding="utf-8")


def _read(path: Path) -> Iterator[list[str]]:
    """Yield the findings of an earlier file, which may be missing or lack the end of its last line."""
    if not path.exists():
        return
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        text = file.read()
    rows = csv.reader(StringIO(text[: text.rfind("\n") + 1], newline=""))
    yield from (row for row in rows if len(row) == len(_HEADS) and row != _HEADS)
