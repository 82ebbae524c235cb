"""Decodes a PNG strip by strip; Pillow would allocate all pixels, some hundred megabytes."""

import struct
import zlib
from collections.abc import Iterator

from PIL import Image, PngImagePlugin

# Honest files need some thousands; five megabytes of empty chunks would take a second.
_MAX_CHUNKS = 50_000
_PIECE = 64 * 1024  # bytes per call of the decompressor, which copies its unread rest
# Bits per pixel of Pillow's raw modes.
_BITS = {"1": 1, "L;2": 2, "L;4": 4, "L": 8, "P;1": 1, "P;2": 2, "P;4": 4, "P": 8, "LA": 16, "RGB": 24, "RGBA": 32}
# The upper eight of 16 bits per channel suffice: filters work byte by byte, so the lower bytes can be dropped.
_HALVED = {"I;16B": "L", "LA;16B": "LA", "RGB;16B": "RGB", "RGBA;16B": "RGBA"}
_BY_BYTES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def strips_of(picture: Image.Image, data: bytes, rows: int) -> Iterator[Image.Image] | None:
    """Return the picture in strips of `rows` rows of eight-bit channels; None if Pillow must decode it as a whole.

    `data` is the whole file. Late Exif is in `info` after the last strip. Errors raise arbitrary exceptions.
    """
    if not isinstance(picture, PngImagePlugin.PngImageFile) or picture.info.get("interlace"):
        return None
    ((_, extents, offset, form),) = picture.tile
    if extents != (0, 0, *picture.size) or (picture.mode == "P" and picture.palette is None):
        return None
    return _strips(picture, data, offset - 8, str(form), rows)


def _strips(picture: Image.Image, data: bytes, offset: int, form: str, rows: int) -> Iterator[Image.Image]:
    halved, form = form in _HALVED, _HALVED.get(form, form)
    width, height = picture.size
    row_bytes = (width * _BITS[form] + 7) // 8
    pixel_bytes = max(1, _BITS[form] // 8)
    chunks = _chunks(data, offset)
    lines = _Lines(chunks)
    above = bytes(row_bytes)
    for top in range(0, height, rows):
        count = min(rows, height - top)
        step = 1 + row_bytes * (2 if halved else 1)
        filtered = lines.take(count * step)
        if halved:
            starts = range(0, len(filtered), step)
            filtered = b"".join(filtered[at : at + 1] + filtered[at + 1 : at + step : 2] for at in starts)
        # The row above comes first, unfiltered, since the filters of the next row refer to it.
        stored = zlib.compress(b"\0" + above + filtered, 0)
        mode = _BY_BYTES[pixel_bytes]
        plain = Image.frombytes(mode, (row_bytes // pixel_bytes, count + 1), stored, "zip", mode, 0)
        above = plain.crop((0, count, plain.width, count + 1)).tobytes()
        strip = plain.crop((0, 1, plain.width, count + 1))
        if form != mode:
            strip = Image.frombytes(picture.mode, (width, count), strip.tobytes(), "raw", form)
        if picture.palette is not None and strip.mode == "P":
            strip.putpalette(picture.palette)
        if "transparency" in picture.info:
            strip.info["transparency"] = picture.info["transparency"]
        yield strip
    for kind, body in chunks:
        if kind == b"eXIf":
            picture.info.setdefault("exif", b"Exif\0\0" + bytes(body))


class _Lines:
    def __init__(self, chunks: Iterator[tuple[bytes, memoryview]]) -> None:
        self._decompressor, self._pieces, self._left = zlib.decompressobj(), _pieces(chunks), b""

    def take(self, size: int) -> bytes:
        """Return exactly `size` bytes. Raises `OSError` if there are fewer."""
        parts = []
        while size:
            piece = self._left or next(self._pieces, b"")
            part = self._decompressor.decompress(piece, size)
            if not part and not piece:
                raise OSError("The picture ends too early.")
            self._left = self._decompressor.unconsumed_tail
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _pieces(chunks: Iterator[tuple[bytes, memoryview]]) -> Iterator[bytes]:
    for kind, body in chunks:
        if kind != b"IDAT":
            return
        for at in range(0, len(body), _PIECE):
            yield bytes(body[at : at + _PIECE])


def _chunks(data: bytes, at: int) -> Iterator[tuple[bytes, memoryview]]:
    view = memoryview(data)
    for _ in range(_MAX_CHUNKS):
        if at + 8 > len(data):
            return
        length, kind = struct.unpack_from(">I4s", data, at)
        yield kind, view[at + 8 : at + 8 + length]
        at += 12 + length
    raise OSError("The file consists of too many parts.")
