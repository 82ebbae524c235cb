"""The base of what is read from tables: django-import-export's rows and results, stored as our services would."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import tablib
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.utils.translation import gettext as _
from import_export.fields import Field
from import_export.instance_loaders import BaseInstanceLoader
from import_export.resources import Resource
from import_export.results import RowResult
from import_export.widgets import Widget

from cms_api.back_end.tables.cells import to_text
from cms_api.back_end.tables.columns import Column, readable
from cms_api.back_end.tables.kept import derived_key
from cms_api.back_end.tables.reading import Table

BATCH = 500  # records read or stored by one statement
CHECKING = "checking"  # what is told while rows are planned
_SHOWN = 120  # characters of a value in a preview
Tell = Callable[[str, int, int], object]  # what is being done, how much of it is done, and how much there is
KINDS = {
    RowResult.IMPORT_TYPE_NEW: "new",
    RowResult.IMPORT_TYPE_UPDATE: "changed",
    RowResult.IMPORT_TYPE_SKIP: "unchanged",
    RowResult.IMPORT_TYPE_INVALID: "wrong",
}


def nobody(step: str, done: int, total: int) -> None:
    """Nobody waits to be told."""


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
    """What becomes of a row: its number in the spreadsheet, a value of KINDS, and why it is wrong if it is."""

    number: int
    kind: str
    draft: Draft | None
    problems: dict[str, list[str]]  # name of the column, or NON_FIELD_ERRORS → sentences

    def digest(self, state: str) -> str:
        """The same as long as the row would do the same to the same record."""
        record = self.draft.record if self.draft else None
        changes = sorted((name, repr(value)) for name, value in self.draft.changes.items()) if self.draft else []
        text = repr((self.kind, getattr(record, "pk", None), state, changes, sorted(self.problems)))
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


class MemberField(Field):
    """A column that reads into a draft's members; an empty cell of what is no text leaves the member alone."""

    def get_value(self, instance: Draft) -> Any:
        """The member as the row leaves it."""
        return instance.after.get(self.attribute)

    def save(self, instance: Draft, row: Any, is_m2m: bool = False, **kwargs: Any) -> None:
        """Take the member from the row."""
        value, before = self.clean(row), instance.before.get(self.attribute)
        if isinstance(value, str) and isinstance(before, str) and _lines(value) == _lines(before):
            value = before  # spreadsheets have line ends of their own
        if value is not None:
            instance.after[self.attribute] = value


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("_x000D_", "")


class _Loader(BaseInstanceLoader):
    """Asks the resource, which has read the records by batches beforehand."""

    def get_instance(self, row: Any) -> Any:
        """The draft of a record that there is."""
        return self.resource.find(row)


