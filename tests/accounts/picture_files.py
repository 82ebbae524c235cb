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


def _fixed(*numbers):
    return b"".join(struct.pack(">i", round(number * 65536)) for number in numbers)


def _profile(space, connection, **tags):
    """A colour profile (ICC) of the second version with these tags."""
    table, body = struct.pack(">I", len(tags)), b""
    for name, data in tags.items():
        table += name.encode() + struct.pack(">II", 132 + 12 * len(tags) + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    size = 128 + len(table) + len(body)
    head = struct.pack(">I4x4s4s4s4s12x4s", size, b"\x02\x40\0\0", b"mntr", space, connection, b"acsp")
    return (head.ljust(68, b"\0") + _fixed(*_WHITE)).ljust(128, b"\0") + table + body


def _xyz(*numbers):
    return b"XYZ \0\0\0\0" + _fixed(*numbers)


def _gamma(number):
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(number * 256))


_WHITE = (0.9642, 1, 0.8249)
_EVEN = bytes(range(256))
# That of Adobe RGB, of linear greys, and of a press of which only the black ink is seen.
WIDE_RGB = _profile(
    b"RGB ", b"XYZ ", wtpt=_xyz(*_WHITE),
    rXYZ=_xyz(0.60974, 0.31111, 0.01947), gXYZ=_xyz(0.20528, 0.62567, 0.06087), bXYZ=_xyz(0.14919, 0.06322, 0.74457),
    rTRC=_gamma(2.2), gTRC=_gamma(2.2), bTRC=_gamma(2.2),
)  # fmt: skip
LINEAR_GREY = _profile(b"GRAY", b"XYZ ", wtpt=_xyz(*_WHITE), kTRC=_gamma(1))
BLACK_INK = _profile(
    b"CMYK", b"Lab ",
    A2B0=b"mft1\0\0\0\0" + bytes([4, 3, 2, 0]) + _fixed(1, 0, 0, 0, 1, 0, 0, 0, 1) + _EVEN * 4
    + b"".join(bytes([0 if number & 1 else 255, 128, 128]) for number in range(16)) + _EVEN * 3,
)  # fmt: skip


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
