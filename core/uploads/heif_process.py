"""Reads a HEIC or AVIF picture from standard input; a process of its own, since decoders of HEIC have had faults that
ran code of attackers, and both may take more memory than the file announces."""

import io
import resource
import sys
from typing import Any

import orjson
from PIL import AvifImagePlugin, Image, TiffImagePlugin
from pillow_heif.as_plugin import register_heif_opener

from core.uploads.pictures import MAX_SIDE, SIDEWAYS, UPRIGHT, orientation

# 49 million pixels take up to 670 MB and three seconds.
_BYTES, _BYTES_PER_PIXEL = 256 * 1024 * 1024, 16
# From now on nothing can be opened, not even a connection, and no file written.
_LIMITS = {resource.RLIMIT_CPU: 30, resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_NOFILE: 0}
register_heif_opener(thumbnails=False, depth_images=False, aux_images=False, decode_threads=1)
AvifImagePlugin.DEFAULT_MAX_THREADS = 1
Image.MAX_IMAGE_PIXELS = None  # `main` has its own limit
Image.preinit()
assert TiffImagePlugin.PREFIXES  # noqa: S101 - reads Exif; like the formats of `preinit`, it cannot be imported later


def main(max_pixels: int, side: int) -> None:
    """Write facts about the picture as a line of JSON, then its colour profile and pixels, turned as browsers do.

    The pixels have at most `side` on the longer side. With 0, and of a picture that is too large, there are none, and
    nothing is decoded.
    """
    data = io.BytesIO(sys.stdin.buffer.read())
    for limit, value in (_LIMITS | {resource.RLIMIT_AS: _BYTES + _BYTES_PER_PIXEL * max_pixels}).items():
        highest = resource.getrlimit(limit)[1]
        if highest == resource.RLIM_INFINITY or value < highest:
            resource.setrlimit(limit, (value, value))
    picture = Image.open(data, formats=("AVIF", "HEIF"))
    width, height = picture.size
    is_avif = picture.format == "AVIF"
    # Of HEIC, only its own boxes turn it, which the decoder has read; further pictures in it are no frames.
    turned = orientation(picture) if is_avif else None
    facts: dict[str, Any] = {"format": picture.format, "frames": picture.n_frames if is_avif else 1}  # type: ignore[attr-defined]
    profile = pixels = b""
    if side and width * height <= max_pixels and max(width, height) <= MAX_SIDE:
        profile = picture.info.get("icc_profile") or b""
        drawn = _scaled(picture, side) if is_avif else _opaque(_scaled(picture, side))
        drawn = drawn.transpose(UPRIGHT[turned]) if turned in UPRIGHT else drawn
        width, height, pixels = *drawn.size, drawn.tobytes()
        facts["mode"] = drawn.mode
    elif turned in SIDEWAYS:
        width, height = height, width
    line = orjson.dumps(facts | {"size": (width, height), "profile": len(profile)})
    sys.stdout.buffer.write(line + b"\n" + profile + pixels)


def _scaled(picture: Image.Image, side: int) -> Image.Image:
    if max(picture.size) > side:
        picture.thumbnail((side, side), Image.Resampling.LANCZOS, reducing_gap=3.0)
    return picture


def _opaque(picture: Image.Image) -> Image.Image:
    """Return the picture on white if it is transparent, since it becomes a JPEG."""
    if picture.mode in {"L", "RGB"}:
        return picture
    coloured = picture.convert({"La": "LA", "RGBa": "RGBA"}.get(picture.mode, picture.mode)).convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", coloured.size, "white"), coloured).convert("RGB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
