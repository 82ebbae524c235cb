"""How many elements of XML the parts of a workbook have, counted while they are unpacked and none is kept.

An element of four bytes becomes an object of some hundred, or of thousands where the library reads a part as a whole:
the bytes of a part tell little of the memory that it takes.
"""

from contextlib import suppress
from typing import IO, Any
from xml.parsers import expat

_READ = 64 * 1024  # bytes at a time
_MAX_TREE = 50_000  # elements of what is read as a whole: a part, or a piece of the kinds below
_MAX_TREE_BYTES = 4 * 1024 * 1024
# Parts that are read piece by piece or not at all: their outermost element → the element of a piece, and its depth.
_PIECES = {
    "worksheet": ("row", 3),
    "sst": ("si", 2),  # texts that cells share
    "calcChain": ("c", 2),
    "pivotCacheRecords": ("r", 2),
}


class TooManyElements(Exception):
    """A workbook has more of them than a table needs."""


class Weight:
    """The elements of several parts, of which there may be so many."""

    def __init__(self, most: int) -> None:
        self._left = most

    def add(self, file: IO[bytes], size: int) -> None:
        """Count those of one more part. Raises TooManyElements, or ValueError where it declares entities."""
        part = _Part(self._left, size)
        # What is no XML, such as a picture, ends here; whatever needs it as XML fails at the same place.
        with suppress(expat.ExpatError):
            part.read(file)
        self._left -= part.count


class _Part:
    def __init__(self, most: int, size: int) -> None:
        self.count = 0
        self._most, self._size = most, size
        self._depth, self._pieces = 0, ("", 0)
        self._is_in_piece = False
        self._of_piece = self._others = 0

    def read(self, file: IO[bytes]) -> None:
        """Count to the end. Raises TooManyElements, ValueError, ExpatError."""
        parser: Any = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.EntityDeclHandler = _refuse  # one name could stand for any number of elements
        while data := file.read(_READ):
            parser.Parse(data)
        parser.Parse(b"", True)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self.count += 1
        local = name.rpartition(":")[2]
        if self._depth == 1:
            self._begin(local)
        if (local, self._depth) == self._pieces:
            self._is_in_piece, self._of_piece = True, 0
        if self._is_in_piece:
            self._of_piece += 1
        else:
            self._others += 1
        if self.count > self._most or max(self._of_piece, self._others) > _MAX_TREE:
            raise TooManyElements

    def _begin(self, outermost: str) -> None:
        self._pieces = _PIECES.get(outermost, ("", 0))
        if outermost not in _PIECES and self._size > _MAX_TREE_BYTES:
            raise TooManyElements

    def _end(self, name: str) -> None:
        if self._depth == self._pieces[1]:
            self._is_in_piece = False
        self._depth -= 1


def _refuse(*_declared: Any) -> None:
    raise ValueError("A part declares entities.")
