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

from core.lib.cells import MISSING
from core.tables.columns import REASONS, Column, fold
from core.tables.export import as_csv
from core.tables.reading import Table
from core.tables.resource import PlannedRow, shortened

PAGE = 50  # rows
KINDS = {
    "wrong": _("Wrong"),
    "new": _("New"),
    "changed": _("Changed"),
    "unchanged": _("Unchanged"),
}
# All rows with an effect or an error; shown first.
DOING = "doing"
SECRET = "password"  # noqa: S105 - the name of a member whose value is never shown


class Difference(NamedTuple):
    label: str
    before: str
    after: str


class ShownRow(NamedTuple):
    number: int
    kind: str
    label: str | Promise  # of the kind
    name: str  # of the record
    is_stale: bool
    problems: list[tuple[str, str]]  # column and sentence
    notes: list[tuple[str, str]]  # likewise, for cells that are ignored or lose parts
    differences: list[Difference]


@dataclass(frozen=True)
class Tab:
    kind: str
    label: str | Promise
    count: int


def counts_of(rows: Iterable[PlannedRow]) -> dict[str, int]:
    counted = Counter(row.kind for row in rows)
    return {kind: counted[kind] for kind in KINDS}


def problems_of(row: PlannedRow, columns: Sequence[Column]) -> list[str]:
    labels = {column.name: capfirst(str(column.label)) for column in columns}
    return [
        _now("%(name)s: %(text)s") % {"name": labels[name], "text": text} if labels.get(name) else text
        for name, text in row.problems.items()
    ]


class Preview:
    """The rows of a plan for display; `kind` is the requested one, else "doing" or, if that is empty, "unchanged"."""

    def __init__(
        self, rows: Sequence[PlannedRow], columns: Sequence[Column], query: Mapping[str, Any], stale: frozenset[int]
    ) -> None:
        self._rows, self._stale = rows, stale
        self._labels = {column.name: str(column.label) for column in columns}
        self.counts = counts_of(rows)
        self.does_anything = bool(self.counts["new"] or self.counts["changed"])
        counts = {DOING: len(rows) - self.counts["unchanged"]} | self.counts
        self.tabs = [
            Tab(kind, label, counts[kind]) for kind, label in ({DOING: _("Changed rows only")} | KINDS).items()
        ]
        asked = query.get("show", "")
        self.kind = asked if asked in counts else DOING if counts[DOING] else "unchanged"
        kinds = KINDS.keys() - {"unchanged"} if self.kind == DOING else {self.kind}
        chosen = [row for row in rows if row.kind in kinds]
        # Wrong rows first, then rows whose record was changed since the last preview.
        chosen.sort(key=lambda row: (row.kind != "wrong", row.number not in stale))
        self.page = Paginator(chosen, PAGE).get_page(query.get("page"))

    @property
    def notes(self) -> list[tuple[str, str, int]]:
        shown = (row.draft.notes.items() for row in self._rows if row.kind != "wrong")
        counted = Counter(chain.from_iterable(shown))
        return [(self._labels.get(name, name), text, count) for (name, text), count in counted.items()]

    @property
    def rows(self) -> list[ShownRow]:
        return [self._show(row) for row in self.page]

    def _show(self, row: PlannedRow) -> ShownRow:
        draft, differences = row.draft, []
        for name in draft.changes:
            if name == SECRET:
                before, after = "", "••••••"
            else:
                before, after = draft.shown.get(name) or shortened(draft.before.get(name), draft.after.get(name))
            differences.append(Difference(self._labels.get(name, name), before, after))
        return ShownRow(
            number=row.number,
            kind=row.kind,
            label=KINDS[row.kind],
            name="" if draft.record is None else str(draft.record),
            is_stale=row.number in self._stale,
            problems=[(self._labels.get(name, ""), text) for name, text in row.problems.items()],
            notes=[(self._labels.get(name, name), text) for name, text in draft.notes.items()],
            differences=differences,
        )


def left_out_file(table: Table, rows: Sequence[PlannedRow], columns: Sequence[Column]) -> bytes:
    """Return the wrong rows as CSV with the reasons in the last column; `rows` must cover the whole table."""
    # A file exported here earlier has outdated reasons.
    chosen = [place for place, heading in enumerate(table.headings) if fold(heading) not in REASONS.words]
    lines = (
        [
            *(cells[place] if place < len(cells) else MISSING for place in chosen),
            " ".join(problems_of(row, columns)),
        ]
        for (_number, cells), row in zip(table.rows, rows, strict=True)
        if row.kind == "wrong"
    )
    headings = [*(table.headings[place] for place in chosen), str(REASONS.label)]
    return "".join(as_csv(headings, lines, table.separator)).encode()


def left_out_name(name: str) -> str:
    return _now("%(name)s, left out.csv") % {"name": PurePath(name).stem}
