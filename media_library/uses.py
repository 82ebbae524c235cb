"""Where files are used, as the table of uses has it."""

import re
from collections.abc import Collection
from typing import NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from media_library.models import MediaFile, MediaFileQuerySet, MediaUse, UseSource
from media_library.use_sources import ENDS, MARKS, Cut

_SHOWN = 100
_END = re.compile("|".join([f"[{re.escape(ENDS)}]", *MARKS]))


class Use(NamedTuple):
    source: UseSource
    source_id: int


class Uses(NamedTuple):
    first: list[Use]
    total: int


def rows_of(file: MediaFile) -> QuerySet[MediaUse, tuple[str, int]]:
    """Return the source and id of each text that uses the file, in this order."""
    return rows_at(file.site_id, {file.path, cut(file.path)})


def rows_at(site_id: int, addresses: Collection[str]) -> QuerySet[MediaUse, tuple[str, int]]:
    """Return the source and id of each text with one of the addresses, in this order."""
    found = MediaUse.objects.filter(site_id=site_id, address__in=addresses)
    return found.order_by("source", "source_id").values_list("source", "source_id").distinct()


def uses_of(file: MediaFile) -> Uses:
    """Return the number of texts that use the file, and the first of them.

    A text that has only the beginning of the path, up to a blank, bracket or the like in it, counts, too: not all texts
    encode these characters.
    """
    return first_of(rows_of(file))


def first_of(rows: QuerySet[MediaUse, tuple[str, int]]) -> Uses:
    first = [Use(UseSource(source), source_id) for source, source_id in rows[:_SHOWN]]
    return Uses(first, len(first) if len(first) < _SHOWN else rows.count())


def cut(path: str) -> str:
    """Return the address of the file in texts that do not encode blanks, brackets and the like."""
    return _END.split(path, maxsplit=1)[0]


def unused(files: MediaFileQuerySet) -> MediaFileQuerySet:
    """Return the files that no text uses, if `filling.is_filling` returns false."""
    uses = MediaUse.objects.filter(site_id=OuterRef("site_id"), address__in=[OuterRef("path"), OuterRef("cut_path")])
    return files.alias(cut_path=Cut("path")).filter(~Exists(uses))
