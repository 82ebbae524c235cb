"""What the preview of an import shows: how many rows do what, and a page of them with their differences."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from django.utils.functional import cached_property
from django.utils.text import capfirst
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from cms_api.back_end.numbers import read_number
from cms_api.back_end.tables.columns import Column
from cms_api.back_end.tables.resource import Draft, PlannedRow, shortened

PAGE = 50  # rows
KINDS = {
    "wrong": _("Wrong"),
    "new": _("New"),
    "changed": _("Changed"),
    "unchanged": _("Unchanged"),
}
# All rows that would do something, and those that are wrong: what is looked at first.
DOING = "doing"
SECRET = "password"  # noqa: S105 - the name of a member, whose value no page shows


@dataclass(frozen=True)
class Difference:
    """A member that a row changes, before and after."""

    label: str
    before: str
    after: str


@dataclass(frozen=True)
class ShownRow:
    """A row of the preview."""

    number: int
    kind: str
    label: str  # of the kind
    name: str  # of the record
    is_stale: bool
    problems: list[tuple[str, str]]  # column and sentence
    notes: list[tuple[str, str]]  # likewise, of cells that are passed over
    differences: list[Difference]


@dataclass(frozen=True)
class Tab:
    """Rows of one kind: how many, and whether they are shown."""

    kind: str
    label: str
    count: int
    is_current: bool


def counts_of(rows: Sequence[PlannedRow]) -> dict[str, int]:
    """How many rows there are of each kind."""
    counts = dict.fromkeys(KINDS, 0)
    for row in rows:
        counts[row.kind] += 1
    return counts


def problems_of(row: PlannedRow, columns: Sequence[Column]) -> list[str]:
    """What is wrong with the row, a sentence each that names the column."""
    told = _problems(row, _labels(columns))
    return [
        _now("%(name)s: %(text)s") % {"name": capfirst(label), "text": text} if label else text for label, text in told
    ]


def _labels(columns: Sequence[Column]) -> dict[str, str]:
    return {column.name: str(column.label) for column in columns}


def _problems(row: PlannedRow, labels: Mapping[str, str]) -> list[tuple[str, str]]:
    """The label of each column, "" for the row as a whole, and a sentence."""
    return [(labels.get(name, ""), text) for name, texts in row.problems.items() for text in texts]


class Preview:
    """The rows of a plan as a page shows them."""

    def __init__(
        self, rows: Sequence[PlannedRow], columns: Sequence[Column], query: Mapping[str, Any], stale: frozenset[int]
    ) -> None:
        self._rows, self._query, self._stale = rows, query, stale
        self._labels = _labels(columns)
        self.counts = counts_of(rows)

    @cached_property
    def kind(self) -> str:
        """What is shown: what is asked for, else all rows that do something, else those that do nothing."""
        asked = str(self._query.get("show", ""))
        if asked in {*KINDS, DOING}:
            return asked
        return DOING if self._count(DOING) else "unchanged"

    @property
    def _kinds(self) -> list[str]:
        """The kinds of rows that are shown, in their order."""
        return [kind for kind in KINDS if kind != "unchanged"] if self.kind == DOING else [self.kind]

    def _count(self, kind: str) -> int:
        return sum(self.counts.values()) - self.counts["unchanged"] if kind == DOING else self.counts[kind]

    @property
    def tabs(self) -> list[Tab]:
        """The kinds with their counts."""
        labels = {DOING: _("All that matter")} | KINDS
        return [Tab(kind, str(label), self._count(kind), kind == self.kind) for kind, label in labels.items()]

    @cached_property
    def page(self) -> int:
        """The number of the page, from 1."""
        return min(max(read_number(self._query.get("page")) or 1, 1), self.pages)

    @property
    def pages(self) -> int:
        """How many pages there are of this kind."""
        return max(1, ceil(self._count(self.kind) / PAGE))

    @property
    def does_anything(self) -> bool:
        """Whether an import would change anything."""
        return bool(self.counts["new"] or self.counts["changed"])

    @property
    def notes(self) -> list[tuple[str, str, int]]:
        """The column and the sentence of each kind of note, and of how many rows it is."""
        drafts = [row.draft for row in self._rows if row.draft is not None and row.kind != "wrong"]
        counted = Counter(note for draft in drafts for note in draft.notes.items())
        return [(self._labels.get(name, name), text, count) for (name, text), count in counted.items()]

    @property
    def rows(self) -> list[ShownRow]:
        """The rows of the page; wrong ones and those that somebody has changed meanwhile come first."""
        kinds = self._kinds
        chosen = [row for row in self._rows if row.kind in kinds]
        chosen.sort(key=lambda row: (row.kind != "wrong", row.number not in self._stale))
        return [self._show(row) for row in chosen[(self.page - 1) * PAGE : self.page * PAGE]]

    def _show(self, row: PlannedRow) -> ShownRow:
        draft = row.draft
        name = str(draft.record) if draft and draft.record is not None else ""
        # What is wrong with a value is told with the value as it is typed, by its row.
        changes = draft.changes if draft else {}
        differences = [Difference(self._labels.get(name, name), *_told(draft, name)) for name in changes]
        notes = [(self._labels.get(name, name), text) for name, text in (draft.notes if draft else {}).items()]
        label, problems = str(KINDS[row.kind]), _problems(row, self._labels)
        return ShownRow(row.number, row.kind, label, name, row.number in self._stale, problems, notes, differences)


def _told(draft: Draft | None, name: str) -> tuple[str, str]:
    if name == SECRET:
        return "", "••••••"
    draft = draft or Draft()
    return draft.shown.get(name) or shortened(draft.before.get(name), draft.after.get(name))
