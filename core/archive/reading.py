"""Reading an archive, verifying every checksum and count.

Members: manifest; files, with an index after every thousand; tables in parts; the manifest's checksum. The manifest has
the checksums of the indexes and tables, an index has the checksums of its files.
"""

import gzip
import hashlib
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

import orjson

from core.archive import media
from core.archive.commands import Progress
from core.archive.container import Member, Reader
from core.archive.database import ROWS
from core.archive.errors import ArchiveError, Damaged
from core.archive.manifest import MAX_BYTES, Manifest, StoredTable
from core.archive.tables import Row, Table, place_of_row, row_checker

MANIFEST, SUM = "manifest.json", "manifest.json.sha256"
MEDIA, INDEX, TABLES = "media/", "index/", "tables/"
FILES_OF_AN_INDEX = 1000
MAX_OF_A_PART = 256 * 1024 * 1024  # bytes, packed or not; a part has some megabytes and at least one row
_BATCH_BYTES = 4 * 1024 * 1024  # of rows as JSON per batch
_OLD_SITE = b'{"type":"header","format":"cms-site"'


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A media file; read its pieces before advancing to the next member."""

    name: str
    size: int
    pieces: Iterator[bytes]


def index_name(number: int) -> str:
    return f"{INDEX}{number:06}.jsonl.gz"


def part_name(table: Table, number: int) -> str:
    return f"{TABLES}{table.name}/{number:06}.jsonl.gz"


def sum_line(manifest: bytes) -> bytes:
    """Return the content of the last member, in the format of `sha256sum`."""
    return f"{hashlib.sha256(manifest).hexdigest()}  {MANIFEST}\n".encode()


class Archive:
    """An archive opened at its beginning; without media, files are skipped unchecked.

    Raises `Damaged` if it is no archive, and `ArchiveError` if its manifest is not the `expected` one.
    """

    def __init__(self, file: BinaryIO, *, with_media: bool = True, expected: Manifest | None = None) -> None:
        _raise_if_old_format(file)
        self._with_media = with_media
        self._reader = Reader(file)
        self._members = self._reader.members()
        first = next(self._members, None)
        if first is None or first.name != MANIFEST:
            raise Damaged("This is neither a backup nor a site file: it does not begin with a manifest.")
        self._manifest_bytes = self._read(first)
        self.manifest = Manifest.read(self._manifest_bytes)
        if expected not in (None, self.manifest):
            raise ArchiveError("The file changed while it was being read; nothing was changed here.")
        self._index = hashlib.sha256()
        self._index_parts = self._bytes = 0
        self._names: set[str] = set()  # of the files
        self._current: Member | None = None  # the first member after the files
        self._pending: list[list[Any]] = []  # name, size and checksum of the files not yet covered by an index

    @property
    def position(self) -> int:
        return self._reader.position

    def files(self) -> Iterator[StoredFile]:
        """Yield the files, which come first. Raises `Damaged`; they are all verified only at the end."""
        while (member := next(self._members, None)) is not None and member.name.startswith((MEDIA, INDEX)):
            if not self._with_media:
                self._reader.pass_over()
            elif member.name.startswith(INDEX):
                self._check_index(member)
            else:
                yield from self._read_file(member)
        self._current = member
        if not self._with_media:
            return
        told, count = self.manifest.media, len(self._names)
        if self._pending or (not told.is_included and count):
            raise Damaged("The archive is damaged: it has files its manifest does not list.")
        found = (count, self._bytes, self._index_parts, self._index.hexdigest())
        if told.is_included and found != (told.files, told.bytes, told.parts, told.sha256):
            raise Damaged("The archive is damaged: its files are not those its manifest lists.")

    def tables(self) -> Iterator[tuple[Table, Iterator[list[Row]]]]:
        """Yield each table with batches of its rows, after the files. Raises `Damaged`, for some damage at the end."""
        for stored in self.manifest.tables:
            rows = self._read_table(stored)
            yield stored.table, rows
            for _ in rows:
                pass
        if self._current is None or self._current.name != SUM:
            raise Damaged("The archive is damaged: its last member is in the wrong place.")
        if self._read(self._current) != sum_line(self._manifest_bytes):
            raise Damaged("The manifest of the archive has changed since it was written: its checksum does not match.")
        if next(self._members, None) is not None:
            raise Damaged("The archive is damaged: there is data after its end.")

    def _read_file(self, member: Member) -> Iterator[StoredFile]:
        name, found = member.name.removeprefix(MEDIA), hashlib.sha256()
        if not media.is_name(name) or len(self._pending) >= FILES_OF_AN_INDEX:
            raise Damaged(f"The archive has a file in a place where it does not belong: {name[:200]!r}.")
        if name in self._names:
            raise Damaged(f"The archive has the file {name} twice.")

        def pieces() -> Iterator[bytes]:
            for piece in self._reader.pieces():
                found.update(piece)
                yield piece

        reading = pieces()
        yield StoredFile(name, member.size, reading)
        for _ in reading:
            pass
        self._pending.append([name, member.size, found.hexdigest()])
        self._names.add(name)
        self._bytes += member.size

    def _check_index(self, member: Member) -> None:
        self._index_parts += 1
        if member.name != index_name(self._index_parts):
            raise Damaged(f"The archive is damaged: {member.name} is in the wrong place.")
        count = 0
        for line in self._lines(member, self._index):
            if count < len(self._pending) and _load(line, member.name) != self._pending[count]:
                name = self._pending[count][0]
                raise Damaged(f"The file {name} has changed since it was stored: its size or checksum does not match.")
            count += 1
        if count != len(self._pending):
            raise Damaged(f"The archive is damaged: the files are not those {member.name} lists.")
        self._pending = []

    def _read_table(self, stored: StoredTable) -> Iterator[list[Row]]:
        table, sums, count = stored.table, hashlib.sha256(), 0
        check = row_checker(table)
        for number in range(1, stored.parts + 1):
            member = self._current
            if member is None or member.name != part_name(table, number):
                raise Damaged(f"The archive is damaged: {part_name(table, number)} is missing.")
            batch: list[Row] = []
            size = 0
            for line in self._lines(member, sums):
                count += 1
                row = _load(line, place_of_row(table, count))
                check(count, row)
                batch.append(row)
                size += len(line)
                if len(batch) == ROWS or size >= _BATCH_BYTES:
                    yield batch
                    batch, size = [], 0
            if batch:
                yield batch
            self._current = next(self._members, None)
        if sums.hexdigest() != stored.sha256 or count != stored.rows:
            raise Damaged(
                f"The rows of {table.label} have changed since they were stored: their number or checksum does not "
                "match."
            )

    def _read(self, member: Member) -> bytes:
        if member.size > MAX_BYTES:
            raise Damaged(f"The archive is damaged: {member.name} claims to have {member.size} bytes.")
        return b"".join(self._reader.pieces())

    def _lines(self, member: Member, sums: Any) -> Iterator[bytes]:
        """Yield the lines of a packed member, one at a time; adds its packed bytes to `sums`."""
        if member.size > MAX_OF_A_PART:
            raise Damaged(f"The archive is damaged: {member.name} claims to have {member.size} bytes.")
        packed: Any = _Summed(self._reader, sums)
        most, left = self.manifest.most_of_a_row, MAX_OF_A_PART
        try:
            with gzip.GzipFile(fileobj=packed, mode="rb") as unpacking:
                while line := unpacking.readline(most + 1):
                    left -= len(line)
                    if len(line) > most or left < 0:
                        raise Damaged(
                            f"The archive is damaged: unpacked, {member.name} is larger than a row or part may be."
                        )
                    yield line
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise Damaged(f"The archive is damaged: {member.name} cannot be unpacked.") from error
        while packed.read():
            pass


class _Summed:
    def __init__(self, reader: Reader, sums: Any) -> None:
        self._reader, self._sums = reader, sums

    def read(self, size: int = MAX_BYTES) -> bytes:
        data = self._reader.read(size)
        self._sums.update(data)
        return data


def _load(line: bytes, where: str) -> Any:
    try:
        return orjson.loads(line)
    except ValueError as error:
        raise Damaged(f"{where}: It is not JSON: {error}.") from error


def _raise_if_old_format(file: BinaryIO) -> None:
    file.seek(0)
    start = file.read(len(_OLD_SITE) * 10)
    if start.startswith(b"\x1f\x8b"):
        with suppress(zlib.error):
            start = zlib.decompressobj(wbits=31).decompress(start, len(_OLD_SITE))
    if start.startswith(_OLD_SITE):
        raise ArchiveError(
            "This is a site file in the old format, JSON Lines, which is no longer supported. Export the site "
            "again with `export_site` of this version."
        )
    file.seek(0)


def read_through(
    file: BinaryIO,
    archive: Archive,
    progress: Progress,
    look_at_rows: Callable[[Table], Callable[[list[Row]], None]] | None = None,
    look_at_file: Callable[[str], None] | None = None,
) -> None:
    """Read all of an archive, passing each file's name and all rows to the optional callbacks. Raises `Damaged`."""
    progress.begin("bytes", os.fstat(file.fileno()).st_size)
    before = 0

    def tell() -> None:
        nonlocal before
        progress.advance(archive.position - before)
        before = archive.position

    for found in archive.files():
        if look_at_file:
            look_at_file(found.name)
        tell()
    for table, parts in archive.tables():
        look = look_at_rows(table) if look_at_rows else None
        for rows in parts:
            if look:
                look(rows)
            tell()
    progress.end()
