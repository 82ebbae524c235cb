"""Tells in what a backup and the present database and files differ."""

from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

import orjson
from django.db import connection

from cms_api.operation.backup import kinds, media, snapshot
from cms_api.operation.backup.archive import Archive, Row
from cms_api.operation.backup.progress import Progress
from cms_api.operation.backup.tables import Table


def differences(file: BinaryIO, progress: Progress) -> Iterator[str]:
    """A sentence for each row and file that differ; values are never told. Raises Damaged.

    The migrations of both must be the same. What a restore does not bring back is not compared.
    """
    file.seek(0)
    archive = Archive(file)
    progress.begin("files")
    yield from _compare_files(archive, progress)
    progress.begin("rows", sum(stored.rows for stored in archive.manifest.tables))
    with snapshot.snapshot(connection):
        for table, parts in archive.tables():
            yield from _compare(table, chain.from_iterable(parts), _present(table, progress))
    progress.end()


def _compare_files(archive: Archive, progress: Progress) -> Iterator[str]:
    names: set[str] = set()
    for found in archive.files():
        names.add(found.name)
        stored, present = media.digest(found.pieces), media.sum_of(found.name)
        if present is None:
            yield f"The file {found.name} is in the backup only."
        elif present != stored:
            yield f"The file {found.name} has another content."
        progress.advance(1)
    if archive.manifest.media.is_included:
        for name in media.names():
            if name not in names:
                yield f"The file {name} is in the storage only."


def _present(table: Table, progress: Progress) -> Iterator[Row]:
    for rows in snapshot.rows(connection, table):
        progress.advance(len(rows))
        for row in rows:
            yield orjson.loads(orjson.dumps(row, kinds.encode))


def _compare(table: Table, stored: Iterator[Row], present: Iterator[Row]) -> Iterator[str]:
    """Both come in the order of their keys."""
    one, other = next(stored, None), next(present, None)
    while one is not None or other is not None:
        if other is None or (one is not None and _key(table, one) < _key(table, other)):
            yield f"{_name(table, one)} is in the backup only."
            one = next(stored, None)
        elif one is None or _key(table, other) < _key(table, one):
            yield f"{_name(table, other)} is in the database only."
            other = next(present, None)
        else:
            if one != other and (columns := _differing(table, one, other)):
                yield f"{_name(table, one)} differs in {', '.join(columns)}."
            one, other = next(stored, None), next(present, None)


def _key(table: Table, row: Row) -> Row:
    return row[: table.keys]


def _name(table: Table, row: Row | None) -> str:
    return f"{table.label} {', '.join(map(str, _key(table, row or [])))}"


def _differing(table: Table, one: Row, other: Row) -> list[str]:
    return [
        column.name
        for column, value, present in zip(table.columns, one, other, strict=True)
        if value != present and kinds.comparable(column.kind, value) != kinds.comparable(column.kind, present)
    ]
