"""What a migration did, and what it left out and why."""

import csv
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

_SHOWN = 10  # places of a finding; all are in the CSV file


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
    """Counts of records by kind and outcome, and findings by sentence; all places of findings go to a CSV file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.facts: dict[str, str] = {}  # such as version and source
        self.outcomes: dict[str, Counter[Outcome]] = defaultdict(Counter)
        self.findings: dict[str, Finding] = defaultdict(Finding)
        self._file = (folder / "findings.csv").open("w", encoding="utf-8-sig", newline="")
        self._csv = csv.writer(self._file)
        self._csv.writerow(["finding", "place", "detail"])

    def add(self, kind: str, outcome: Outcome, number: int = 1) -> None:
        """Count records of a kind, such as "contents"."""
        self.outcomes[kind][outcome] += number

    def find(self, sentence: str, place: str, detail: str = "") -> None:
        """Note a finding: the same sentence for each place, such as "siteserver_Content_36 17". Never a secret."""
        found = self.findings[sentence]
        found.count += 1
        if len(found.places) < _SHOWN:
            found.places.append(f"{place}: {detail}" if detail else place)
        self._csv.writerow([sentence, place, detail])

    def close(self) -> None:
        self._file.close()
