"""The preview of an import: the number of rows of each kind, a page of them, and the wrong rows as a table to mend."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePath
from typing import Any, NamedTuple

from django.core.paginator import Paginator
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from cms_api.lib.cells import MISSING, restored
from cms_api.tables.columns import REASONS, Column, fold
from cms_api.tables.reading import Table
from cms_api.tables.resource import Draft, PlannedRow, shortened
from cms_api.tables.writing import as_csv

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


class Difference(NamedTuple):
    """A member that a row changes, before and after."""

    label: str
    before: str
    after: str


class ShownRow(NamedTuple):
    """A row of the preview."""

    number: int
    kind: str
    label: str | Promise  # of the kind
    name: str  # of the record
    is_stale: bool
    problems: list[tuple[str, str]]  # column and sentence
    notes: list[tuple[str, str]]  # likewise, of cells that are passed over
    differences: list[Difference]


@dataclass(frozen=True)
class Tab:
    """Rows of one kind."""

    kind: str
    label: str | Promise
    count: int


def counts_of(rows: Iterable[PlannedRow]) -> dict[str, int]:
    """How many rows there are of each kind."""
    counted = Counter(row.kind for row in rows)
    return {kind: counted[kind] for kind in KINDS}


def problems_of(row: PlannedRow, columns: Sequence[Column]) -> list[str]:
    """The problems of the row: one sentence each, which names the column."""
    told = _problems(row, _labels(columns))
    return [
        _now("%(name)s: %(text)s") % {"name": capfirst(label), "text": text} if label else text for label, text in told
    ]


def _labels(columns: Sequence[Column]) -> dict[str, str]:
    return {column.name: str(column.label) for column in columns}


def _problems(row: PlannedRow, labels: Mapping[str, str]) -> list[tuple[str, str]]:
    """The label of each column, "" for the row as a whole, and a sentence."""
    return [(labels.get(name, ""), text) for name, text in row.problems.items()]


class Preview:
    """The rows of a plan as a page shows them.

    `kind` is what is asked for, else all rows that do something, else those that do nothing.
    """

    def __init__(
        self, rows: Sequence[PlannedRow], columns: Sequence[Column], query: Mapping[str, Any], stale: frozenset[int]
    ) -> None:
        self._rows, self._stale, self._labels = rows, stale, _labels(columns)
        self.counts = counts_of(rows)
        self.does_anything = bool(self.counts["new"] or self.counts["changed"])
        counts = {DOING: len(rows) - self.counts["unchanged"]} | self.counts
        self.tabs = [Tab(kind, label, counts[kind]) for kind, label in ({DOING: _("All that matter")} | KINDS).items()]
        asked = query.get("show", "")
        self.kind = asked if asked in counts else DOING if counts[DOING] else "unchanged"
        kinds = KINDS.keys() - {"unchanged"} if self.kind == DOING else {self.kind}
        chosen = [row for row in rows if row.kind in kinds]
        # Wrong rows come first, then rows whose record somebody has changed meanwhile.
        chosen.sort(key=lambda row: (row.kind != "wrong", row.number not in stale))
        self.page = Paginator(chosen, PAGE).get_page(query.get("page"))

    @property
    def notes(self) -> list[tuple[str, str, int]]:
        """The column and the sentence of each kind of note, and of how many rows it is."""
        shown = (row.draft.notes.items() for row in self._rows if row.kind != "wrong")
        counted = Counter(chain.from_iterable(shown))
        return [(self._labels.get(name, name), text, count) for (name, text), count in counted.items()]

    @property
    def rows(self) -> list[ShownRow]:
        """The rows of the page."""
        return [self._show(row) for row in self.page]

    def _show(self, row: PlannedRow) -> ShownRow:
        draft, stale = row.draft, row.number in self._stale
        record = "" if draft.record is None else str(draft.record)
        differences = [Difference(self._labels.get(name, name), *_told(draft, name)) for name in draft.changes]
        notes = [(self._labels.get(name, name), text) for name, text in draft.notes.items()]
        problems = _problems(row, self._labels)
        return ShownRow(row.number, row.kind, KINDS[row.kind], record, stale, problems, notes, differences)


def _told(draft: Draft, name: str) -> tuple[str, str]:
    if name == SECRET:
        return "", "••••••"
    return draft.shown.get(name) or shortened(draft.before.get(name), draft.after.get(name))


def left_out_file(table: Table, rows: Sequence[PlannedRow], columns: Sequence[Column]) -> bytes:
    """The wrong rows as CSV, with what is wrong in a last column; `rows` are all of the table."""
    # A table that was written here before has its reasons, which are old.
    chosen = [place for place, heading in enumerate(table.headings) if fold(heading) not in REASONS.words]
    lines = (
        [*(_cell(cells, place) for place in chosen), " ".join(problems_of(row, columns))]
        for (_number, cells), row in zip(table.rows, rows, strict=True)
        if row.kind == "wrong"
    )
    headings = [*(table.headings[place] for place in chosen), str(REASONS.label)]
    return "".join(as_csv(headings, lines, table.separator)).encode()


def left_out_name(name: str) -> str:
    """What the file is called, after the one of that name."""
    return _now("%(name)s, left out.csv") % {"name": PurePath(name).stem}


def _cell(cells: Sequence[str], place: int) -> str:
    # What is written is defused, whether it was before or not.
    return restored(cells[place]) if place < len(cells) else MISSING
