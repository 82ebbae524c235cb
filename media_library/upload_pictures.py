"""Redraw pictures of contents in their own format, HEIC as JPEG: upright, limited in size, without metadata."""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from PIL import Image, ImageSequence, PngImagePlugin

from core.lib.errors import InvalidInput
from core.uploads.heif import decoded_heif, is_heif
from core.uploads.pictures import (
    MAX_SIDE,
    SIDEWAYS,
    UPRIGHT,
    colours_of_profile,
    in_eight_bits,
    in_srgb,
    no_picture,
    open_picture,
    orientation,
    suspicious,
    too_large,
    upright_size,
)
from sites.watermarks import Watermark

# By the actual format, not the name: the extension, and the encoder options.
_WRITTEN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "GIF": ("gif", "GIF", {}),
    "JPEG": ("jpg", "JPEG", {"quality": 88, "optimize": True}),
    "MPO": ("jpg", "JPEG", {"quality": 88, "optimize": True}),
    "PNG": ("png", "PNG", {"optimize": False}),
    "WEBP": ("webp", "WEBP", {"quality": 86, "method": 3}),
    "BMP": ("png", "PNG", {"optimize": False}),
    "AVIF": ("avif", "AVIF", {"quality": 80, "speed": 9}),
    "HEIF": ("jpg", "JPEG", {"quality": 88, "optimize": True}),
}
_MODES = {
    "JPEG": ("L", "RGB"),
    "PNG": ("1", "L", "LA", "P", "RGB", "RGBA"),
    "WEBP": ("RGB", "RGBA"),
    "AVIF": ("RGB", "RGBA"),
    "GIF": ("L", "P"),
}
_Part = tuple[int, int, int, int]  # left, upper, right, lower
# Orientations whose left or upper side is stored at the right or at the foot.
_MIRRORED, _HEAD_DOWN = {2, 3, 7, 8}, {3, 4, 6, 7}
_MAX_PROFILE = 64 * 1024  # bytes; larger than the profiles of cameras and screens
_MAX_FRAMES = 500
# Formats of animations, and how they are written. Frames of a PNG are read as whole pictures.
_MOVING: dict[str, dict[str, Any]] = {
    "GIF": {},
    "PNG": {"disposal": PngImagePlugin.Disposal.OP_NONE, "blend": PngImagePlugin.Blend.OP_SOURCE},
    "WEBP": {},
}


