"""The lines of a site's file: the header, files in pieces, rows, and the last line with the sum of all before it."""

import gzip
import hashlib
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import orjson

from cms_api.operation.backup.faults import BackupFault
from transfer.package import PackageError
from transfer.whole_site.members import ROWS

FORMAT, VERSION = "cms-site", 1
MOST_OF_A_LINE = 64 * 1024 * 1024  # bytes
HEADER, FILE, PIECE, FOOTER = "header", "file", "piece", "footer"
# What may come when: nothing comes after something of a later place.
_PLACES = {HEADER: 0, FILE: 1, PIECE: 1} | {name: place for place, name in enumerate(ROWS, start=2)}
_PACKED = b"\x1f\x8b"
_CUT = "The file is cut off: its last line, which tells how much there is, is missing. Export the site again."


@dataclass(frozen=True, slots=True)
class Line:
    """A line by its number, with what kind it is of and its other members."""

    number: int
    kind: str
    members: dict[str, Any]

    @property
    def place(self) -> str:
        """What it is called in sentences."""
        return f"Line {self.number}"

    def refuse(self, reason: str, member: str = "") -> PackageError:
        """What is to be raised for a line that cannot be."""
        return PackageError(reason, file=self.place, element=f"member {member}" if member else "")


class LineWriter:
    """Writes the lines of a file and keeps count of them."""

    def __init__(self, file: BinaryIO | gzip.GzipFile) -> None:
        self._file, self._sum = file, hashlib.sha256()
        self.counts: Counter[str] = Counter()

    def write(self, kind: str, members: Mapping[str, Any]) -> None:
        """Write a line. Raises BackupFault for one that no file can hold."""
        try:
            line = _dump({"type": kind} | {name: _ordered(value) for name, value in members.items()})
        except TypeError as error:
            raise BackupFault(f"{_name(kind, members)} holds something that no JSON can: {error}.") from error
        if len(line) > MOST_OF_A_LINE:
            raise BackupFault(f"{_name(kind, members)} is too large: its line would have {len(line)} bytes.")
        self._file.write(line)
        self._sum.update(line)
        self.counts[kind] += 1

    def end(self) -> None:
        self._file.write(_dump({"type": FOOTER, "counts": self.counts, "sha256": self._sum.hexdigest()}))


def _dump(members: Mapping[str, Any]) -> bytes:
    return orjson.dumps(members, option=orjson.OPT_APPEND_NEWLINE)


def _ordered(value: Any) -> Any:
    """An object with its members in order, since PostgreSQL keeps another one than they had."""
    return orjson.Fragment(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)) if isinstance(value, dict) else value


def _name(kind: str, members: Mapping[str, Any]) -> str:
    return f"The {kind} {members.get('id', '')}".strip()


class LineReader:
    """Reads the lines of a file, packed or not, and refuses what is damaged or cut off."""

    def __init__(self, file: BinaryIO) -> None:
        file.seek(0)
        is_packed = file.read(len(_PACKED)) == _PACKED
        file.seek(0)
        self._raw = file
        self._file: Any = gzip.GzipFile(fileobj=file, mode="rb") if is_packed else file
        self._sum = hashlib.sha256()
        self.counts: Counter[str] = Counter()
        self.header: dict[str, Any] = {}

    @property
    def position(self) -> int:
        return self._raw.tell()

    @property
    def sha256(self) -> str:
        """The sum of the lines that were read, of all but the last one when it has been."""
        return self._sum.hexdigest()

    def lines(self) -> Iterator[Line]:
        """The lines between the first and the last. Raises PackageError; only the end tells that all is well."""
        place = 0
        for number, text in enumerate(self._texts(), start=1):
            line = _parse(number, text)
            if number == 1:
                self._read_header(line)
            elif line.kind == FOOTER:
                self._check_end(line)
                return
            elif _PLACES.get(line.kind, 0) < max(place, 1):
                raise line.refuse(f"A line of the type {line.kind[:40]!r} does not belong here.")
            else:
                yield line
            place = _PLACES[line.kind]
            self._sum.update(text)
            self.counts[line.kind] += 1
        raise PackageError(_CUT)

    def _texts(self) -> Iterator[bytes]:
        number = 0
        while text := self._read_line():
            number += 1
            if len(text) > MOST_OF_A_LINE:
                raise PackageError(f"It has more than {MOST_OF_A_LINE} bytes.", file=f"Line {number}")
            if not text.endswith(b"\n"):
                raise PackageError(_CUT)
            yield text

    def _read_line(self) -> bytes:
        try:
            return bytes(self._file.readline(MOST_OF_A_LINE + 1))
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise PackageError(f"The file cannot be unpacked: it is cut off or damaged ({error}).") from error

    def _read_header(self, line: Line) -> None:
        if line.kind != HEADER or line.members.get("format") != FORMAT:
            raise line.refuse("This is no file of a site, as `export_site` writes it.")
        version = line.members.get("version")
        if type(version) is not int or version < 1:
            raise line.refuse("It must be a whole number from 1 on.", "version")
        if version > VERSION:
            raise line.refuse(
                f"The file has version {version} of the format; this service knows versions up to {VERSION}. "
                "Import it with the version of the service that made it, or a later one."
            )
        self.header = line.members

    def _check_end(self, line: Line) -> None:
        if line.members != {"counts": dict(self.counts), "sha256": self.sha256}:
            raise line.refuse("The lines before it are not those that were written: their counts or sum differ.")
        if self._read_line():
            raise PackageError("Something stands behind the last line.", file=f"Line {line.number + 1}")


def _parse(number: int, text: bytes) -> Line:
    try:
        members = orjson.loads(text)
    except ValueError as error:
        raise PackageError(f"It is no JSON: {error}.", file=f"Line {number}") from error
    kind = members.pop("type", None) if isinstance(members, dict) else None
    if not isinstance(kind, str):
        raise PackageError("It is no JSON object with a type.", file=f"Line {number}")
    return Line(number, kind, members)
