"""Reads a workbook from standard input; a process of its own, since small files may expand to gigabytes."""

import io
import re
import resource
import sys
import zipfile
from collections.abc import Iterable
from datetime import date, datetime, time
from typing import Any

import orjson
from python_calamine import CalamineWorkbook, SheetTypeEnum

from core.lib.cells import MERGED, NO_RESULT, to_text

TOO_LARGE = 3  # exit status
# Of 128 MiB unpacked, four million cells take 360 MiB, and 500 MiB if there is an error value among them.
_LIMITS = {resource.RLIMIT_AS: 768 * 1024 * 1024, resource.RLIMIT_CPU: 60, resource.RLIMIT_CORE: 0}
_MAX_PARTS = 2000
_ERROR_TYPE = re.compile(rb' t="e"(?=[^<>]*>)')
_TYPE = re.compile(rb'\st="[^"]*"')
_FORMULA = rb"<\1f\b[^<>]*(?:/>|>[^<]*</\1f>)\s*"
# A formula without a stored result; an empty text is one.
_NO_RESULT = re.compile(
    rb'<((?:\w+:)?)c(?=[\s>])(?![^<>]*\st="(?:str|inlineStr)")([^<>]*)>\s*'
    + _FORMULA
    + rb"(?:<\1v\s*/>|<\1v>\s*</\1v>)?\s*</\1c>"
)
# A whole number with the number of its style.
_NUMBER = re.compile(
    rb'<((?:\w+:)?)c(?=\s)(?![^<>]*\st="(?!n"))([^<>]*\ss="(\d+)"[^<>]*)>\s*(?:'
    + _FORMULA
    + rb")?<\1v>(\d+)</\1v>\s*</\1c>"
)
_STYLES = "xl/styles.xml"
_ZEROS = re.compile(rb'<(?:\w+:)?numFmt\b(?=[^<>]*\snumFmtId="(\d+)")[^<>]*\sformatCode="(0{2,20})"')
_CELL_STYLES = re.compile(rb"<(?:\w+:)?cellXfs\b.*?</(?:\w+:)?cellXfs>", re.DOTALL)
_CELL_STYLE = re.compile(rb'<(?:\w+:)?xf\b[^<>]*?\snumFmtId="(\d+)"')
_ROW_END = b"</row>"  # matching all rows together would take too much memory


def main(max_columns: int, max_bytes: int) -> None:
    """Write the first cells of each row; the workbook's parts, and the output, are limited to `max_bytes`."""
    for limit, value in _LIMITS.items():
        highest = resource.getrlimit(limit)[1]
        if highest == resource.RLIM_INFINITY or value < highest:
            resource.setrlimit(limit, (value, value))
    written = 0
    workbook = CalamineWorkbook.from_filelike(_checked(sys.stdin.buffer.read(), max_bytes))
    sheets = (place for place, sheet in enumerate(workbook.sheets_metadata) if sheet.typ == SheetTypeEnum.WorkSheet)
    first = workbook.get_sheet_by_index(next(sheets))
    merged = _Merged(first.merged_cell_ranges or (), max_columns)
    for number, row in enumerate(first.iter_rows() if first.end else ()):
        cells = [value if type(value) is str else _text(value) for value in row[:max_columns]]
        merged.mark(number, cells)
        # Many cells may share one long text.
        if (written := written + sys.stdout.buffer.write(orjson.dumps(cells) + b"\n")) > max_bytes:
            sys.exit(TOO_LARGE)


def _checked(data: bytes, max_bytes: int) -> io.BytesIO:
    """Return the workbook with those cells as texts that the library would read as blanks, or without leading zeros."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
        # Python unpacks no more of a part than announced here.
        if len(parts) > _MAX_PARTS or sum(part.file_size for part in parts) > max_bytes:
            sys.exit(TOO_LARGE)
        widths = _widths(archive.read(_STYLES)) if _STYLES in archive.namelist() else {}
        if not any(_needs_texts(archive.read(part), widths) for part in parts):
            return io.BytesIO(data)
        changed = io.BytesIO()
        with zipfile.ZipFile(changed, "w") as target:
            for part in parts:
                rows = archive.read(part).split(_ROW_END)
                target.writestr(part.filename, _ROW_END.join(_with_texts(row, widths) for row in rows))
    changed.seek(0)
    return changed


def _widths(styles: bytes) -> dict[bytes, int]:
    """Return the number of digits for each style of cells whose format consists of zeros."""
    widths = {number: len(zeros) for number, zeros in _ZEROS.findall(styles)}
    found = _CELL_STYLES.search(styles) if widths else None
    formats = _CELL_STYLE.findall(found[0]) if found else []
    return {b"%d" % style: widths[number] for style, number in enumerate(formats) if number in widths}


def _needs_texts(part: bytes, widths: dict[bytes, int]) -> bool:
    return bool(
        _ERROR_TYPE.search(part) or _NO_RESULT.search(part) or any(b' s="%s"' % style in part for style in widths)
    )


def _with_texts(row: bytes, widths: dict[bytes, int]) -> bytes:
    def padded(cell: re.Match[bytes]) -> bytes:
        width = widths.get(cell[3])
        return _as_text(cell, cell[4].rjust(width, b"0")) if width else cell[0]

    row = _NO_RESULT.sub(lambda cell: _as_text(cell, NO_RESULT.encode()), row)
    row = _NUMBER.sub(padded, row) if widths else row
    return _ERROR_TYPE.sub(b' t="str"', row)


def _as_text(cell: re.Match[bytes], text: bytes) -> bytes:
    prefix, attributes = cell[1], _TYPE.sub(b"", cell[2])
    return b'<%sc%s t="str"><%sv>%s</%sv></%sc>' % (prefix, attributes, prefix, text, prefix, prefix)


class _Merged:
    """Marks the cells of merged ranges but the first of each, in rows below the headings that have other cells."""

    def __init__(self, ranges: Iterable[tuple[tuple[int, int], tuple[int, int]]], max_columns: int) -> None:
        self._waiting = sorted(ranges, reverse=True)
        self._open: list[tuple[tuple[int, int], tuple[int, int]]] = []
        self._max_columns = max_columns
        self._has_headings = False

    def mark(self, number: int, cells: list[str]) -> None:
        while self._waiting and self._waiting[-1][0][0] <= number:
            self._open.append(self._waiting.pop())
        self._open = [each for each in self._open if each[1][0] >= number]
        is_blank, is_below = not any(map(str.strip, cells)), self._has_headings
        self._has_headings = is_below or not is_blank
        if is_blank or not is_below:
            return
        for (top, left), (_bottom, right) in self._open:
            for column in range(left, min(right + 1, self._max_columns)):
                if (number, column) != (top, left):
                    cells.extend([""] * (column + 1 - len(cells)))
                    cells[column] = MERGED


def _text(value: Any) -> str:
    # The library returns midnight as a date without time.
    return to_text(datetime.combine(value, time()) if type(value) is date else value)


if __name__ == "__main__":
    try:
        main(*map(int, sys.argv[1:]))
    except MemoryError:
        sys.exit(TOO_LARGE)
