"""The report of a migration: numbers of records, and findings with their places."""

import csv
import json
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Self

from django.template.loader import render_to_string

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
    """Counts of records by kind and outcome, and findings by sentence; a CSV file gets all places of findings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.facts: dict[str, str] = {}  # such as version and source
        self.outcomes: dict[str, Counter[Outcome]] = defaultdict(Counter)
        self.findings: dict[str, Finding] = defaultdict(Finding)
        self.checks: list[dict[str, object]] = []  # of the verification: name, expected, found, and whether it is right
        self.is_recording = True
        self._places: set[int] = set()  # hashes
        self._file = (folder / "findings.csv").open("w", encoding="utf-8-sig", newline="")
        self._csv = csv.writer(self._file)
        self._csv.writerow(["finding", "place", "detail"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def add(self, kind: str, outcome: Outcome, number: int = 1) -> None:
        """Count records of a kind, such as "contents"."""
        self.outcomes[kind][outcome] += number

    def find(self, sentence: str, place: str, detail: str = "") -> None:
        """Note a finding: the same sentence for each place, such as "siteserver_Content_36 17". Never a secret."""
        if not self.is_recording:
            return
        self._places.add(hash(place.casefold()))
        found = self.findings[sentence]
        found.count += 1
        if len(found.places) < _SHOWN:
            found.places.append(f"{place}: {detail}" if detail else place)
        self._csv.writerow([sentence, place, detail])

    def explains(self, place: str) -> bool:
        """Return whether there is a finding about the place."""
        return hash(place.casefold()) in self._places

    def write(self) -> None:
        """Write report.json and report.html beside the CSV file."""
        outcomes = {kind: {each: counts[each] for each in Outcome} for kind, counts in self.outcomes.items()}
        findings = [{"finding": sentence} | asdict(found) for sentence, found in self.findings.items()]
        told = {"facts": self.facts, "records": outcomes, "findings": findings, "checks": self.checks}
        (self.folder / "report.json").write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")
        rows = [(kind, list(counts.values())) for kind, counts in outcomes.items()]
        page = render_to_string("migration/report.html", told | {"rows": rows, "outcomes": list(Outcome)})
        (self.folder / "report.html").write_text(page, encoding="utf-8")
