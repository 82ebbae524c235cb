"""The rows of a table that are left out, as a table of their own: to be mended and uploaded by themselves."""

from collections.abc import Sequence
from pathlib import PurePath

from django.utils.translation import gettext as _

from cms_api.tables.cells import MISSING, restored
from cms_api.tables.columns import REASONS, Column, fold
from cms_api.tables.preview import problems_of
from cms_api.tables.reading import Table
from cms_api.tables.resource import PlannedRow
from cms_api.tables.writing import as_csv


def as_file(table: Table, rows: Sequence[PlannedRow], columns: Sequence[Column]) -> bytes:
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


def file_name(name: str) -> str:
    """What the file is called, after the one of that name."""
    return _("%(name)s, left out.csv") % {"name": PurePath(name).stem}


def _cell(cells: Sequence[str], place: int) -> str:
    # What is written is defused, whether it was before or not.
    return restored(cells[place]) if place < len(cells) else MISSING
