"""Draw a picture in another size and format: upright, in sRGB, without metadata."""

from typing import Any, NamedTuple

from PIL import Image

from core.uploads.pictures import in_srgb, suspicious, upright_size
from media_library.renditions.requested import Requested
from media_library.upload_pictures import file_of, is_animated, opened, upright

# Format → Pillow's name and options.
_WRITTEN: dict[str, tuple[str, dict[str, Any]]] = {
    "avif": ("AVIF", {"speed": 8}),
    "webp": ("WEBP", {"method": 3}),
    "jpeg": ("JPEG", {"optimize": True, "progressive": True}),
    "png": ("PNG", {}),
}


class Focus(NamedTuple):
    """The point that a cut keeps, as fractions of width and height."""

    x: float = 0.5
    y: float = 0.5


def draw(data: bytes, wanted: Requested, focus: Focus, *, max_pixels: int) -> bytes | None:
    """Return the file of the rendition; None of an animation, which has no renditions.

    A picture never becomes larger than the original. Raises InvalidInput (`not_a_picture`, `picture_too_large`). For
    one thread at a time (core.uploads.pictures.suspicious).
    """
    with suspicious(max_pixels):
        picture = opened(data, max_pixels)
        if is_animated(picture):
            return None
        written_as, options = _WRITTEN[wanted.format]
        width, height = upright_size(picture)
        scale, box = _frame(wanted, width, height, focus)
        drawn = upright(picture, written_as, max(1, round(scale * max(width, height))))
        drawn = in_srgb(drawn, picture)
        if box:
            drawn = drawn.crop(_inside(box, drawn.size))
        if written_as == "JPEG" and drawn.has_transparency_data:
            drawn = drawn.convert("RGBA")
            drawn = Image.alpha_composite(Image.new("RGBA", drawn.size, "white"), drawn).convert("RGB")
        if written_as != "PNG":
            options = options | {"quality": wanted.quality}
        return file_of(drawn, written_as, options)


def _frame(
    wanted: Requested, width: int, height: int, focus: Focus
) -> tuple[float, tuple[float, float, float, float] | None]:
    """Return the scale of the picture, and the box of the scaled picture that remains; None for all of it."""
    sides = [side / of for side, of in ((wanted.width, width), (wanted.height, height)) if side]
    if wanted.fit != "cover":
        return min([1.0, *sides]), None
    most = max(sides)
    scale = min(1.0, most)
    # A picture that is too small keeps its size and gets the proportions.
    cut_width, cut_height = (side / max(1.0, most) for side in (wanted.width or 0, wanted.height or 0))
    left = min(max(0.0, focus.x * width * scale - cut_width / 2), width * scale - cut_width)
    top = min(max(0.0, focus.y * height * scale - cut_height / 2), height * scale - cut_height)
    return scale, (left, top, cut_width, cut_height)


def _inside(box: tuple[float, float, float, float], size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return the box in whole pixels: left, upper, right, lower."""
    (left, top, width, height), (most_right, most_lower) = box, size
    width, height = min(max(1, round(width)), most_right), min(max(1, round(height)), most_lower)
    left, top = min(round(left), most_right - width), min(round(top), most_lower - height)
    return int(left), int(top), int(left + width), int(top + height)
