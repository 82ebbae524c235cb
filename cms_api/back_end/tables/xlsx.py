"""Reads XLSX that anybody may have made: looked at as an archive first, then read row by row."""

import io
import zipfile
from collections.abc import Iterator

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from openpyxl import load_workbook

from cms_api.back_end.tables.cells import to_text
from cms_api.back_end.tables.elements import TooManyElements, Weight

_MAX_PARTS = 2000
_UNPACKED = 4  # times the bytes of a file, of all parts; XML of cells is some eight times as long as packed


def read_rows(data: bytes, max_columns: int, max_rows: int) -> Iterator[list[str]]:
    """The rows of the first sheet, to the one after `max_rows` if there are more.

    Raises ValidationError for what is no workbook, or one that unpacks to too much.
    """
    _refuse_bombs(data)
    try:
        # The library parses XML by defusedxml where that is installed, which it is here.
        workbook = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        sheet = workbook.worksheets[0]
        # What the sheet says of its own size may be anything.
        sheet.reset_dimensions()
        # Blank cells at the end of a row may be left out of a sheet; by `max_col` all rows are equally long.
        # Of rows that are missing the library makes blank ones, up to whatever number the next one has.
        for row in sheet.iter_rows(max_row=max_rows + 1, max_col=max_columns + 1, values_only=True):
            yield [to_text(value) for value in row] if any(value is not None for value in row) else []
    # A broken workbook raises whatever the first part that misses it raises: KeyError, ParseError, ValueError, …
    except Exception as error:
        raise ValidationError(_("The file cannot be read as XLSX.")) from error


def _refuse_bombs(data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            # Python unpacks no more of a part than it announces here.
            unpacked = sum(part.file_size for part in parts)
            if len(parts) > _MAX_PARTS or unpacked > _UNPACKED * settings.CMS_IMPORT_MAX_BYTES:
                raise TooManyElements
            weight = Weight(most_elements())
            for part in parts:
                with archive.open(part) as file:
                    weight.add(file, part.file_size)
    except TooManyElements as error:
        raise ValidationError(_("The workbook is too large when unpacked; divide it, or save it as CSV.")) from error
    # A broken archive raises BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError for a password, …
    except Exception as error:
        raise ValidationError(_("The file cannot be read as XLSX.")) from error


def most_elements() -> int:
    """Elements of XML of all parts; a cell has two or three."""
    return int(settings.CMS_IMPORT_MAX_BYTES) // 6
