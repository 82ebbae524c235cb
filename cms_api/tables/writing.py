"""Writes tables: CSV while it is sent, XLSX in a file of its own, both with a bounded memory."""

import csv
import io
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import IO, Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from cms_api.lib.cells import MAX_LENGTH, TOO_LONG, defused, is_formula, restored

XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLSX_ROWS = 100_000  # some 30 s of work; a sheet ends at 1,048,576
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}
_BOM = "\ufeff"  # without which spreadsheets take UTF-8 for something else
_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")  # of one character in a workbook, which openpyxl leaves alone
_PART = 64 * 1024  # characters sent at once

Row = Sequence[str]


def as_csv(headings: Row, rows: Iterable[Row], separator: str) -> Iterator[str]:
    """The table as text, in parts."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator)
    buffer.write(_BOM)
    writer.writerow(map(defused, headings))
    for row in rows:
        writer.writerow(map(defused, row))
        if buffer.tell() > _PART:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def as_xlsx(headings: Row, rows: Iterable[Row]) -> IO[bytes]:
    """The table as a workbook, in a temporary file that goes when it is closed."""
    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet()
    for row in chain([headings], rows):
        sheet.append([_cell(sheet, text) for text in row])
    file = tempfile.TemporaryFile(suffix=".xlsx")  # noqa: SIM115 - the answer closes it when it is sent
    workbook.save(file)
    file.seek(0)
    return file


def _cell(sheet: Any, text: str) -> Any:
    text = _ESCAPE.sub("_x005F_", ILLEGAL_CHARACTERS_RE.sub("", text))
    # What looks as if it had been defused, so that reading it gives the same text again.
    text = text if restored(text) == text else defused(text)
    cell = WriteOnlyCell(sheet, value=TOO_LONG if len(text) >= MAX_LENGTH else text)
    # Never a formula, and marked so that it stays a text when somebody edits the cell.
    cell.data_type = "s"
    if is_formula(text):
        cell.quotePrefix = True
    return cell
