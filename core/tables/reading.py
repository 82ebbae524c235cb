"""Reads uploaded tables: CSV in the variants that spreadsheets write, or XLSX."""

import codecs
import csv
import io
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import Self

import orjson
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from core.lib.cells import restored
from core.tables.workbook_process import TOO_LARGE

MAX_FILE_BYTES = 32 * 1024 * 1024
MAX_ROWS = 20_000
MAX_COLUMNS = 200
MAX_CELL = 5_000_000  # characters
_MAX_BLANK = 100_000  # rows, which take time to skip
_ZIP, _OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SEPARATORS = (",", ";", "\t")
_LOOKED_AT = 100  # rows that decide about the separator
_UNPACKED = 4  # times MAX_FILE_BYTES, for a workbook's parts and its rows
_one_workbook_at_a_time = Lock()  # per worker, to limit memory
# The limit is process-wide; this is the only reader of CSV.
csv.field_size_limit(MAX_CELL)

Cells = list[str]


@dataclass(frozen=True)
class Table:
    """Headings and rows of unequal length, each with its row number in the spreadsheet."""

    headings: Cells
    rows: list[tuple[int, Cells]]
    separator: str = ","  # of CSV

    def to_bytes(self) -> bytes:
        """Serialise as JSON: reading a workbook again would take seconds."""
        return orjson.dumps([self.headings, self.rows, self.separator])

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        return cls(*orjson.loads(data))


def read_table(data: bytes) -> Table:
    if data.startswith(_OLD_EXCEL):
        raise ValidationError(_("This file is in an old Excel format. Save it as XLSX or CSV."))
    if data.startswith(_ZIP):
        return _gather(read_workbook(data, MAX_COLUMNS), ",")
    text = _decode(data)
    first, _end, rest = text.partition("\n")
    hint = first.strip().casefold()
    if hint.startswith("sep=") and len(hint) == len("sep=") + 1:  # a line that names the separator
        return _gather(_csv_rows(rest, first.strip()[-1]), first.strip()[-1])
    separator = _separator_of(text)
    return _gather(_csv_rows(text, separator), separator)


def read_workbook(data: bytes, max_columns: int) -> Iterator[list[str]]:
    """Return the rows of the first sheet with at most `max_columns + 1` cells each. Raises `ValidationError`."""
    limits = [str(max_columns + 1), str(_UNPACKED * MAX_FILE_BYTES)]
    with _one_workbook_at_a_time:
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "core.tables.workbook_process", *limits],
            cwd=settings.BASE_DIR,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    # Negative: killed at its limit of memory or time.
    if done.returncode == TOO_LARGE or done.returncode < 0:
        raise ValidationError(_("The workbook is too large when unpacked; split it, or save it as CSV."))
    if done.returncode:
        raise ValidationError(_("The file cannot be read as XLSX."))
    return map(orjson.loads, io.BytesIO(done.stdout))


def _gather(rows: Iterable[Cells], separator: str) -> Table:
    headings: Cells | None = None
    found: list[tuple[int, Cells]] = []
    blank = 0
    for number, cells in enumerate(rows, 1):
        if not _has_text(cells):
            if (blank := blank + 1) > _MAX_BLANK:
                told = _(
                    "More than %(count)d rows of the table are blank; delete them, including those below the "
                    "last filled row."
                )
                raise ValidationError(told % {"count": _MAX_BLANK})
        elif headings is None:
            headings = cells
            while not headings[-1].strip():
                headings.pop()
            if len(headings) > MAX_COLUMNS:
                raise ValidationError(_("A table may have at most %(count)d columns.") % {"count": MAX_COLUMNS})
        elif len(found) == MAX_ROWS:
            raise ValidationError(_("A table may have at most %(count)d rows; split the file.") % {"count": MAX_ROWS})
        else:
            found.append((number, cells))
    if headings is None or not found:
        raise ValidationError(_("The file has no rows below its headings."))
    return Table(headings, found, separator)


def _decode(data: bytes) -> str:
    # In UTF-16 every Latin letter, digit or separator has a zero byte.
    guesses = ["utf-16-le", "utf-16-be"] if b"\0" in data else ["utf-8", "gb18030"]
    for name in [name for bom, name in _BOMS if data.startswith(bom)] or guesses:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise ValidationError(
        _("The character encoding of the file is not supported. Save it as CSV in UTF-8, or as XLSX.")
    )


def _csv_rows(text: str, separator: str) -> Iterator[Cells]:
    try:
        # Only here: programs that write workbooks need no defused cells.
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            yield [restored(cell) for cell in cells]
    except csv.Error as error:
        raise ValidationError(_("The file cannot be read as CSV.")) from error


def _separator_of(text: str) -> str:
    """Return the separator that gives most rows as many cells as the headings; of several, that with most headings."""

    def fitting(separator: str) -> tuple[bool, int, int]:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        try:
            headings, *others = map(len, islice(filter(_has_text, rows), _LOOKED_AT))
        except (csv.Error, ValueError):  # ValueError: there is no row
            return False, 0, 0
        return headings > 1, others.count(headings), headings

    return max(_SEPARATORS, key=fitting)


def _has_text(cells: Cells) -> bool:
    return any(map(str.strip, cells))
