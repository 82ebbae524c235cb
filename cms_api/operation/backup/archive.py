"""What stands where in a backup, and reading one with every sum and count checked on the way.

The members, in their order: the manifest; the files, after each thousand of them their index; the tables in parts;
the sum of the manifest. The manifest has the sums of the index and of the tables, the index those of the files.
"""

import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import orjson

from cms_api.operation.backup import kinds, media
from cms_api.operation.backup.container import Member, Reader
from cms_api.operation.backup.faults import Damaged
from cms_api.operation.backup.manifest import MOST_BYTES, Manifest, StoredTable
from cms_api.operation.backup.tables import Table

MANIFEST, SUM = "manifest.json", "manifest.json.sha256"
MEDIA, INDEX, TABLES = "media/", "index/", "tables/"
FILES_OF_AN_INDEX = 1000
Row = list[Any]  # the values of a table's columns as JSON has them
MOST_OF_A_PART = 256 * 1024 * 1024  # bytes, unpacked or not; a part has some megabytes and at least one row


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the media, whose pieces can be read until the next thing is asked for."""

    name: str
    size: int
    pieces: Iterator[bytes]


def index_name(number: int) -> str:
    """What a part of the index is called; the first has the number 1."""
    return f"{INDEX}{number:06}.jsonl.gz"


def part_name(table: Table, number: int) -> str:
    return f"{TABLES}{table.name}/{number:06}.jsonl.gz"


def sum_line(manifest: bytes) -> bytes:
    """The content of the last member, as `sha256sum` writes it."""
    return f"{hashlib.sha256(manifest).hexdigest()}  {MANIFEST}\n".encode()


class Archive:
    """A backup that is open for reading. Raises Damaged where the file is none.

    Without media the files are passed over, unread and unchecked.
    """

    def __init__(self, file: BinaryIO, *, with_media: bool = True) -> None:
        self._with_media = with_media
        self._reader = Reader(file)
        self._members = self._reader.members()
        first = self._next()
        if first is None or first.name != MANIFEST:
            raise Damaged("This is no backup: it does not begin with a manifest.")
        self._manifest_bytes = self._read(first, MOST_BYTES)
        self.manifest = Manifest.read(self._manifest_bytes)
        self._index = hashlib.sha256()
        self._index_parts = self._files = self._bytes = 0
        self._present: Member | None = None  # the first one that is none of the files
        self._pending: list[list[Any]] = []  # name, size and sum of the files that no index has told yet

    @property
    def position(self) -> int:
        return self._reader.position

    def files(self) -> Iterator[StoredFile]:
        """The files, which come first. Raises Damaged; that all of them are right shows at their end."""
        while (member := self._next()) is not None and member.name.startswith((MEDIA, INDEX)):
            if not self._with_media:
                self._reader.pass_over()
            elif member.name.startswith(INDEX):
                self._check_index(member)
            else:
                yield from self._read_file(member)
        self._present = member
        if not self._with_media:
            return
        told, found = self.manifest.media, (self._files, self._bytes, self._index_parts, self._index.hexdigest())
        if self._pending or (not told.is_included and found[0]):
            raise Damaged("The archive is damaged: it has files that it does not tell of.")
        if told.is_included and found != (told.files, told.bytes, told.parts, told.sha256):
            raise Damaged("The archive is damaged: its files are not those of which its manifest tells.")

    def tables(self) -> Iterator[tuple[Table, Iterator[list[Row]]]]:
        """After the files: each table with its rows, some at a time, which are read until the next table.

        Raises Damaged; only the end tells that all is well.
        """
        for stored in self.manifest.tables:
            rows = self._read_table(stored)
            yield stored.table, rows
            for _ in rows:
                pass
        if self._present is None or self._present.name != SUM:
            raise Damaged("The archive is damaged: its last member is not where it belongs.")
        if self._read(self._present, MOST_BYTES) != sum_line(self._manifest_bytes):
            raise Damaged("The manifest of the backup is not as it was written: its sum is another one.")
        if self._next() is not None:
            raise Damaged("The archive is damaged: something stands behind its end.")

    def _next(self) -> Member | None:
        return next(self._members, None)

    def _read_file(self, member: Member) -> Iterator[StoredFile]:
        name, found = member.name.removeprefix(MEDIA), hashlib.sha256()
        if not media.is_name(name) or len(self._pending) >= FILES_OF_AN_INDEX:
            raise Damaged(f"The archive has a file at a place where none belongs: {name!r}.")

        def pieces() -> Iterator[bytes]:
            for piece in self._reader.pieces():
                found.update(piece)
                yield piece

        reading = pieces()
        yield StoredFile(name, member.size, reading)
        for _ in reading:
            pass
        self._pending.append([name, member.size, found.hexdigest()])
        self._files += 1
        self._bytes += member.size

    def _check_index(self, member: Member) -> None:
        self._index_parts += 1
        if member.name != index_name(self._index_parts):
            raise Damaged(f"The archive is damaged: {member.name} is not where it belongs.")
        packed = self._read(member, MOST_OF_A_PART)
        self._index.update(packed)
        told = _lines(packed, member.name)
        for expected, found in zip(told, self._pending, strict=False):
            if expected != found:
                raise Damaged(f"The file {found[0]} is not as it was stored: its size or its sum is another one.")
        if len(told) != len(self._pending):
            raise Damaged(f"The archive is damaged: {member.name} tells of other files than there are.")
        self._pending = []

    def _read_table(self, stored: StoredTable) -> Iterator[list[Row]]:
        sums, count = hashlib.sha256(), 0
        check = _checker(stored.table)
        for number in range(1, stored.parts + 1):
            member = self._present
            if member is None or member.name != part_name(stored.table, number):
                raise Damaged(f"The archive is damaged: {part_name(stored.table, number)} is missing.")
            packed = self._read(member, MOST_OF_A_PART)
            sums.update(packed)
            found = _lines(packed, member.name)
            count += len(found)
            for row in found:
                check(row)
            yield found
            self._present = self._next()
        if sums.hexdigest() != stored.sha256 or count != stored.rows:
            raise Damaged(f"The rows of {stored.table.label} are not as they were stored: their number or sum differs.")

    def _read(self, member: Member, most: int) -> bytes:
        if member.size > most:
            raise Damaged(f"The archive is damaged: {member.name} claims to have {member.size} bytes.")
        return b"".join(self._reader.pieces())


def _lines(packed: bytes, name: str) -> list[Row]:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        data = unpacker.decompress(packed, MOST_OF_A_PART)
        if not unpacker.eof or unpacker.unused_data:
            raise Damaged(f"The archive is damaged: {name} cannot be unpacked, or only to more than it may have.")
        return [orjson.loads(line) for line in data.splitlines()]
    except (zlib.error, ValueError) as error:
        raise Damaged(f"The archive is damaged: {name} cannot be read.") from error


def _checker(table: Table) -> Any:
    """What raises Damaged for a row that is none of the table."""
    width, types = len(table.columns), [(*kinds.types_of(column.kind), type(None)) for column in table.columns]

    def check(row: Any) -> None:
        if type(row) is not list or len(row) != width or None in row[: table.keys]:
            raise Damaged(f"The archive has something among the rows of {table.label} that is no row.")
        for value, possible in zip(row, types, strict=True):
            if type(value) not in possible:
                raise Damaged(f"The archive has a row of {table.label} with a value of another kind than its column.")

    return check
