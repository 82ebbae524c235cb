"""The audit as a file: CSV for spreadsheets, JSON Lines for programs, written while it is sent."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Q, QuerySet

from cms_api.audit.actions import label_of
from cms_api.audit.models import AuditEntry
from cms_api.lib.cells import BLANKS

ROWS = 1000  # of one statement; no more are held at a time
FIELDS = tuple(field.attname for field in AuditEntry._meta.concrete_fields)
# A spreadsheet takes a cell that begins so for a formula, and so does one that drops blanks before it.
_FORMULA = re.compile(rf"[{BLANKS}]*[=+\-@\t\r\n＝＋－＠]")
# Where semicolons separate cells, one begins after each.
_AFTER_SEPARATOR = re.compile(rf"([;\t\r\n][{BLANKS}]*)(?=[=+\-@＝＋－＠])")
_BOM = "\ufeff"  # without which spreadsheets take UTF-8 for something else

Row = dict[str, Any]


def newest_first(entries: QuerySet[AuditEntry]) -> Iterator[Row]:
    """The entries, a bounded number at a time; each statement begins after the last entry before it."""
    entries = entries.order_by("-at", "-id")
    rows = list(entries.values(*FIELDS)[:ROWS])
    while rows:
        yield from rows
        at, number = rows[-1]["at"], rows[-1]["id"]
        # The first condition is the one that an index serves.
        after = entries.filter(at__lte=at).exclude(Q(at=at) & Q(id__gte=number))
        rows = list(after.values(*FIELDS)[:ROWS])


def as_json_lines(rows: Iterable[Row]) -> Iterator[str]:
    """A JSON object on a line of its own for each row."""
    for row in rows:
        yield json.dumps(row | {"at": row["at"].isoformat(" ")}, ensure_ascii=False) + "\n"


def as_csv(rows: Iterable[Row]) -> Iterator[str]:
    """Comma-separated values under the names of the columns, with the action in words as the last one."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    yield _BOM
    for cells in _tables(rows):
        writer.writerow(map(_defused, cells))
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _tables(rows: Iterable[Row]) -> Iterator[list[Any]]:
    yield [*FIELDS, "action_in_words"]
    for row in rows:
        flat = row | {
            "at": row["at"].isoformat(" "),
            "changed": ", ".join(row["changed"]),
            "details": json.dumps(row["details"], ensure_ascii=False) if row["details"] else "",
        }
        yield [*flat.values(), label_of(row["action"], row["changed"])]


def _defused(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    inside = _AFTER_SEPARATOR.sub(r"\1'", cell)
    return f"'{inside}" if _FORMULA.match(cell) else inside
