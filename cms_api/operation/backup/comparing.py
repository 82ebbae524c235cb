"""Tells in what a backup and the present database and files differ."""

import hashlib
from collections.abc import Generator, Iterator
from itertools import chain
from typing import Any, BinaryIO

import orjson
from django.db import connection

from cms_api.operation.backup import kinds, media, snapshot
from cms_api.operation.backup.archive import Archive, Rows, StoredFile
from cms_api.operation.backup.progress import Progress
from cms_api.operation.backup.tables import Table

_Row = list[Any]


def differences(file: BinaryIO, progress: Progress) -> Iterator[str]:
    """A sentence for each row and file that differ; values are never told. Raises Damaged.

    The migrations of both must be the same. What a restore does not bring back is not compared.
    """
    file.seek(0)
    archive = Archive(file)
    contents: Iterator[StoredFile | Rows] = archive.contents()
    progress.begin("files")
    first = yield from _compare_files(contents, progress, is_included=archive.manifest.media.is_included)
    parts = _Parts(chain(first, contents))
    progress.begin("rows", sum(stored.rows for stored in archive.manifest.tables))
    with snapshot.snapshot(connection):
        for stored in archive.manifest.tables:
            yield from _compare(stored.table, parts.of(stored.table), _present(stored.table, progress))
    parts.finish()
    progress.end()


def _compare_files(
    contents: Iterator[StoredFile | Rows], progress: Progress, *, is_included: bool
) -> Generator[str, None, list[Rows]]:
    """Compare until the first rows come, and return them."""
    names: set[str] = set()
    first: list[Rows] = []
    for found in contents:
        if isinstance(found, Rows):
            first = [found]
            break
        names.add(found.name)
        stored, present = hashlib.sha256(), media.sum_of(found.name)
        for piece in found.pieces:
            stored.update(piece)
        if present is None:
            yield f"The file {found.name} is in the backup only."
        elif present != stored.hexdigest():
            yield f"The file {found.name} has another content."
        progress.advance(1)
    if is_included:
        for name in media.names():
            if name not in names:
                yield f"The file {name} is in the storage only."
    return first


class _Parts:
    """The rows of one table after the other."""

    def __init__(self, contents: Iterator[StoredFile | Rows]) -> None:
        self._contents = contents
        self._next = next(contents, None)

    def of(self, table: Table) -> Iterator[_Row]:
        """The rows of that table, which come now."""
        while isinstance(self._next, Rows) and self._next.table.name == table.name:
            yield from self._next.rows
            self._next = next(self._contents, None)

    def finish(self) -> None:
        """Read to the end, so that the last sums are checked too."""
        for _ in self._contents:
            pass


def _present(table: Table, progress: Progress) -> Iterator[_Row]:
    for rows in snapshot.rows(connection, table):
        progress.advance(len(rows))
        for row in rows:
            yield orjson.loads(orjson.dumps(row, kinds.encode))


def _compare(table: Table, stored: Iterator[_Row], present: Iterator[_Row]) -> Iterator[str]:
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


def _key(table: Table, row: _Row) -> _Row:
    return row[: table.keys]


def _name(table: Table, row: _Row | None) -> str:
    return f"{table.label} {', '.join(map(str, _key(table, row or [])))}"


def _differing(table: Table, one: _Row, other: _Row) -> list[str]:
    return [
        column.name
        for column, value, present in zip(table.columns, one, other, strict=True)
        if value != present and kinds.comparable(column.kind, value) != kinds.comparable(column.kind, present)
    ]
