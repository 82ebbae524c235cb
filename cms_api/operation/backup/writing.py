"""Makes a backup: files first, then the rows of one moment, and with them the files that came in between.

A file is stored before the row that names it and removed after it. So each file that a row of that moment names was
either there when the files were read, or is read after that moment.
"""

import gzip
import hashlib
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import orjson
from django.conf import settings
from django.db import connection

from cms_api.lib import clock
from cms_api.operation.backup import installation, kinds, media, snapshot
from cms_api.operation.backup.archive import (
    FILES_OF_AN_INDEX,
    MANIFEST,
    MEDIA,
    MOST_OF_A_PART,
    SUM,
    index_name,
    part_name,
    sum_line,
)
from cms_api.operation.backup.container import PACKING_LEVEL, Writer
from cms_api.operation.backup.engine import last_number
from cms_api.operation.backup.faults import BackupFault
from cms_api.operation.backup.manifest import Manifest, StoredTable
from cms_api.operation.backup.new_file import new_file
from cms_api.operation.backup.progress import Progress
from cms_api.operation.backup.tables import stored_tables

_PART_BYTES = 4 * 1024 * 1024  # of rows as JSON, from which on a part is written
_AVATARS = ("accounts_user", "avatar_file")  # the column that names a file by itself; others have addresses


@dataclass(slots=True)
class Made:
    """What has been made: its manifest, files that no backup can name, and pictures that rows name and nobody has."""

    manifest: Manifest
    bytes: int = 0
    left_out: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def write_backup(path: Path, progress: Progress, *, with_media: bool = True) -> Made:
    """Write a backup to a path where nothing is yet. It is there when it is whole, and readable by its owner alone.

    Raises BackupFault, and OSError when the disk is full or a folder cannot be written.
    """
    with new_file(path) as file:
        writing = _Writing(file, with_media=with_media)
        made = writing.write(progress)
        made.bytes = file.tell()
    return made


class _Writing:
    def __init__(self, file: BinaryIO, *, with_media: bool) -> None:
        self._manifest = _begin_manifest()
        self._manifest.media.is_included = with_media
        self._made = Made(self._manifest)
        self._writer = Writer(file, self._manifest.moment)
        self._names: set[str] = set()  # of the files that are stored
        self._pending: list[list[Any]] = []  # name, size and sum of the files that no index has told yet
        self._index = hashlib.sha256()

    def write(self, progress: Progress) -> Made:
        size = len(first := self._manifest.write())
        self._writer.add(MANIFEST, first)  # a place for it: sums and counts are known at the end
        self._write_files(progress)
        with snapshot.snapshot(connection):
            if snapshot.applied_migrations(connection) != self._manifest.migrations:
                raise BackupFault("The database was migrated meanwhile; make the backup again.")
            # Those that came since the first look, of which rows of this moment may know.
            self._write_files(progress)
            self._end_index()
            progress.begin("rows", sum(snapshot.count(connection, one.table.name) for one in self._manifest.tables))
            for stored in self._manifest.tables:
                self._write_table(stored, progress)
        progress.end()
        last = self._manifest.write(size)
        self._writer.add(SUM, sum_line(last))
        self._writer.end()
        self._writer.replace_first(MANIFEST, last)
        return self._made

    def _write_files(self, progress: Progress) -> None:
        if not self._manifest.media.is_included:
            return
        progress.begin("files")
        for name in media.names():
            if name in self._names or name in self._made.left_out:
                continue
            if not media.is_name(name):
                self._made.left_out.append(name)
                continue
            with suppress(FileNotFoundError):  # removed since it was listed
                self._write_file(name)
                progress.advance(1)

    def _write_file(self, name: str) -> None:
        size, found = media.size_of(name), hashlib.sha256()

        def pieces() -> Iterator[bytes]:
            for piece in media.pieces_of(name, size):
                found.update(piece)
                yield piece

        try:
            self._writer.add_pieces(MEDIA + name, size, pieces())
        except ValueError as error:
            raise BackupFault(f"The file {name} was changed while it was read; make the backup again.") from error
        self._names.add(name)
        self._manifest.media.files += 1
        self._manifest.media.bytes += size
        self._pending.append([name, size, found.hexdigest()])
        if len(self._pending) == FILES_OF_AN_INDEX:
            self._end_index()

    def _end_index(self) -> None:
        told = self._manifest.media
        if self._pending:
            told.parts += 1
            packed = _pack([orjson.dumps(line) + b"\n" for line in self._pending])
            self._writer.add(index_name(told.parts), packed)
            self._index.update(packed)
            self._pending = []
        told.sha256 = self._index.hexdigest()

    def _write_table(self, stored: StoredTable, progress: Progress) -> None:
        table, sums, size = stored.table, hashlib.sha256(), 0
        lines: list[bytes] = []
        option = orjson.OPT_APPEND_NEWLINE

        def end_part() -> None:
            stored.parts += 1
            packed = _pack(lines)
            sums.update(packed)
            self._writer.add(part_name(table, stored.parts), packed)

        for rows in snapshot.rows(connection, table):
            for row in rows:
                line = orjson.dumps(row, kinds.encode, option)
                if len(line) > MOST_OF_A_PART // 2:
                    raise BackupFault(f"The row {row[0]} of {table.label} is too large for a backup.")
                lines.append(line)
                size += len(line)
                if size >= _PART_BYTES:
                    end_part()
                    lines, size = [], 0
            stored.rows += len(rows)
            self._look_for_avatars(stored, rows)
            progress.advance(len(rows))
        if lines:
            end_part()
        stored.sha256 = sums.hexdigest()
        stored.last_number = last_number(connection, table)

    def _look_for_avatars(self, stored: StoredTable, rows: list[tuple[Any, ...]]) -> None:
        table_name, column_name = _AVATARS
        if stored.table.name == table_name and self._manifest.media.is_included:
            place = [column.name for column in stored.table.columns].index(column_name)
            self._made.missing += [row[place] for row in rows if row[place] and row[place] not in self._names]


def _begin_manifest() -> Manifest:
    kept, not_kept = installation.settings_of()
    salt = secrets.token_hex(16)
    now = clock.now()
    return Manifest(
        made_at=now.isoformat(" ", "seconds"),
        moment=int(now.timestamp()),
        code=installation.code_commit(),
        engine=connection.vendor,
        time_zone=settings.TIME_ZONE,
        migrations=snapshot.applied_migrations(connection),
        secret_key=installation.digest(settings.SECRET_KEY, salt),
        peppers=installation.digests_of_peppers(salt),
        settings=kept,
        settings_not_kept=not_kept,
        salt=salt,
        tables=[StoredTable(table) for table in stored_tables()],
    )


def _pack(lines: list[bytes]) -> bytes:
    return gzip.compress(b"".join(lines), PACKING_LEVEL, mtime=0)
