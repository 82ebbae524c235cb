"""The base of what is read from tables: rows as drafts of records, which subclasses store by their services."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext as _

from cms_api.lib.cells import to_text
from cms_api.tables.columns import Column, readable
from cms_api.tables.kept import derived_key
from cms_api.tables.reading import Table

BATCH = 500  # records read or stored by one statement
CHECKING = "checking"  # the name of this step in the progress of a job
_SHOWN = 120  # characters of a value in a preview
Tell = Callable[[str, int, int], object]  # what is being done, how much of it is done, and how much there is
Reader = Callable[[str], Any]  # a cell as a value; raises ValueError with a sentence


def tell_nobody(step: str, done: int, total: int) -> None:
    """Ignores the progress."""


class WrongRow(Exception):
    """A row that means no record, with a sentence about its number."""


@dataclass
class Draft:
    """A row as a record: the one that there is, if any, its members before, and after the row."""

    record: Any = None
    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)
    # Members that are too long to be kept as they were before: what a preview shows of both.
    shown: dict[str, tuple[str, str]] = field(default_factory=dict)
    # Cells that are passed over although their heading is read: the name of the column → why.
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def changes(self) -> dict[str, Any]:
        """The members that the row changes."""
        return {
            name: value for name, value in self.after.items() if name not in self.before or value != self.before[name]
        }


@dataclass(frozen=True)
class PlannedRow:
    """What becomes of a row: its number in the spreadsheet, new, changed, unchanged or wrong, and why it is wrong."""

    number: int
    kind: str
    draft: Draft
    problems: dict[str, str]  # name of the column, "" for the row as a whole → sentence

    def digest(self, state: str) -> str:
        """The same as long as the row would do the same to the same record."""
        changes = sorted((name, repr(value)) for name, value in self.draft.changes.items())
        text = repr((self.kind, getattr(self.draft.record, "pk", None), state, changes, sorted(self.problems)))
        # With a key: it stands beside the encrypted file, and what it is made of may be a password.
        return hashlib.blake2b(text.encode(), digest_size=6, key=derived_key("seen rows")).hexdigest()


def shortened(before: Any, after: Any) -> tuple[str, str]:
    """Both texts, short enough to be looked at, from shortly before they differ."""
    one, other = to_text(before), to_text(after)
    start = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    start = 0 if max(len(one), len(other)) <= _SHOWN else max(0, start - _SHOWN // 4)
    return _part(one, start), _part(other, start)


def _part(text: str, start: int) -> str:
    shown = text[start : start + _SHOWN]
    return ("…" if start and shown else "") + shown + ("…" if len(text) > start + _SHOWN else "")


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")


class TableResource:
    """Reads rows of a table. Subclasses say which records there are, and store drafts by the rules of their services.

    To plan needs no transaction and may take its time; `hold` and what follows stand in one that is short.
    """

    target: Model | None = None  # the record into which the others go, for the audit
    list_query = ""  # of the list where the records are looked at afterwards
    _may: Mapping[str, bool]  # what the administrator may do with the records

    def __init__(self, columns: Sequence[Column], readers: Mapping[str, Reader]) -> None:
        self.all_columns, self.columns = columns, readable(columns)
        self.readers = {column.name: readers[column.name] for column in self.columns if column.name in readers}

    # ---- what subclasses say

    def load(self, rows: list[dict[str, str]]) -> None:
        """Read the records that the rows mean."""
        raise NotImplementedError

    def find(self, row: dict[str, str]) -> Draft | None:
        """The draft of the record that the row means; None for a new one. Raises WrongRow."""
        raise NotImplementedError

    def read(self, draft: Draft, row: dict[str, str]) -> dict[str, str]:
        """Take the members from the row; an empty cell of what is no text leaves the member alone.

        What is wrong with a cell: name of the column → sentence.
        """
        problems: dict[str, str] = {}
        for name in filter(row.__contains__, self.readers):
            try:
                value = self.readers[name](row[name])
            except ValueError as error:
                problems[name] = str(error)
                continue
            before = draft.before.get(name)
            if isinstance(value, str) and isinstance(before, str) and _lines(value) == _lines(before):
                value = before  # spreadsheets have line ends of their own
            if value is not None:
                draft.after[name] = value
        return problems

    def check(self, draft: Draft) -> dict[str, str]:
        """What is wrong with the draft beyond its single values, likewise."""
        return {}

    def state_of(self, record: Any) -> str:
        """A text that is another one as soon as somebody has changed the record."""
        raise NotImplementedError

    def prepare(self, drafts: Sequence[Draft]) -> None:
        """What takes long and needs no lock, of the drafts that are going to be stored."""

    def hold(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Lock what the drafts change, and return those that would not do any more what was planned.

        Raises a ServiceError for what concerns all of them.
        """
        raise NotImplementedError

    def create(self, drafts: Sequence[Draft]) -> None:
        """Store new records, at most BATCH of them, which are held. Raises a ServiceError."""
        raise NotImplementedError

    def change(self, drafts: Sequence[Draft]) -> None:
        """Change records, at most BATCH of them, which are held. Raises a ServiceError."""
        raise NotImplementedError

    # ---- the life of an import

    def plan(self, table: Table, matches: Sequence[str], tell: Tell = tell_nobody) -> list[PlannedRow]:
        """What would become of each row; nothing is stored.

        Raises whatever fails for another reason than a wrong row.
        """
        places = {name: place for place, name in enumerate(matches) if name}
        rows = [
            {name: cells[place] if place < len(cells) else "" for name, place in places.items()}
            for _number, cells in table.rows
        ]
        self.load(rows)
        planned: list[PlannedRow] = []
        for (number, cells), row in zip(table.rows, rows, strict=True):
            tell(CHECKING, len(planned), len(rows))
            # Blank cells empty members; a row that was cut off must not.
            if len(cells) < len(table.headings):
                counts = {"cells": len(cells), "headings": len(table.headings)}
                told = _("The row has %(cells)d cells, the head %(headings)d.") % counts
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
        """The digest of each row."""
        records = ((row, row.draft.record) for row in rows)
        return [row.digest("" if record is None else self.state_of(record)) for row, record in records]

    def has_rights_of(self, other: "TableResource") -> bool:
        """Whether all that the other one may do may be done by this one, too."""
        return all(self._may[act] for act, is_allowed in other._may.items() if is_allowed)
