"""Reads what somebody has uploaded as a table: CSV in the forms that spreadsheets write, or XLSX."""

import codecs
import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

import orjson
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from cms_api.tables import xlsx

MAX_COLUMNS = 200
MAX_CELL = 5_000_000  # characters
_MAX_BLANK = 100_000  # rows, which cost time to be passed over
_ZIP, _OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SEPARATORS = (",", ";", "\t")
# The library has one limit for the whole process; nothing else here reads CSV.
csv.field_size_limit(MAX_CELL)

Cells = list[str]


@dataclass(frozen=True)
class Table:
    """Headings, and rows of texts as long as they are, each with its number in the spreadsheet."""

    headings: Cells
    rows: list[tuple[int, Cells]]
    separator: str = ","  # between the cells, of CSV

    def to_bytes(self) -> bytes:
        """The table as JSON: to read a workbook again would take seconds."""
        return orjson.dumps([self.headings, self.rows, self.separator])

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The table that `to_bytes` wrote."""
        return cls(*orjson.loads(data))


def read_table(data: bytes) -> Table:
    """The table of a file. Raises ValidationError with a sentence for whoever uploaded it."""
    if data.startswith(_OLD_EXCEL):
        raise ValidationError(_("This is a file of an old Excel. Save it as XLSX or CSV."))
    if data.startswith(_ZIP):
        return _gather(xlsx.read_rows(data, MAX_COLUMNS))
    separator, text = _separated(_decode(data))
    return _gather(_csv_rows(text, separator), separator)


def _gather(rows: Iterable[Cells], separator: str = ",") -> Table:
    numbered = _filled(rows)
    _number, headings = next(numbered, (0, []))
    while headings and not headings[-1].strip():
        headings.pop()
    if len(headings) > MAX_COLUMNS:
        raise ValidationError(_("A table has at most %(count)d columns.") % {"count": MAX_COLUMNS})
    found: list[tuple[int, Cells]] = []
    for number, cells in numbered:
        if len(found) == most_rows():
            raise ValidationError(_("A table has at most %(count)d rows; divide the file.") % {"count": most_rows()})
        found.append((number, cells))
    if not found:
        raise ValidationError(_("The file has no rows below its headings."))
    return Table(headings, found, separator)


def _filled(rows: Iterable[Cells]) -> Iterator[tuple[int, Cells]]:
    """The rows that have a text, with their numbers."""
    blank = 0
    for number, cells in enumerate(rows, 1):
        if any(map(str.strip, cells)):
            yield number, cells
        elif (blank := blank + 1) > _MAX_BLANK:
            told = _("More than %(count)d rows of the table are blank; delete them, also those below the last one.")
            raise ValidationError(told % {"count": _MAX_BLANK})


def most_rows() -> int:
    """Rows of one import."""
    return int(settings.CMS_IMPORT_MAX_ROWS)


def _decode(data: bytes) -> str:
    names = [name for bom, name in _BOMS if data.startswith(bom)] or _guesses(data)
    for name in names:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise ValidationError(_("The letters of the file cannot be read. Save it as CSV in UTF-8, or as XLSX."))


def _guesses(data: bytes) -> list[str]:
    # Latin letters and digits of UTF-16 have a zero each, and there are separators in any case.
    if b"\0" in data:
        return ["utf-16-le", "utf-16-be"]
    return ["utf-8", "gb18030"]


def _separated(text: str) -> tuple[str, str]:
    """What separates the cells, and the text without a line that says so."""
    first, _end, rest = text.partition("\n")
    hint = first.strip().casefold()
    if hint.startswith("sep=") and len(hint) == len("sep=") + 1:
        return first.strip()[-1], rest
    return _separator_of(text), text


def _csv_rows(text: str, separator: str) -> Iterator[Cells]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    except csv.Error as error:
        raise ValidationError(_("The file cannot be read as CSV.")) from error


def _separator_of(text: str) -> str:
    """The separator by which the headings are the most cells."""

    def cells(separator: str) -> int:
        try:
            return len(next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), []))
        except csv.Error:
            return 0

    return max(_SEPARATORS, key=cells)
