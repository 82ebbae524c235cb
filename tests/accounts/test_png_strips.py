"""PNGs decoded in strips: the same pixels as those that Pillow decodes at once."""

import io
import random

import pytest
from PIL import Image

from core.uploads.pictures import open_picture
from core.uploads.png_strips import strips_of
from tests.accounts.picture_files import chunk, png

SIZE = (37, 50)
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by the number of the kind in the file
KINDS = [(depth, 0) for depth in (1, 2, 4, 8, 16)] + [(depth, 3) for depth in (1, 2, 4, 8)]
KINDS += [(depth, kind) for kind in (2, 4, 6) for depth in (8, 16)]


def noise(depth, kind, *chunks):
    """A PNG of random bytes whose rows take turns in the five filters."""
    chance = random.Random(depth * 10 + kind)
    row_bytes = (SIZE[0] * CHANNELS[kind] * depth + 7) // 8
    rows = b"".join(bytes([chance.randrange(5)]) + chance.randbytes(row_bytes) for _ in range(SIZE[1]))
    palette = [chunk(b"PLTE", chance.randbytes(3 << depth))] if kind == 3 else []
    return png(*SIZE, *palette, *chunks, depth=depth, kind=kind, rows=rows)


def in_strips(data, rows=7):
    picture = Image.open(io.BytesIO(data))
    whole = Image.new("RGBA", picture.size)
    for at, strip in enumerate(strips_of(picture, data, rows)):
        whole.paste(strip.convert("RGBA"), (0, at * rows))
    return whole


def at_once(data):
    picture = Image.open(io.BytesIO(data))
    if picture.mode.startswith("I;16"):
        picture = Image.frombytes("L", picture.size, picture.tobytes("raw", "I;16")[1::2])
    return picture.convert("RGBA")


@pytest.mark.parametrize(("depth", "kind"), KINDS)
def test_the_pixels_are_those_of_the_whole(depth, kind):
    data = noise(depth, kind)
    assert in_strips(data).tobytes() == at_once(data).tobytes()


@pytest.mark.parametrize(("kind", "transparent"), [(0, b"\0\7"), (2, b"\0\1\0\2\0\3"), (3, bytes(range(200)))])
def test_what_is_transparent_stays_so(kind, transparent):
    data = noise(8, kind, chunk(b"tRNS", transparent))
    assert in_strips(data).tobytes() == at_once(data).tobytes()


@pytest.mark.parametrize("kind", [0, 2])
def test_what_is_transparent_of_sixteen_bits_stays_so(kind):
    rows = (b"\0" + bytes([0, 7] * CHANNELS[kind]) * SIZE[0]) * SIZE[1]
    data = png(*SIZE, chunk(b"tRNS", bytes([0, 7] * CHANNELS[kind])), depth=16, kind=kind, rows=rows)
    picture = open_picture(data, 1_000_000)
    (strip,) = strips_of(picture, data, SIZE[1])
    assert strip.convert("RGBA").getextrema()[3] == (0, 0)


@pytest.mark.parametrize("size", [0, 1, 100])
def test_the_pixels_may_lie_in_many_chunks(size):
    data = noise(8, 2)
    start = data.index(b"IDAT")
    length = int.from_bytes(data[start - 4 : start])
    pixels = data[start + 4 : start + 4 + length]
    parts = [chunk(b"IDAT", pixels[at : at + size]) for at in range(0, length, size)] if size else []
    split = data[: start - 4] + b"".join(parts or [chunk(b"IDAT"), chunk(b"IDAT", pixels)]) + chunk(b"IEND")
    assert in_strips(split).tobytes() == at_once(data).tobytes()


def test_an_interlaced_picture_is_left_to_pillow():
    data = bytearray(noise(8, 2))
    data[28] = 1
    data[16 + 13 : 16 + 17] = chunk(b"IHDR", bytes(data[16:29]))[-4:]
    assert strips_of(Image.open(io.BytesIO(bytes(data))), bytes(data), 7) is None
