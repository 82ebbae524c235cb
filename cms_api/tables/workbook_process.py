"""Reads a workbook from standard input; a process of its own, since small files may expand to gigabytes."""

import io
import re
import resource
import sys
import zipfile
from datetime import date, datetime, time
from typing import Any

import orjson
from python_calamine import CalamineWorkbook, SheetTypeEnum

from cms_api.lib.cells import to_text

TOO_LARGE = 3  # exit status
# Of 128 MiB unpacked, four million cells take 360 MiB, and 500 MiB if there is an error value among them.
_LIMITS = {resource.RLIMIT_AS: 768 * 1024 * 1024, resource.RLIMIT_CPU: 60, resource.RLIMIT_CORE: 0}
_MAX_PARTS = 2000
_ERROR_TYPE = re.compile(rb' t="e"(?=[^<>]*>)')
_ROW_END = b"</row>"  # matching all rows at once would take too much memory


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
    for row in first.iter_rows() if first.end else ():
        cells = [value if type(value) is str else _text(value) for value in row[:max_columns]]
        # Many cells may share one long text.
        if (written := written + sys.stdout.buffer.write(orjson.dumps(cells) + b"\n")) > max_bytes:
            sys.exit(TOO_LARGE)


def _checked(data: bytes, max_bytes: int) -> io.BytesIO:
    """Return the workbook with error values such as #N/A as texts, since the library reads them as blanks."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
        # Python unpacks no more of a part than announced here.
        if len(parts) > _MAX_PARTS or sum(part.file_size for part in parts) > max_bytes:
            sys.exit(TOO_LARGE)
        if not any(_ERROR_TYPE.search(archive.read(part)) for part in parts):
            return io.BytesIO(data)
        changed = io.BytesIO()
        with zipfile.ZipFile(changed, "w") as target:
            for part in parts:
                rows = archive.read(part).split(_ROW_END)
                target.writestr(part.filename, _ROW_END.join(_ERROR_TYPE.sub(b' t="str"', row) for row in rows))
    changed.seek(0)
    return changed


def _text(value: Any) -> str:
    # The library returns midnight as a date without time.
    return to_text(datetime.combine(value, time()) if type(value) is date else value)


if __name__ == "__main__":
    try:
        main(*map(int, sys.argv[1:]))
    except MemoryError:
        sys.exit(TOO_LARGE)