class Box(NamedTuple):
    """A part of a picture, in pixels of the picture as browsers show it."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class DrawnPicture:
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
    box: Box | None = None,
) -> DrawnPicture:
    """Redraw the picture, or the part in the box, in its own format, its longer side at most `side`.

    A BMP becomes a PNG, HEIC a JPEG.

    Animations keep their frames and size; one larger than `side` is refused. `widths` are names and widths of smaller
    forms, made only of wider pictures. The mark is drawn on all but animations; smaller forms show it scaled. Raises
    InvalidInput (`not_a_picture`, `picture_too_large`, and with a box `animation_not_cropped`, `crop_outside`) and
    errors of `Watermark.put_on`. For one thread at a time (core.uploads.pictures.suspicious).
    """
    with suspicious(max_pixels):
        picture = opened(data, max_pixels, side if box is None else MAX_SIDE)  # a box has pixels of the original
        extension, written_as, options = _WRITTEN[picture.format or ""]
        if is_animated(picture):
            if box is not None:
                raise InvalidInput("animation_not_cropped", "Animations cannot be cropped.")
            return _animation(picture, extension, written_as, max_pixels, side)
        drawn = upright(picture, written_as, side, box)
        more = {**options, "icc_profile": _kept_profile(picture, drawn)}
        if not more["icc_profile"]:
            drawn = in_srgb(drawn, picture)
        drawn = mark.put_on(drawn) if mark else drawn
        smaller = {
            name: file_of(_scaled(drawn, width / drawn.width), written_as, more)
            for name, width in widths
            if 0 < width < drawn.width
        }
        return DrawnPicture(file_of(drawn, written_as, more), extension, drawn.width, drawn.height, smaller)


def opened(data: bytes, max_pixels: int, side: int = MAX_SIDE) -> Image.Image:
    """Return the picture: undecoded, or HEIC and AVIF decoded, at most `side` long. Raises as `open_picture`."""
    return decoded_heif(data, max_pixels, side) if is_heif(data) else open_picture(data, max_pixels)


def is_animated(picture: Image.Image) -> bool:
    # Of a PNG with a picture for programs without animations, that one is taken.
    return getattr(picture, "n_frames", 1) > 1 and picture.format in _MOVING and "default_image" not in picture.info


def upright(picture: Image.Image, written_as: str, side: int, box: Box | None = None) -> Image.Image:
    """Return the decoded picture, turned by its orientation, in a mode of the format or CMYK; at most `side` long.

    With a box, only this part of it. Raises InvalidInput (`crop_outside`).
    """
    part = _unturned(picture, box) if box else None
    if picture.format in {"JPEG", "MPO"} and part is None:
        picture.draft(None, (side, side))  # Pillow decodes large JPEGs at a reduced size
    picture.load()
    turned = orientation(picture)
    drawn = in_eight_bits(picture)
    if drawn.mode not in (*_MODES[written_as], "CMYK"):
        is_transparent = drawn.mode in {"LA", "PA", "RGBA", "RGBa", "La"} or "transparency" in drawn.info
        drawn = drawn.convert("RGBA" if is_transparent else "RGB")
    longer = max(box.width, box.height) if box else max(drawn.size)
    if longer > side:
        drawn = _scaled(drawn, side / longer, part)
    elif part:
        drawn = drawn.crop(part)
    if turned in UPRIGHT:
        drawn = drawn.transpose(UPRIGHT[turned])
    if drawn.size == (0, 0):
        raise no_picture()
    return drawn


def _unturned(picture: Image.Image, box: Box) -> _Part:
    """Return the box in the picture as it is stored."""
    width, height = upright_size(picture)
    left, upper, right, lower = box.x, box.y, box.x + box.width, box.y + box.height
    if not (0 <= left < right <= width and 0 <= upper < lower <= height):
        message = f"The part must lie within the picture, which has {width} × {height} pixels."
        raise InvalidInput("crop_outside", message, width=width, height=height)
    turned = orientation(picture)
    if turned in SIDEWAYS:
        left, upper, right, lower = upper, left, lower, right
    if turned in _MIRRORED:
        left, right = picture.width - right, picture.width - left
    if turned in _HEAD_DOWN:
        upper, lower = picture.height - lower, picture.height - upper
    return left, upper, right, lower


def _scaled(picture: Image.Image, scale: float, part: _Part | None = None) -> Image.Image:
    """Return the picture, or a part of it, at this scale."""
    left, upper, right, lower = part or (0, 0, *picture.size)
    size = (max(1, round((right - left) * scale)), max(1, round((lower - upper) * scale)))
    if picture.mode in {"P", "1"} or "transparency" in picture.info:
        # Greys take a quarter of the memory.
        opaque = "L" if picture.mode == "1" else "RGB"
        picture = picture.convert("RGBA" if "transparency" in picture.info else opaque)
    return picture.resize(size, Image.Resampling.LANCZOS, part, reducing_gap=3.0)


def _kept_profile(picture: Image.Image, drawn: Image.Image) -> bytes:
    """Return the colour profile of the picture if its drawn and marked forms can have it, else empty.

    Without it, a phone's picture changes colours.
    """
    colours = colours_of_profile(picture)
    # Marked or made smaller, transparent greys become colours.
    is_kept = drawn.mode == "L" and "transparency" not in drawn.info if colours == "L" else drawn.mode != "CMYK"
    profile: bytes = picture.info.get("icc_profile") or b""
    return profile if colours and is_kept and len(profile) <= _MAX_PROFILE else b""


def file_of(picture: Image.Image, written_as: str, options: dict[str, Any]) -> bytes:
    # Drop all metadata; transparency belongs to the pixels.
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
        raise InvalidInput("animation_too_large", f"An animation may have at most {side} pixels on a side.", side=side)
    file = io.BytesIO()
    if written_as == "GIF":
        picture.info.pop("comment", None)
        picture.save(file, written_as, save_all=True, comment=b"")
    else:
        # Read once: a second time, Pillow has lost the palette of a PNG. It writes a WebP with one duration for all.
        drawn, durations = [], []
        for frame in map(in_eight_bits, ImageSequence.Iterator(picture)):
            mode = "RGBA" if frame.has_transparency_data else "RGB" if frame.mode == "P" else frame.mode
            drawn.append(frame.convert(mode))
            durations.append(frame.info.get("duration", 0))
        profile, loop = _kept_profile(picture, drawn[0]), picture.info.get("loop", 0)
        for each in drawn:
            each.info = {}
        more = {"duration": durations, "loop": loop, "icc_profile": profile, **_MOVING[written_as]}
        drawn[0].save(file, written_as, save_all=True, append_images=drawn[1:], **more)
    return DrawnPicture(file.getvalue(), extension, *picture.size, {})
