"""Writing an archive: files, then a snapshot of the rows, and the files added in between.

A file is stored before the row that names it and removed after it, so no file of the snapshot is missed.
"""

import gzip
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

import orjson
from django.db import connection

from core.archive import database, media
from core.archive.commands import Progress
from core.archive.container import PACKING_LEVEL, Writer
from core.archive.errors import ArchiveError
from core.archive.manifest import Manifest, StoredTable
from core.archive.reading import FILES_OF_AN_INDEX, MANIFEST, MEDIA, SUM, index_name, part_name, sum_line
from core.archive.tables import Table, encode

_PART_BYTES = 4 * 1024 * 1024  # of rows as JSON in a part


class ArchiveWriter:
    """Writes an archive; subclasses may override `stored_files`, `rows`, `count` and `last_number`.

    The last three are called within the snapshot.
    """

    folder = ""  # of the media storage; limits the files written
    has_trashed_files = True

    def __init__(self, file: BinaryIO, manifest: Manifest, progress: Progress) -> None:
        self.manifest, self._progress = manifest, progress
        self._writer = Writer(file, manifest.moment)
        self.names: set[str] = set()  # of the stored files
        self.left_out: list[str] = []  # files whose names this kind of archive cannot hold
        self._pending: list[list[Any]] = []  # name, size and checksum of the files not yet in an index
        self._index = hashlib.sha256()

    def is_name(self, name: str) -> bool:
        return media.is_name(name)

    def stored_files(self) -> Iterator[str]:
        return media.names(self.folder, with_trash=self.has_trashed_files)

    def count(self, table: Table) -> int:
        return database.count(connection, table)

    def rows(self, table: Table) -> Iterator[Sequence[Sequence[Any]]]:
        """Yield batches of rows, values as in JSON except times and bytes."""
        return database.rows(connection, table)

    def last_number(self, table: Table) -> int:
        return database.last_number(connection, table)

    def write(self) -> None:
        """Raises `ArchiveError`."""
        size = len(first := self.manifest.write())
        self._writer.add(MANIFEST, first)  # placeholder: sums and counts are known at the end
        self._write_files()
        with database.snapshot(connection):
            if database.applied_migrations(connection) != self.manifest.migrations:
                raise ArchiveError("The database was migrated while the command was running; run it again.")
            # Files added since the first pass, which rows of the snapshot may name.
            self._write_files()
            self._end_index()
            self._progress.begin("rows", sum(self.count(stored.table) for stored in self.manifest.tables))
            for stored in self.manifest.tables:
                self._write_table(stored)
        self._progress.end()
        last = self.manifest.write(size)
        self._writer.add(SUM, sum_line(last))
        self._writer.end()
        self._writer.replace_first(MANIFEST, last)

    def _write_files(self) -> None:
        if not self.manifest.media.is_included:
            return
        self._progress.begin("files")
        for name in self.stored_files():
            if name in self.names or name in self.left_out:
                continue
            if not self.is_name(name):
                self.left_out.append(name)
                continue
            with suppress(FileNotFoundError):  # removed since the listing
                self._write_file(name)
                self._progress.advance(1)

    def _write_file(self, name: str) -> None:
        size, found = media.size_of(name), hashlib.sha256()

        def pieces() -> Iterator[bytes]:
            for piece in media.pieces_of(name, size):
                found.update(piece)
                yield piece

        try:
            self._writer.add_pieces(MEDIA + name, size, pieces())
        except ValueError as error:
            raise ArchiveError(f"The file {name} changed while it was being read; run the command again.") from error
        self.names.add(name)
        self.manifest.media.files += 1
        self.manifest.media.bytes += size
        self._pending.append([name, size, found.hexdigest()])
        if len(self._pending) == FILES_OF_AN_INDEX:
            self._end_index()

    def _end_index(self) -> None:
        told = self.manifest.media
        if self._pending:
            told.parts += 1
            part = b"".join(orjson.dumps(line) + b"\n" for line in self._pending)
            self._add_packed(index_name(told.parts), part, self._index)
            self._pending = []
        told.sha256 = self._index.hexdigest()

    def _write_table(self, stored: StoredTable) -> None:
        table, sums = stored.table, hashlib.sha256()
        part = bytearray()  # not a list of lines: orjson allocates 8 KB for each
        for rows in self.rows(table):
            for row in rows:
                try:
                    line = orjson.dumps(row, encode, orjson.OPT_APPEND_NEWLINE)
                except TypeError as error:
                    raise ArchiveError(
                        f"{table.label} {row[0]} has a value that JSON cannot represent: {error}."
                    ) from error
                if len(line) > self.manifest.most_of_a_row:
                    raise ArchiveError(f"{table.label} {row[0]} is too large: its row would have {len(line)} bytes.")
                part += line
                if len(part) >= _PART_BYTES:
                    stored.parts += 1
                    self._add_packed(part_name(table, stored.parts), part, sums)
                    part.clear()
            stored.rows += len(rows)
            self._progress.advance(len(rows))
        if part:
            stored.parts += 1
            self._add_packed(part_name(table, stored.parts), part, sums)
        stored.sha256 = sums.hexdigest()
        stored.last_number = self.last_number(table)

    def _add_packed(self, name: str, part: bytes | bytearray, sums: Any) -> None:
        packed = gzip.compress(part, PACKING_LEVEL, mtime=0)
        sums.update(packed)
        self._writer.add(name, packed)
