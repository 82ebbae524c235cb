"""Avatars drawn anew after the pictures that strangers send."""

import io
from collections.abc import Iterator
from operator import mul

from PIL import Image, JpegImagePlugin

from cms_api.lib.errors import InvalidInput
from cms_api.uploads.pictures import UPRIGHT, in_eight_bits, last_read, open_picture, orientation, suspicious
from cms_api.uploads.png_strips import strips_of

_OPAQUE = {"L", "RGB"}
_ROWS = 8  # rows of the smaller picture that are made at a time
# Bytes that decoding may hold for the pixels of a whole picture. Pillow holds one or two for each pixel in these modes
# and four in others; with WebP two canvases, the frame and its copy.
_MOST_HELD = 50_000_000
_HELD = {"1": 1, "L": 1, "P": 1, "I;16": 2}
_HELD_FOR_WEBP = 16


def draw_anew(data: bytes, *, max_pixels: int, side: int) -> bytes:
    """The first frame of a picture as a PNG that has nothing but pixels, shrunk to `side` at most.

    Upright as its Exif orientation wants it. The size is looked at before anything is decoded. Raises InvalidInput
    (`not_a_picture`, `picture_too_large`, `picture_too_large_for_format`). Not for two threads at a time
    (cms_api.uploads.pictures.suspicious).
    """
    with suspicious(max_pixels):
        small, turned = _shrink(open_picture(data, max_pixels), data, side)
    if turned in UPRIGHT:
        small = small.transpose(UPRIGHT[turned])
    return _as_png(small)


def _held(picture: Image.Image, data: bytes) -> float:
    """The bytes that decoding holds for each pixel, apart from those of a few rows."""
    if isinstance(picture, JpegImagePlugin.JpegImageFile):
        return _held_for_jpeg(picture, data)
    if picture.format == "WEBP":
        return _HELD_FOR_WEBP
    return 0 if strips_of(picture, data, 1) else _HELD.get(picture.mode, 4)


def _held_for_jpeg(picture: JpegImagePlugin.JpegImageFile, data: bytes) -> float:
    """Two for each sample, unless one scan has all channels: several scans are put together before they are drawn."""
    channels_of_first_scan = data[last_read(picture)]
    if "progressive" not in picture.info and channels_of_first_scan == picture.layers:
        return 0
    _, across, down, _ = zip(*picture.layer, strict=True)
    samples: float = sum(map(mul, across, down)) / (max(across) * max(down))
    return 2 * samples


def _shrink(picture: Image.Image, data: bytes, side: int) -> tuple[Image.Image, object]:
    """The picture with premultiplied alpha, if it has one, and the orientation that it asks for."""
    held = _held(picture, data)
    if picture.width * picture.height * held > _MOST_HELD:
        raise _too_large_for_format(f"{_MOST_HELD / held // 100_000 / 10:g}")
    share = (1 if held else 2) * side / max(picture.size)
    wanted = (max(1, round(share * picture.width)), max(1, round(share * picture.height)))
    picture.draft(None, wanted)  # a JPEG of many pixels is decoded to fewer
    factor = max(1, max(picture.size) // (2 * side))
    small = _reduce(strips_of(picture, data, _ROWS * factor) or _cut(picture, _ROWS * factor), picture.size, factor)
    scale = min(1.0, side / max(small.size))
    size = tuple(max(1, round(scale * length)) for length in small.size)
    turned = orientation(picture)
    return (small if size == small.size else small.resize(size, Image.Resampling.LANCZOS)), turned


def _too_large_for_format(megapixels: str) -> InvalidInput:
    message = (
        f"In this format a picture may have {megapixels} megapixels at most. Save it as a JPEG that is not "
        "progressive or as a PNG that is not interlaced."
    )
    return InvalidInput("picture_too_large_for_format", message, megapixels=megapixels)


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
