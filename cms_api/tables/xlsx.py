"""Reads XLSX that anybody may have made, in a process of its own (`workbook_process`)."""

import io
import subprocess
import sys
from collections.abc import Iterator
from threading import Lock

import orjson
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from cms_api.tables.workbook_process import TOO_LARGE

_UNPACKED = 4  # times the bytes of a file: of all parts, and of the rows; XML of cells is some eight times as long

_one_at_a_time = Lock()  # by this worker, for the memory of the machine


def read_rows(data: bytes, max_columns: int) -> Iterator[list[str]]:
    """The rows of the first sheet, each to the cell after `max_columns` if there are more.

    Raises ValidationError for what is no workbook, or one that takes too much memory or time.
    """
    limits = [str(max_columns + 1), str(_UNPACKED * settings.CMS_IMPORT_MAX_BYTES)]
    with _one_at_a_time:
        done = subprocess.run(  # noqa: S603 - our own
            [sys.executable, "-m", "cms_api.tables.workbook_process", *limits],
            cwd=settings.BASE_DIR,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    # Below 0 is a signal: the process has come to a limit of its memory or time.
    if done.returncode == TOO_LARGE or done.returncode < 0:
        raise ValidationError(_("The workbook is too large when unpacked; divide it, or save it as CSV."))
    if done.returncode:
        raise ValidationError(_("The file cannot be read as XLSX."))
    return map(orjson.loads, io.BytesIO(done.stdout))
