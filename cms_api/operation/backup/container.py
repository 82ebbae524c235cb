"""A tar file of which every byte is checked: each header has one possible form, and nothing stands between members.

Standard tools unpack it. What the members hold is checked by sums (cms_api.operation.backup.archive).
"""

import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from cms_api.operation.backup.faults import Damaged

PACKING_LEVEL = 1  # of what members hold: a fifth larger than 6, in a fifth of the time
_BLOCK = 512  # bytes; headers are of this size, contents are filled up to a multiple of it
_PIECE = 1024 * 1024  # bytes that are in memory at a time
_MOST_RECORDS = 64 * 1024  # bytes of what stands before a header with a long name
_END = bytes(2 * _BLOCK)
_RECORDS = b"x"  # kind of header: records for the one that follows


@dataclass(frozen=True, slots=True)
class Member:
    """A file in the archive; its size is in bytes."""

    name: str
    size: int


class Writer:
    """Writes members one after the other to a file that can be sought in; `moment` is their time (Unix, seconds)."""

    def __init__(self, file: BinaryIO, moment: int) -> None:
        self._file, self._moment = file, moment

    def add(self, name: str, data: bytes) -> None:
        self.add_pieces(name, len(data), [data])

    def add_pieces(self, name: str, size: int, pieces: Iterable[bytes]) -> None:
        """A member whose content comes in pieces; whatever fails on the way leaves no trace of it.

        Raises ValueError when the pieces are not of that size together.
        """
        start = self._file.tell()
        try:
            self._file.write(_header(name, size, self._moment))
            written = sum(self._file.write(piece) for piece in pieces)
            if written != size:
                raise ValueError(f"{name} has {written} bytes instead of {size}")
            self._file.write(bytes(-size % _BLOCK))
        except BaseException:
            self._file.seek(start)
            self._file.truncate()
            raise

    def replace_first(self, name: str, data: bytes) -> None:
        """Write the first member anew, whose name and size stay; what is written next goes to the end again."""
        self._file.seek(0)
        self.add(name, data)
        self._file.seek(0, 2)

    def end(self) -> None:
        """Nothing comes after this."""
        self._file.write(_END)


class Reader:
    """Reads members in their order, each wholly before the next."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._moment: int | None = None
        self._left = 0  # bytes of the present member that were not read yet
        self._filling = 0

    @property
    def position(self) -> int:
        return self._file.tell()

    def members(self) -> Iterator[Member]:
        """Each member; what was left unread of one is passed over. Raises Damaged."""
        while member := self._next():
            self._left, self._filling = member.size, -member.size % _BLOCK
            yield member
            for _ in self.pieces():
                pass
            if any(self._exactly(self._filling)):
                raise Damaged(f"The archive is damaged: there is something after the end of {member.name}.")

    def pieces(self) -> Iterator[bytes]:
        """The content of the present member, as far as it was not read."""
        while self._left:
            piece = self._exactly(min(self._left, _PIECE))
            self._left -= len(piece)
            yield piece

    def pass_over(self) -> None:
        """Leave the rest of the present member unread; the file can be sought in."""
        self._file.seek(self._left, 1)
        self._left = 0

    def _next(self) -> Member | None:
        raw = self._exactly(_BLOCK)
        if not any(raw):
            if raw + self._file.read(_BLOCK + 1) != _END:
                raise Damaged("The archive is damaged at its end.")
            return None
        try:
            records: dict[str, str] = {}
            if raw[156:157] == _RECORDS:
                size = _number(raw[124:136])
                if not 0 < size <= _MOST_RECORDS:
                    raise ValueError(size)
                text = self._exactly(size + -size % _BLOCK)
                records = _read_records(text[:size])
                raw += text + self._exactly(_BLOCK)
            header = raw[-_BLOCK:]
            if self._moment is None:
                self._moment = _number(header[136:148])
            name = records.get("path") or header[:100].rstrip(b"\0").decode("ascii")
            member = Member(name, int(records.get("size") or _number(header[124:136])))
            is_ours = member.size >= 0 and raw == _header(name, member.size, self._moment)
        except (ValueError, tarfile.TarError) as error:
            raise self._wrong_header() from error
        if not is_ours:
            raise self._wrong_header()
        return member

    def _exactly(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) != size:
            raise Damaged("The archive is cut off: it ends too early.")
        return data

    def _wrong_header(self) -> Damaged:
        return Damaged(f"This is no backup, or it is damaged before byte {self._file.tell()}.")


def _header(name: str, size: int, moment: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = size, moment, 0o600
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "strict")


def _number(field: bytes) -> int:
    return int(field.rstrip(b"\0 ") or b"0", 8)


def _read_records(text: bytes) -> dict[str, str]:
    """`<length> <name>=<value>\\n`, one after the other; whether they are right shows when they are written again."""
    found = {}
    while text:
        length = int(text[: text.index(b" ")])
        if length < 1:
            raise ValueError(length)
        name, _, value = text[:length].partition(b" ")[2].removesuffix(b"\n").partition(b"=")
        found[name.decode()] = value.decode()
        text = text[length:]
    return found