class TableResource(Resource):
    """Reads rows of a table. Subclasses say which records there are, and store drafts by the rules of their services.

    To plan needs no transaction and may take its time; `hold` and what follows stand in one that is short.
    """

    class Meta:
        instance_loader_class = _Loader
        import_id_fields = ["id"]  # as a list, which need not be in the file
        skip_diff = True  # that of the library is HTML with styles of its own
        report_skipped = True
        store_row_values = False
        use_transactions = False  # whoever imports has one for the whole table

    _may: Mapping[str, bool]  # what the administrator may do with the records

    def __init__(self, columns: Sequence[Column], widgets: dict[str, Widget]) -> None:
        super().__init__()
        self.columns = readable(columns)
        for column in self.columns:
            if column.name in widgets:
                self.fields[column.name] = MemberField(column.name, column.name, widgets[column.name])
        self._table = Table([], [])
        self._drafts: list[Draft | None] = []
        self._tell: Tell = nobody
        self._total = 0

    # ---- what subclasses say

    def load(self, rows: list[dict[str, str]]) -> None:
        """Read the records that the rows mean."""
        raise NotImplementedError

    def find(self, row: dict[str, str]) -> Draft | None:
        """The draft of the record that the row means; None for a new one. Raises ValidationError."""
        raise NotImplementedError

    def check(self, draft: Draft) -> dict[str, str]:
        """What is wrong with the draft beyond its single values: name of the column → sentence."""
        return {}

    def state_of(self, record: Any) -> str:
        """A text that is another one as soon as somebody has changed the record."""
        raise NotImplementedError

    def prepare(self, drafts: Sequence[Draft]) -> None:
        """What takes long and needs no lock, of the drafts that are going to be stored."""

    def hold(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Lock what the drafts change, and return those that would not do any more what was planned.

        Raises a Refusal for what concerns all of them.
        """
        raise NotImplementedError

    def create(self, drafts: Sequence[Draft]) -> None:
        """Store new records, at most BATCH of them, which are held. Raises a Refusal."""
        raise NotImplementedError

    def change(self, drafts: Sequence[Draft]) -> None:
        """Change records, at most BATCH of them, which are held. Raises a Refusal."""
        raise NotImplementedError

    # ---- the life of an import

    def plan(self, table: Table, matches: Sequence[str], tell: Tell = nobody) -> list[PlannedRow]:
        """What would become of each row; nothing is stored.

        Raises whatever fails for another reason than a wrong row.
        """
        self._table, self._drafts, self._tell, self._total = table, [], tell, len(table.rows)
        dataset = _dataset(table, matches)
        result = self.import_data_inner(dataset, True, False, False, False)
        for error in (*result.base_errors, *(each for row in result.rows for each in row.errors)):
            raise error.error
        return [
            PlannedRow(number, KINDS[row.import_type], draft, _problems(row.validation_error))
            for (number, _cells), row, draft in zip(table.rows, result.rows, self._drafts, strict=True)
        ]

    def digests(self, rows: Iterable[PlannedRow]) -> list[str]:
        """The digest of each row."""
        found = []
        for row in rows:
            record = row.draft.record if row.draft else None
            found.append(row.digest(self.state_of(record) if record is not None else ""))
        return found

    def has_rights_of(self, other: "TableResource") -> bool:
        """Whether all that the other one may do may be done by this one, too."""
        return all(self._may[act] for act, is_allowed in other._may.items() if is_allowed)

    # ---- what the library asks for

    def before_import(self, dataset: tablib.Dataset, **kwargs: Any) -> None:
        """Read the records by batches."""
        self.load([dict(zip(dataset.headers, row, strict=True)) for row in dataset])

    def get_instance(self, instance_loader: BaseInstanceLoader, row: Any) -> Any:
        """The draft of the record that there is, found by whatever the table has."""
        return instance_loader.get_instance(row)

    def before_import_row(self, row: Any, **kwargs: Any) -> None:
        """A place for the draft, also of a row that is refused before there is one. Raises ValidationError."""
        _number, cells = self._table.rows[len(self._drafts)]
        self._drafts.append(None)
        # Blank cells empty members; a row that was cut off must not.
        if len(cells) < len(self._table.headings):
            counts = {"cells": len(cells), "headings": len(self._table.headings)}
            raise ValidationError(_("The row has %(cells)d cells, the head %(headings)d.") % counts)

    def import_row(self, row: Any, instance_loader: BaseInstanceLoader, **kwargs: Any) -> RowResult:
        """What becomes of the row."""
        # Here, since what is raised further down counts as an error of the row.
        self._tell(CHECKING, len(self._drafts), self._total)
        return super().import_row(row, instance_loader, **kwargs)

    def init_instance(self, row: Any = None) -> Draft:
        """The draft of a new record."""
        return Draft()

    def after_init_instance(self, instance: Draft, new: bool, row: Any, **kwargs: Any) -> None:
        """Keep the draft for whoever looks at the plan."""
        self._drafts[-1] = instance

    def skip_row(self, instance: Draft, original: Any, row: Any, import_validation_errors: Any = None) -> bool:
        """Whether the record is already as the row says."""
        return instance.record is not None and not import_validation_errors and not instance.changes

    def validate_instance(
        self, instance: Draft, import_validation_errors: Any = None, validate_unique: bool = True
    ) -> None:
        """Raises ValidationError for all that is wrong with the row."""
        problems: dict[str, Any] = dict(import_validation_errors or {})
        for name, sentence in self.check(instance).items():
            problems.setdefault(name, [sentence])
        if problems:
            raise ValidationError(problems)


def _dataset(table: Table, matches: Sequence[str]) -> tablib.Dataset:
    """The columns that mean something, under the names of their members."""
    chosen = [place for place, name in enumerate(matches) if name]
    # The first one means nothing: the library wants a column at least.
    dataset = tablib.Dataset(headers=["", *(matches[place] for place in chosen)])
    for _number, cells in table.rows:
        dataset.append(["", *(cells[place] if place < len(cells) else "" for place in chosen)])
    return dataset


def _problems(error: ValidationError | None) -> dict[str, list[str]]:
    if error is None:
        return {}
    if hasattr(error, "error_dict"):
        return dict(error.message_dict)
    return {NON_FIELD_ERRORS: list(error.messages)}
