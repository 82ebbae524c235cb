"""The uploaded files of a site: in the media storage, and in pieces in its file."""

import base64
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from cms_api.lib.media_names import SITE_FILES
from cms_api.operation.backup import media
from cms_api.operation.backup.faults import BackupFault
from transfer.whole_site.lines import FILE, PIECE, Line, LineWriter

PIECE_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class FileHead:
    """What the first line of a file says: its name below the folder of the site, and how many bytes it has."""

    name: str
    size: int


def folder_of(site_id: int) -> str:
    """Where the media storage has the files of the site; ends with a slash."""
    return f"{SITE_FILES.folder}/{site_id}/"


def is_name(name: str) -> bool:
    """Whether a file of a site may be called so: nothing hidden, and nothing that leads elsewhere."""
    return bool(SITE_FILES.names.fullmatch(f"1/{name}")) and media.is_name(folder_of(1) + name)


def read_head(line: Line) -> FileHead:
    """What the line says of a file. Raises PackageError."""
    name, size = line.members.get("name"), line.members.get("size")
    if line.members.keys() != {"name", "size"} or type(name) is not str or type(size) is not int or size < 0:
        raise line.refuse("A file has a name and a size.")
    if not is_name(name):
        raise line.refuse(f"{name[:200]!r} cannot be the name of a file of a site.", "name")
    return FileHead(name, size)


def read_piece(line: Line) -> bytes:
    """The bytes of a piece. Raises PackageError."""
    data: Any = line.members.get("data")
    try:
        piece = base64.b64decode(data, validate=True)
    except (TypeError, ValueError) as error:
        raise line.refuse("It must be a text in Base64.", "data") from error
    if not piece or len(line.members) > 1:
        raise line.refuse("A piece has some bytes of data and nothing else.")
    return piece


def read_pieces(head: FileHead, first: Line, following: Iterator[Line]) -> Iterator[bytes]:
    """The content of a file whose first line is `first`; the lines after it are taken. Raises PackageError."""
    left = head.size
    while left > 0:
        line = next(following, None)
        if line is None or line.kind != PIECE:
            raise (line or first).refuse(f"{left} bytes of the file {head.name} are missing before it.")
        piece = read_piece(line)
        left -= len(piece)
        if left < 0:
            raise line.refuse(f"The file {head.name} would have more than {head.size} bytes.")
        yield piece


class FilesWriter:
    """Writes the files of a site, each once. Of each it remembers the name."""

    def __init__(self, site_id: int, writer: LineWriter) -> None:
        self._folder, self._writer = folder_of(site_id), writer
        self._names: set[str] = set()
        self.left_out: list[str] = []

    def write_new(self) -> Iterator[str]:
        """Write those that are there and were not written before, and yield the name of each."""
        for stored in media.names(self._folder.removesuffix("/")):
            name = stored.removeprefix(self._folder)
            if name in self._names:
                continue
            if not is_name(name):
                self._names.add(name)
                self.left_out.append(stored)
                continue
            with suppress(FileNotFoundError):  # removed since it was listed
                self._write(name, media.size_of(stored))
                self._names.add(name)
                yield name

    def _write(self, name: str, size: int) -> None:
        pieces = _cut(media.pieces_of(self._folder + name, size))
        # Before its first line, so that a file that is gone by now leaves none.
        first = next(pieces, b"") if size else b""
        self._writer.write(FILE, {"name": name, "size": size})
        written = 0
        while first:
            self._writer.write(PIECE, {"data": base64.b64encode(first).decode("ascii")})
            written += len(first)
            first = next(pieces, b"")
        if written != size:
            raise BackupFault(f"The file {self._folder}{name} was changed while it was read; export the site again.")


def _cut(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Pieces of one size, whatever the storage reads at a time, so that files of a site are the same everywhere."""
    for piece in pieces:
        for start in range(0, len(piece), PIECE_BYTES):
            yield piece[start : start + PIECE_BYTES]
