"""Avatars drawn anew after the pictures that strangers send."""

import io
from collections.abc import Iterator

from PIL import Image

from cms_api.uploads.pictures import UPRIGHT, in_eight_bits, open_picture, orientation, suspicious
from cms_api.uploads.png_strips import strips_of

_OPAQUE = {"L", "RGB"}
_ROWS = 8  # rows of the smaller picture that are made at a time


def draw_anew(data: bytes, *, max_pixels: int, side: int) -> bytes:
    """The first frame of a picture as a PNG that has nothing but pixels, shrunk to `side` at most.

    Upright as its Exif orientation wants it. The size is looked at before anything is decoded. Raises BadRequest
    (`not_a_picture`, `picture_too_large`). Not for two threads at a time (cms_api.uploads.pictures.suspicious).
    """
    with suspicious(max_pixels):
        small, turned = _shrink(open_picture(data, max_pixels), data, side)
    if turned in UPRIGHT:
        small = small.transpose(UPRIGHT[turned])
    return _as_png(small)


def _shrink(picture: Image.Image, data: bytes, side: int) -> tuple[Image.Image, object]:
    """The picture with premultiplied alpha, if it has one, and the orientation that it asks for."""
    share = 2 * side / max(picture.size)
    wanted = (max(1, round(share * picture.width)), max(1, round(share * picture.height)))
    picture.draft(None, wanted)  # a JPEG of many pixels is decoded to fewer
    factor = max(1, max(picture.size) // (2 * side))
    small = _reduce(strips_of(picture, data, _ROWS * factor) or _cut(picture, _ROWS * factor), picture.size, factor)
    scale = min(1.0, side / max(small.size))
    size = tuple(max(1, round(scale * length)) for length in small.size)
    turned = orientation(picture)
    return (small if size == small.size else small.resize(size, Image.Resampling.LANCZOS)), turned


def _cut(picture: Image.Image, rows: int) -> Iterator[Image.Image]:
    """Strips of a picture that is decoded as a whole."""
    picture.load()
    for top in range(0, picture.height, rows):
        yield picture.crop((0, top, picture.width, min(picture.height, top + rows)))


def _reduce(strips: Iterator[Image.Image], size: tuple[int, int], factor: int) -> Image.Image:
    """The picture with so many times fewer rows and columns, each pixel the mean of those that it stands for.

    Made in strips: a copy of the whole in another mode may take a hundred megabytes.
    """
    small, top = None, 0
    for strip in strips:
        is_opaque = strip.mode in _OPAQUE and "transparency" not in strip.info
        part = (strip if is_opaque else _in_colours(strip)).reduce(factor)
        small = small or Image.new(part.mode, (part.width, -(-size[1] // factor)))
        small.paste(part, (0, top))
        top += part.height
    assert small is not None  # noqa: S101 - a picture has rows
    return small


def _in_colours(strip: Image.Image) -> Image.Image:
    """Whatever the mode of the pixels: red, green, blue and alpha of eight bits, premultiplied."""
    return in_eight_bits(strip).convert("RGBA").convert("RGBa")


def _as_png(small: Image.Image) -> bytes:
    picture = small.convert("RGB" if small.mode in _OPAQUE else "RGBA")
    if picture.mode == "RGBA" and picture.getchannel("A").getextrema() == (255, 255):
        picture = picture.convert("RGB")
    picture.info = {}
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()
