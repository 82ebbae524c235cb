"""Avatars drawn anew after the pictures that strangers send."""

import io

from PIL import Image

from cms_api.rest.pictures import UPRIGHT, in_eight_bits, open_picture, orientation, suspicious

_OPAQUE = {"L", "RGB"}
_ROWS = 64  # rows of the smaller picture that are made at a time


def draw_anew(data: bytes, *, max_pixels: int, side: int) -> bytes:
    """The first frame of a picture as a PNG that has nothing but pixels, shrunk to `side` at most.

    Upright as its Exif orientation wants it. The size is looked at before anything is decoded. Raises BadRequest
    (`not_a_picture`, `picture_too_large`). Not for two threads at a time (cms_api.rest.pictures.suspicious).
    """
    with suspicious(max_pixels):
        small, turned = _shrink(open_picture(data, max_pixels), side)
    if turned in UPRIGHT:
        small = small.transpose(UPRIGHT[turned])
    return _as_png(small)


def _shrink(picture: Image.Image, side: int) -> tuple[Image.Image, object]:
    """The picture with premultiplied alpha, if it has one, and the orientation that it asks for."""
    share = 2 * side / max(picture.size)
    wanted = (max(1, round(share * picture.width)), max(1, round(share * picture.height)))
    picture.draft(None, wanted)  # a JPEG of many pixels is decoded to fewer
    picture.load()
    small = _reduce(picture, max(1, max(picture.size) // (2 * side)))
    scale = min(1.0, side / max(small.size))
    size = tuple(max(1, round(scale * length)) for length in small.size)
    turned = orientation(picture)
    return (small if size == small.size else small.resize(size, Image.Resampling.LANCZOS)), turned


def _reduce(picture: Image.Image, factor: int) -> Image.Image:
    """The picture with so many times fewer rows and columns, each pixel the mean of those that it stands for.

    Made in strips: a copy of the whole in another mode may take a hundred megabytes.
    """
    if picture.mode in _OPAQUE and "transparency" not in picture.info:
        return picture.reduce(factor)
    width, height = picture.size
    small = Image.new("RGBa", (-(-width // factor), -(-height // factor)))
    for top in range(0, height, _ROWS * factor):
        strip = picture.crop((0, top, width, min(height, top + _ROWS * factor)))
        small.paste(_in_colours(strip).reduce(factor), (0, top // factor))
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
