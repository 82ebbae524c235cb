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


def png(width, height, *chunks, depth=8, kind=2, rows=b"", interlaced=False):
    """A PNG that claims a size, whatever its rows hold."""
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced)
    parts = [chunk(b"IHDR", header), *chunks, chunk(b"IDAT", zlib.compress(rows, 9)), chunk(b"IEND")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def interlaced(width, height, *, depth=8, kind=2):
    """A PNG of zeros in the seven passes of Adam7."""
    bits = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind] * depth
    palette = [chunk(b"PLTE", bytes(768))] if kind == 3 else []
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    rows = b""
    for left, top, across, down in passes:
        columns, lines = -(-(width - left) // across), -(-(height - top) // down)
        rows += bytes((1 + (columns * bits + 7) // 8) * lines)
    return png(width, height, *palette, depth=depth, kind=kind, rows=rows, interlaced=True)


def with_size(jpeg, width, height):
    """A JPEG that claims another size."""
    frame = next(at for kind in range(0xC0, 0xC3) if (at := jpeg.find(bytes([0xFF, kind, 0]))) > 0)
    return jpeg[: frame + 5] + struct.pack(">HH", height, width) + jpeg[frame + 9 :]


def with_segment(jpeg, marker, data):
    """A JPEG with one more segment at its beginning."""
    return jpeg[:2] + b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data + jpeg[2:]
