"""A tar whose every byte is checked: headers have one form, and nothing lies between members."""

import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from core.archive.errors import Damaged

PACKING_LEVEL = 1  # gzip level: a fifth larger than 6, in a fifth of the time
_BLOCK = 512  # bytes of a header; contents are padded to a multiple of it
_PIECE = 1024 * 1024  # bytes in memory at a time
_MAX_RECORDS = 64 * 1024  # bytes of the extended header for a long name
_END = bytes(2 * _BLOCK)
_RECORDS = b"x"  # typeflag of an extended header for the next member


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    size: int


class Writer:
    """Writes members to a seekable file; `moment` is their time in Unix seconds."""

    def __init__(self, file: BinaryIO, moment: int) -> None:
        self._file, self._moment = file, moment

    def add(self, name: str, data: bytes) -> None:
        self.add_pieces(name, len(data), [data])

    def add_pieces(self, name: str, size: int, pieces: Iterable[bytes]) -> None:
        """Write a member or leave no trace of it. Raises `ValueError` if the pieces do not add up to `size`."""
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
        """Overwrite the first member, which must keep its name and size, and return to the end."""
        self._file.seek(0)
        self.add(name, data)
        self._file.seek(0, 2)

    def end(self) -> None:
        self._file.write(_END)


class Reader:
    """Reads members in order, each completely before the next."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._moment: int | None = None
        self._left = 0  # unread bytes of the current member

    @property
    def position(self) -> int:
        return self._file.tell()

    def members(self) -> Iterator[Member]:
        """Yield each member and skip its unread rest. Raises `Damaged`."""
        while member := self._next():
            self._left = member.size
            yield member
            for _ in self.pieces():
                pass
            if any(self._exactly(-member.size % _BLOCK)):
                raise Damaged(f"The archive is damaged: there is data after the end of {member.name}.")

    def read(self, size: int = _PIECE) -> bytes:
        data = self._exactly(min(self._left, size))
        self._left -= len(data)
        return data

    def pieces(self) -> Iterator[bytes]:
        while piece := self.read():
            yield piece

    def pass_over(self) -> None:
        """Skip the rest of the current member; the file must be seekable."""
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
                if not 0 < size <= _MAX_RECORDS:
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
            raise Damaged(self._wrong_header()) from error
        if not is_ours:
            raise Damaged(self._wrong_header())
        return member

    def _exactly(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) != size:
            raise Damaged("The archive is cut off: it ends too early.")
        return data

    def _wrong_header(self) -> str:
        return f"This is neither a backup nor a site file, or it is damaged before byte {self._file.tell()}."


def _header(name: str, size: int, moment: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = size, moment, 0o600
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "strict")


def _number(field: bytes) -> int:
    return int(field.rstrip(b"\0 ") or b"0", 8)


def _read_records(text: bytes) -> dict[str, str]:
    """Parse `<length> <name>=<value>` lines; the caller validates them by writing them again."""
    found = {}
    while text:
        length = int(text[: text.index(b" ")])
        if length < 1:
            raise ValueError(length)
        name, _, value = text[:length].partition(b" ")[2].removesuffix(b"\n").partition(b"=")
        found[name.decode()] = value.decode()
        text = text[length:]
    return found
