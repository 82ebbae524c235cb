from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

import orjson
from django.db import connection

from cms_api.backup.stored import stored_files
from core.archive import database, media
from core.archive.commands import Progress
from core.archive.reading import Archive
from core.archive.tables import Row, Table, comparable, encode


def differences(file: BinaryIO, progress: Progress) -> Iterator[str]:
    """Yield a sentence, without values, for each differing row and file; both sides need the same migrations."""
    archive = Archive(file)
    progress.begin("files")
    yield from _compare_files(archive, progress)
    progress.begin("rows", archive.manifest.rows)
    with database.snapshot(connection):
        for table, parts in archive.tables():
            yield from _compare(table, chain.from_iterable(parts), _rows_here(table, progress))
    progress.end()


def _compare_files(archive: Archive, progress: Progress) -> Iterator[str]:
    names: set[str] = set()
    for found in archive.files():
        names.add(found.name)
        stored, here = media.digest(found.pieces), media.sum_of(found.name)
        if here is None:
            yield f"The file {found.name} is only in the backup."
        elif here != stored:
            yield f"The file {found.name} has different content."
        progress.advance(1)
    if archive.manifest.media.is_included:
        for name in stored_files():
            if name not in names:
                yield f"The file {name} is only in the storage."


def _rows_here(table: Table, progress: Progress) -> Iterator[Row]:
    for rows in database.rows(connection, table):
        progress.advance(len(rows))
        for row in rows:
            yield orjson.loads(orjson.dumps(row, encode))


def _compare(table: Table, stored: Iterator[Row], here: Iterator[Row]) -> Iterator[str]:
    def name(row: Row) -> str:
        return f"{table.label} {', '.join(map(str, row[: table.keys]))}"

    one, other = next(stored, None), next(here, None)
    while one is not None or other is not None:
        if one is not None and (other is None or one[: table.keys] < other[: table.keys]):
            yield f"{name(one)} is only in the backup."
            one = next(stored, None)
        elif other is not None and (one is None or other[: table.keys] < one[: table.keys]):
            yield f"{name(other)} is only in the database."
            other = next(here, None)
        elif one is not None and other is not None:
            differing = [
                column.name
                for column, value, value_here in zip(table.columns, one, other, strict=True)
                if value != value_here and comparable(column.kind, value) != comparable(column.kind, value_here)
            ]
            if differing:
                yield f"{name(one)} differs in {', '.join(differing)}."
            one, other = next(stored, None), next(here, None)
