"""Pictures of contents: drawn anew in their own format, upright, no larger than a page needs, and without metadata."""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from PIL import Image

from cms_api.lib.errors import InvalidInput
from cms_api.uploads.pictures import (
    UPRIGHT,
    in_eight_bits,
    no_picture,
    open_picture,
    orientation,
    suspicious,
    too_large,
)
from sites.watermarks import Watermark

# By what the file holds, whatever it is called: the extension, and how it is written.
_WRITTEN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "GIF": ("gif", "GIF", {}),
    "JPEG": ("jpg", "JPEG", {"quality": 88, "optimize": True}),
    "MPO": ("jpg", "JPEG", {"quality": 88, "optimize": True}),
    "PNG": ("png", "PNG", {"optimize": False}),
    "WEBP": ("webp", "WEBP", {"quality": 86, "method": 3}),
    "BMP": ("png", "PNG", {"optimize": False}),
}
# What a site may call the same in its list of types.
SAME_TYPE = {"jpg": {"jpg", "jpeg"}, "png": {"png", "pneg"}, "gif": {"gif"}, "webp": {"webp"}}
# Extensions that a site may list for pictures; a bitmap is taken and kept as a PNG.
TAKEN_TYPES = frozenset({"bmp"}.union(*SAME_TYPE.values()))
_MODES = {"JPEG": ("L", "RGB"), "PNG": ("1", "L", "LA", "P", "RGB", "RGBA"), "WEBP": ("RGB", "RGBA"), "GIF": ("L", "P")}
_MAX_PROFILE = 64 * 1024  # bytes; larger ones than those of cameras and screens are no help to a page
_MAX_FRAMES = 500


@dataclass(frozen=True, slots=True)
class DrawnPicture:
    """A picture as it is stored, with smaller forms of it by name."""

    data: bytes
    extension: str
    width: int
    height: int
    smaller: dict[str, bytes]


def draw(
    data: bytes,
    *,
    max_pixels: int,
    side: int,
    widths: Iterable[tuple[str, int]] = (),
    mark: Watermark | None = None,
) -> DrawnPicture:
    """The picture in its own format (a BMP as a PNG), its longer side `side` at most.

    An animation keeps its frames and its size; one that is larger than `side` is refused. `widths` are names and
    widths of smaller forms, made of pictures that are wider. The mark is drawn on all but animations, and smaller
    forms show it smaller. Raises InvalidInput (`not_a_picture`, `picture_too_large`), and what `Watermark.put_on`
    raises. Not for two threads at a time (cms_api.uploads.pictures.suspicious).
    """
    with suspicious(max_pixels):
        picture = open_picture(data, max_pixels)
        extension, written_as, options = _WRITTEN[picture.format or ""]
        if getattr(picture, "n_frames", 1) > 1 and written_as in {"GIF", "WEBP"}:
            return _animation(picture, extension, written_as, max_pixels, side)
        profile = _profile(picture)
        drawn = _drawn(picture, written_as, side)
        drawn = mark.put_on(drawn) if mark else drawn
        more = {**options, **({"icc_profile": profile} if profile and drawn.mode in {"RGB", "RGBA", "L"} else {})}
        smaller = {
            name: _file(_narrowed(drawn, width), written_as, more) for name, width in widths if 0 < width < drawn.width
        }
        return DrawnPicture(_file(drawn, written_as, more), extension, drawn.width, drawn.height, smaller)


def _drawn(picture: Image.Image, written_as: str, side: int) -> Image.Image:
    if written_as == "JPEG":
        picture.draft(None, (side, side))  # one of many pixels is decoded to fewer
    picture.load()
    turned = orientation(picture)
    drawn = _in_mode(picture, written_as)
    if max(drawn.size) > side:
        drawn = _scaled(drawn, side / max(drawn.size))
    if turned in UPRIGHT:
        drawn = drawn.transpose(UPRIGHT[turned])
    if drawn.size == (0, 0):
        raise no_picture()
    return drawn


def _in_mode(picture: Image.Image, written_as: str) -> Image.Image:
    """The picture in a mode that its format has, transparency kept."""
    picture = in_eight_bits(picture)
    if picture.mode in _MODES[written_as]:
        return picture
    if picture.mode in {"LA", "PA", "RGBa", "La"} or "transparency" in picture.info:
        return picture.convert("RGBA")
    return picture.convert("RGB")


def _scaled(picture: Image.Image, scale: float) -> Image.Image:
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    if picture.mode in {"P", "1"}:
        picture = picture.convert("RGBA" if "transparency" in picture.info else "RGB")
    return picture.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)


def _narrowed(picture: Image.Image, width: int) -> Image.Image:
    return _scaled(picture, width / picture.width)


def _profile(picture: Image.Image) -> bytes:
    # Without its profile a picture of a phone has other colours. One of inks does not fit what we make of it.
    profile = picture.info.get("icc_profile") or b""
    return profile if picture.mode not in {"CMYK", "LAB"} and len(profile) <= _MAX_PROFILE else b""


def _file(picture: Image.Image, written_as: str, options: dict[str, Any]) -> bytes:
    # Whatever else the file has told about the picture stays behind; how it is transparent belongs to its pixels.
    transparency = {"transparency": picture.info["transparency"]} if "transparency" in picture.info else {}
    plain = picture.copy()
    plain.info = {}
    file = io.BytesIO()
    if written_as == "GIF" and plain.mode not in _MODES["GIF"]:
        plain, transparency = plain.convert("RGBA"), {}
    plain.save(file, written_as, **transparency, **options)
    return file.getvalue()


def _animation(picture: Image.Image, extension: str, written_as: str, max_pixels: int, side: int) -> DrawnPicture:
    frames = getattr(picture, "n_frames", 1)
    if frames > _MAX_FRAMES or frames * picture.width * picture.height > max_pixels:
        raise too_large(max_pixels)
    if max(picture.size) > side:
        raise InvalidInput("animation_too_large", f"An animation may have {side} pixels on a side at most.", side=side)
    for name in ("comment", "exif", "xmp", "icc_profile"):
        picture.info.pop(name, None)
    file = io.BytesIO()
    more: dict[str, Any] = {"comment": b""} if written_as == "GIF" else {"exif": b"", "xmp": b"", "icc_profile": b""}
    picture.save(file, written_as, save_all=True, **more)
    return DrawnPicture(file.getvalue(), extension, *picture.size, {})
