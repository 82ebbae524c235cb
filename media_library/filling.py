"""The table of uses, filled from records that were stored without its triggers, and compared with all records.

In small steps, which continue after an interruption and hold up writers of the same records for milliseconds.
"""

from collections.abc import Iterator
from itertools import chain
from time import monotonic
from typing import Any

from django.db import connection
from django.db.transaction import atomic

from media_library.models import MediaUseFill
from media_library.use_sources import SOURCES, Source, finding, storing

_AT_A_TIME = 200  # records in a transaction
_COMPARED = 2000  # records in a query
_SECONDS = 1.0  # of one call of the periodic task
_BY_KIND = {source.kind.value: source for source in SOURCES}


def begin_again() -> str:
    """Have all records read again; a small installation at once. Returns a sentence if some are left.

    Called when the triggers are installed: for the first time, or after they were missing.
    """
    _begin()
    for fill in MediaUseFill.objects.order_by("pk"):
        _advance(fill)
    if not is_filling():
        return ""
    return (
        "The running servers find the uses of media in the background. To find them now, run: manage.py "
        "check_media_uses --repair"
    )


def is_filling() -> bool:
    """Return true while uses may be missing."""
    return MediaUseFill.objects.exists()


def fill_some() -> None:
    """Periodic task."""
    end = monotonic() + _SECONDS
    while step() and monotonic() < end:
        pass


def rebuild() -> None:
    """Read all records again."""
    _begin()
    while step():
        pass


@atomic
def _begin() -> None:
    MediaUseFill.objects.all().delete()
    MediaUseFill.objects.bulk_create(MediaUseFill(source=kind) for kind in _BY_KIND)


@atomic
def step() -> bool:
    """Read some records; return false if there are none left, or other processes are reading them."""
    can_skip = connection.features.has_select_for_update_skip_locked
    fill = MediaUseFill.objects.select_for_update(skip_locked=can_skip).order_by("pk").first()
    if fill is not None:
        _advance(fill)
    return fill is not None


def _advance(fill: MediaUseFill) -> None:
    source = _BY_KIND[fill.source]
    ids = _next_ids(source, fill.position, _AT_A_TIME)
    with connection.cursor() as cursor:
        for statement in _renewing(source, ids, _range(fill.position, ids, _AT_A_TIME)):
            cursor.execute(statement)
    if len(ids) < _AT_A_TIME:
        fill.delete()
    else:
        fill.position = ids[-1]
        fill.save(update_fields=["position"])


def _renewing(source: Source, ids: list[int], reached: str) -> Iterator[str]:
    chosen = f"IN ({', '.join(map(str, ids)) or 'NULL'})"
    if connection.vendor == "postgresql":
        # Otherwise a concurrent change could store its uses before those of the former text.
        if not source.site:
            yield f"SELECT FROM contents_content WHERE id {chosen} ORDER BY id FOR SHARE"
        yield f"SELECT FROM {source.table} WHERE {source.key} {chosen} ORDER BY {source.key} FOR SHARE"
    is_there = f"SELECT 1 FROM {source.table} s WHERE s.{source.key} = media_library_mediause.source_id"
    yield (
        f"DELETE FROM media_library_mediause WHERE source = '{source.kind}' AND {reached} "
        f"AND (source_id {chosen} OR NOT EXISTS ({is_there}))"
    )
    yield storing(source, connection.vendor, f"s.{source.key} {chosen}")


def differences(*, newest: int = 0) -> Iterator[str]:
    """Compare the uses of all records, or of the newest ones of each source."""
    for source in SOURCES:
        after: int | None = _before_newest(source, newest) if newest else 0
        while after is not None:
            ids = _next_ids(source, after, _COMPARED)
            yield from _compare(source, _range(after, ids, _COMPARED))
            after = ids[-1] if len(ids) == _COMPARED else None


def _compare(source: Source, reached: str) -> Iterator[str]:
    expected = finding(source, connection.vendor, reached.replace("source_id", f"s.{source.key}"))
    stored = (
        "SELECT site_id, source, source_id, address FROM media_library_mediause "
        f"WHERE source = '{source.kind}' AND {reached}"
    )
    for told, (some, others) in (
        ("is not stored", (expected, stored)),
        ("is stored, but not in its text", (stored, expected)),
    ):
        for site_id, kind, source_id, address in _rows(f"SELECT * FROM ({some}) a EXCEPT SELECT * FROM ({others}) b"):
            yield f"The use of {address} of site {site_id} by {kind} {source_id} {told}."


def _range(after: int, ids: list[int], limit: int) -> str:
    """Return the condition of the ids up to the last one; without more of them, of all further ids."""
    return f"source_id > {after}" + (f" AND source_id <= {ids[-1]}" if len(ids) == limit else "")


def _next_ids(source: Source, after: int, limit: int) -> list[int]:
    key = source.key
    return list(
        chain(*_rows(f"SELECT DISTINCT {key} FROM {source.table} WHERE {key} > {after} ORDER BY {key} LIMIT {limit}"))
    )


def _before_newest(source: Source, limit: int) -> int:
    key = source.key
    newest = list(_rows(f"SELECT DISTINCT {key} FROM {source.table} ORDER BY {key} DESC LIMIT {limit}"))
    return newest[-1][0] - 1 if newest else 0


def _rows(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())
