"""HEIC and AVIF pictures, which a process of its own decodes; no other may load the decoder of HEIC."""

import logging
import subprocess
import sys
from typing import Any

import orjson
from django.conf import settings
from PIL import Image

from core.lib.errors import InvalidInput
from core.uploads.pictures import MAX_SIDE, too_large

_BRANDS = frozenset(b"avif avis heic heix heim heis hevc hevx hevm hevs mif1 msf1".split())
_MOST = 256  # bytes of the box of brands
logger = logging.getLogger(__name__)


def is_heif(data: bytes) -> bool:
    end = min(int.from_bytes(data[:4]), _MOST)
    return data[4:8] == b"ftyp" and any(data[at : at + 4] in _BRANDS for at in (8, *range(16, end, 4)))


def size_of_heif(data: bytes, max_pixels: int) -> tuple[int, int]:
    """Return width and height as browsers show the picture; decodes nothing. Raises InvalidInput."""
    facts, _ = _read(data, max_pixels, 0)
    width, height = facts["size"]
    return width, height


def decoded_heif(data: bytes, max_pixels: int, side: int) -> Image.Image:
    """Return the decoded picture, turned as browsers do, at most `side` long, without metadata but its profile.

    Raises InvalidInput (`not_a_picture`, `picture_too_large`).
    """
    facts, rest = _read(data, max_pixels, side)
    if facts["frames"] > 1:
        raise InvalidInput("not_a_picture", "An AVIF picture must not be animated.")
    profile = rest[: facts["profile"]]
    picture = Image.frombytes(facts["mode"], facts["size"], rest[len(profile) :])
    picture.format = facts["format"]
    if profile:
        picture.info["icc_profile"] = bytes(profile)
    return picture


def _read(data: bytes, max_pixels: int, side: int) -> tuple[dict[str, Any], memoryview]:
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "core.uploads.heif_process", str(max_pixels), str(side)],
        cwd=settings.BASE_DIR,
        env={},  # no secrets
        input=data,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode < 0:
        logger.warning("The decoder of HEIC and AVIF pictures was ended by signal %d.", -done.returncode)
    if done.returncode:
        raise _incomplete()
    end = done.stdout.index(b"\n")
    facts = orjson.loads(done.stdout[:end])
    width, height = facts["size"]
    if width * height > max_pixels or max(width, height) > MAX_SIDE:
        raise too_large(max_pixels)
    if min(width, height) < 1:
        raise _incomplete()
    return facts, memoryview(done.stdout)[end + 1 :]


def _incomplete() -> InvalidInput:
    return InvalidInput("not_a_picture", "The file is not a complete AVIF or HEIC picture.")
