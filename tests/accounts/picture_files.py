"""Pictures as files."""

import io
import struct
import zlib

from PIL import Image

MARK = b"<script>marker</script>"


def saved(picture, kind, **options):
    """The bytes of a picture in a format."""
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def plain(size=(40, 30), colour=(200, 100, 50), mode="RGB"):
    """A picture of one colour."""
    return Image.new(mode, size, colour)


def opened(data):
    """The picture of these bytes, decoded."""
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return picture


def chunk(kind, data=b""):
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, *chunks, depth=8, kind=2, rows=b""):
    """A PNG that claims a size, whatever its rows hold."""
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    parts = [chunk(b"IHDR", header), *chunks, chunk(b"IDAT", zlib.compress(rows, 9)), chunk(b"IEND")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def with_segment(jpeg, marker, data):
    """A JPEG with one more segment at its beginning."""
    return jpeg[:2] + b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data + jpeg[2:]
