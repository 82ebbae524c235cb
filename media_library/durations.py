"""The length of sounds and videos, read from a bounded part of the file."""

import io
from collections.abc import Callable
from typing import Any

from tinytag import TinyTag

from core.lib.media_storage import extension_of

Part = Callable[[int, int], bytes]  # from the first offset up to the second
_TYPES = frozenset(["asf", "flac", "m4a", "m4r", "m4v", "mov", "mp3", "mp4", "ogg", "ogv", "wav", "wma", "wmv"])
_BLOCK = 64 * 1024  # bytes
_MAX_BLOCKS = 64
_MAX_READS = 20_000
_LEAST, _MOST = 0.001, 1000 * 3600.0  # seconds
_OGG = b"OggS"  # begins each page, which has at most 65 KB
_ENDS = 128 * 1024  # bytes of an Ogg file from each of its ends, since its length is in its last page


def duration_of(path: str, size: int, part: Part) -> float | None:
    """Return the seconds of a sound or video; None of other files, and if they are unknown.

    Reads at most 4 MB. Raises the errors of `part`.
    """
    if extension_of(path) not in _TYPES:
        return None
    file = _Blocks(size, part)
    try:
        ends: Any = _ends_of(file)
        seconds = TinyTag.get(file_obj=ends, tags=False).duration
    except Exception:  # noqa: BLE001 - the file is of anyone
        if file.failure is not None:
            raise file.failure from None
        return None
    # Also false for NaN, and for the 0 of files that do not name their length.
    return round(seconds, 3) if seconds and _LEAST <= seconds <= _MOST else None


def _ends_of(file: "_Blocks") -> io.RawIOBase | io.BytesIO:
    """Return the file; of a large Ogg file, its first and last pages."""
    start = file.read(len(_OGG))
    file.seek(0)
    if start != _OGG or file.size <= 2 * _ENDS:
        return file
    first = file.read(_ENDS)
    file.seek(file.size - _ENDS)
    last = file.read(_ENDS)
    return io.BytesIO(first[: first.rindex(_OGG)] + last[last.index(_OGG) :])


class _Blocks(io.RawIOBase):
    """Reads blocks of the file once each, and only so many."""

    def __init__(self, size: int, part: Part) -> None:
        self.size = size
        self.failure: Exception | None = None  # of `part`
        self._part, self._blocks, self._place, self._reads = part, dict[int, bytes](), 0, 0

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self.size}[whence]
        if start + offset < 0:
            raise OSError("The place is before the file.")
        self._place = start + offset
        return self._place

    def tell(self) -> int:
        return self._place

    def read(self, size: int = -1, /) -> bytes:
        self._reads += 1
        if self._reads > _MAX_READS:
            raise OSError("The file consists of too many parts.")
        start = min(self._place, self.size)
        stop = self.size if size < 0 else min(start + size, self.size)
        first, last = start // _BLOCK, -(-stop // _BLOCK)
        if last - first > _MAX_BLOCKS:
            raise OSError("The file has too large parts.")
        read = b"".join(map(self._block, range(first, last)))[start - first * _BLOCK : stop - first * _BLOCK]
        self._place = start + len(read)
        return read

    def _block(self, number: int) -> bytes:
        if number not in self._blocks:
            if len(self._blocks) == _MAX_BLOCKS:
                raise OSError("Too much of the file would be read.")
            start = number * _BLOCK
            try:
                self._blocks[number] = self._part(start, min(start + _BLOCK, self.size))
            except Exception as error:
                self.failure = error
                raise
        return self._blocks[number]
