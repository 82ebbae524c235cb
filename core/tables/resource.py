"""Base of table imports: rows become drafts of records, which subclasses store through their services."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.lib.cells import defused, to_text
from core.lib.sealing import derived_key
from core.tables.columns import Column, readable
from core.tables.reading import Table

BATCH = 500  # records read or stored per query
CHECKING, STORING = "checking", "storing"  # step names in the progress of a job
_SHOWN = 120  # characters of a value in a preview
_NAMED = 20  # row numbers in a sentence
Tell = Callable[[str, int, int], object]  # step, done, total
Reader = Callable[[str], Any]  # reads a cell; raises ValueError with a sentence


def no_progress(step: str, done: int, total: int) -> None:
    """Ignore the progress."""


class WrongRow(Exception):
    """A row that refers to no record."""


class NotStored(Exception):
    """Nothing was stored; `stale` are the rows that no longer match the preview, empty if rows are wrong."""

    def __init__(self, stale: frozenset[int] = frozenset()) -> None:
        super().__init__(f"{len(stale)} stale rows")
        self.stale = stale

    def __str__(self) -> str:
        if not self.stale:
            return _("Nothing was stored: some rows have errors.")
        told = ngettext(
            "Nothing was stored: the record of %(count)d row has changed since the preview. Check the preview again.",
            "Nothing was stored: the records of %(count)d rows have changed since the preview. Check the preview "
            "again.",
            len(self.stale),
        )
        return told % {"count": len(self.stale)}

    @property
    def place(self) -> str:
        numbers = ", ".join(map(str, sorted(self.stale)[:_NAMED])) + (", …" if len(self.stale) > _NAMED else "")
        return _("Rows %(numbers)s") % {"numbers": numbers} if self.stale else ""


class FileGone(NotStored):
    def __str__(self) -> str:
        return _("The file is no longer stored: it was imported or discarded, or it is too old.")


@dataclass
class Draft:
    """A row as a record: the existing one, if any, and its members before and after."""

    record: Any = None
    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)
    # Excerpts that a preview shows of members too long to store in full, before and after.
    shown: dict[str, tuple[str, str]] = field(default_factory=dict)
    # Cells that are ignored or lose parts: name of the column → reason.
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def changes(self) -> dict[str, Any]:
        return {
            name: value for name, value in self.after.items() if name not in self.before or value != self.before[name]
        }


@dataclass(frozen=True)
class PlannedRow:
    number: int
    kind: str
    draft: Draft
    problems: dict[str, str]  # name of the column, "" for the row as a whole → sentence

    def digest(self, state: str) -> str:
        changes = sorted((name, repr(value)) for name, value in self.draft.changes.items())
        text = repr((self.kind, getattr(self.draft.record, "pk", None), state, changes, sorted(self.problems)))
        # Keyed, since it is stored beside the encrypted file and may be derived from a password.
        return hashlib.blake2b(text.encode(), digest_size=6, key=derived_key("seen rows")).hexdigest()


def shortened(before: Any, after: Any) -> tuple[str, str]:
    """Return both texts, shortened to start just before the first difference."""
    one, other = to_text(before), to_text(after)
    start = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    start = 0 if max(len(one), len(other)) <= _SHOWN else max(0, start - _SHOWN // 4)

    def part(text: str) -> str:
        shown = text[start : start + _SHOWN]
        return ("…" if start and shown else "") + shown + ("…" if len(text) > start + _SHOWN else "")

    return part(one), part(other)


def _is_same(text: str, stored: str) -> bool:
    """Return whether the cell is the exported text: spreadsheets change line ends, and save our CSV as workbooks."""
    text, stored = text.replace("\r\n", "\n"), stored.replace("\r\n", "\n")
    return text == stored or (text.startswith("'") and text == defused(stored))


class TableResource:
    """Reads rows of a table into drafts; planning needs no transaction, `hold` and later steps run in a short one."""

    target: Model | None = None  # the parent record, for the audit
    list_query = ""  # of the list that shows the records afterwards
    _may: Mapping[str, bool]  # the administrator's rights to the records

    def __init__(self, columns: Sequence[Column], readers: Mapping[str, Reader]) -> None:
        self.all_columns, self.columns = columns, readable(columns)
        self.readers = {column.name: readers[column.name] for column in self.columns if column.name in readers}

    def load(self, rows: list[dict[str, str]]) -> None:
        raise NotImplementedError

    def find(self, row: dict[str, str]) -> Draft | None:
        """Return the draft of the record a row refers to; None for a new one. Raises `WrongRow`."""
        raise NotImplementedError

    def read(self, draft: Draft, row: dict[str, str]) -> dict[str, str]:
        """Read members from the row and return the problems by column; empty non-text cells leave members unchanged."""
        problems: dict[str, str] = {}
        for name in filter(row.__contains__, self.readers):
            try:
                value = self.readers[name](row[name])
            except ValueError as error:
                problems[name] = str(error)
                continue
            before = draft.before.get(name)
            if isinstance(value, str) and isinstance(before, str) and _is_same(value, before):
                value = before
            if value is not None:
                draft.after[name] = value
        return problems

    def check(self, draft: Draft) -> dict[str, str]:
        return {}

    def state_of(self, record: Any) -> str:
        raise NotImplementedError

    def prepare(self, drafts: Sequence[Draft]) -> None:
        """Do slow work that needs no lock, for the drafts to be stored."""

    def hold(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Lock the rows that the drafts change; return outdated drafts. Raises a `ServiceError` that concerns all of
        them."""
        raise NotImplementedError

    def create(self, drafts: Sequence[Draft]) -> None:
        """Store at most BATCH new records, which are held. Raises `ServiceError`."""
        raise NotImplementedError

    def change(self, drafts: Sequence[Draft]) -> None:
        """Change at most BATCH records, which are held. Raises `ServiceError`."""
        raise NotImplementedError

    def plan(self, table: Table, matches: Sequence[str], tell: Tell = no_progress) -> list[PlannedRow]:
        """Plan each row without storing anything. Raises errors other than wrong rows."""
        places = {name: place for place, name in enumerate(matches) if name}
        rows = [
            {name: cells[place] if place < len(cells) else "" for name, place in places.items()}
            for _number, cells in table.rows
        ]
        self.load(rows)
        planned: list[PlannedRow] = []
        for (number, cells), row in zip(table.rows, rows, strict=True):
            tell(CHECKING, len(planned), len(rows))
            # Blank cells empty members; a truncated row must not.
            if len(cells) < len(table.headings):
                counts = {"cells": len(cells), "headings": len(table.headings)}
                told = _("The row has %(cells)d cells, but the heading row has %(headings)d.") % counts
                planned.append(PlannedRow(number, "wrong", Draft(), {"": told}))
            else:
                planned.append(self._plan_row(number, row))
        return planned

    def _plan_row(self, number: int, row: dict[str, str]) -> PlannedRow:
        try:
            draft = self.find(row) or Draft()
        except WrongRow as error:
            return PlannedRow(number, "wrong", Draft(), {"id": str(error)})
        problems = self.read(draft, row)
        if problems or draft.record is None or draft.changes:
            problems |= self.check(draft) | problems
            kind = "wrong" if problems else "new" if draft.record is None else "changed"
            return PlannedRow(number, kind, draft, problems)
        return PlannedRow(number, "unchanged", draft, {})

    def digests(self, rows: Iterable[PlannedRow]) -> list[str]:
        return [row.digest("" if row.draft.record is None else self.state_of(row.draft.record)) for row in rows]

    def plan_as_seen(
        self, table: Table, matches: Sequence[str], seen: Sequence[str], leaves_out: bool, tell: Tell
    ) -> list[PlannedRow]:
        """Plan the rows again and compare them with `seen`, the digests of the preview. Raises `NotStored`."""
        rows = self.plan(table, matches, tell)
        if len(seen) != len(rows):
            raise NotStored(frozenset(row.number for row in rows))
        digests = zip(rows, seen, self.digests(rows), strict=True)
        if stale := frozenset(row.number for row, was, now in digests if was != now):
            raise NotStored(stale)
        if not leaves_out and any(row.kind == "wrong" for row in rows):
            raise NotStored
        self.prepare([row.draft for row in rows if row.kind in ("new", "changed")])
        return rows

    def store(self, rows: Sequence[PlannedRow], tell: Tell) -> None:
        """Store planned rows in the caller's transaction. Raises `NotStored` if data has changed, or `ServiceError`."""
        new, changed = ([row.draft for row in rows if row.kind == kind] for kind in ("new", "changed"))
        total = len(new) + len(changed)
        tell(STORING, 0, total)
        if stale := self.hold([*new, *changed]):
            numbers = {id(row.draft): row.number for row in rows}
            raise NotStored(frozenset(numbers[id(draft)] for draft in stale))
        for done in range(0, len(changed), BATCH):
            self.change(changed[done : done + BATCH])
            tell(STORING, min(done + BATCH, len(changed)), total)
        for done in range(0, len(new), BATCH):
            self.create(new[done : done + BATCH])
            tell(STORING, min(len(changed) + done + BATCH, total), total)

    def has_rights_of(self, other: "TableResource") -> bool:
        return all(self._may[act] for act, is_allowed in other._may.items() if is_allowed)
