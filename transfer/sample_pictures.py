"""The pictures of the sample site, drawn when it is loaded: a sky, the sea, and what stands in a harbour."""

import io
import random
import re
from collections.abc import Iterator
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from PIL import Image, ImageDraw

from cms_api.lib.media_names import SITE_FILES
from transfer.sample import FOLDER

_ADDRESS = re.compile(r"@/(upload/images/[\w/-]+\.(jpg|png))")
_SIZE = _WIDTH, _HEIGHT = 960, 640
_FORMATS = {"jpg": "JPEG", "png": "PNG"}
_Colour = tuple[int, int, int]
_SKIES: tuple[tuple[_Colour, _Colour], ...] = (
    ((38, 70, 110), (242, 180, 120)),
    ((150, 190, 215), (232, 238, 240)),
    ((20, 30, 58), (70, 90, 130)),
    ((205, 150, 130), (250, 222, 190)),
)


def names(folder: Path = FOLDER) -> dict[str, str]:
    """The pictures that the sample site names: path below the folder of the site → extension."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.json")))
    return {path: kind for text in texts for path, kind in _ADDRESS.findall(text)}


def store(site_id: int) -> int:
    """Store every picture among the files of the site; those that are there stay. Returns how many were drawn."""
    number = 0
    for path, kind in names().items():
        target = f"{SITE_FILES.folder}/{site_id}/{path}"
        if not default_storage.exists(target):
            default_storage.save(target, ContentFile(draw(path, _FORMATS[kind])))
            number += 1
    return number


def draw(name: str, kind: str) -> bytes:
    """A picture of 960 × 640 pixels, the same for the same name."""
    chance = random.Random(name)  # noqa: S311 - for shapes and colours
    picture = Image.new("RGB", _SIZE)
    pencil = ImageDraw.Draw(picture)
    horizon = chance.randint(300, 420)
    top, low = chance.choice(_SKIES)
    _fill(pencil, 0, horizon, top, low)
    _fill(pencil, horizon, _HEIGHT, _mixed(low, (30, 80, 96), 0.7), (12, 42, 54))
    sun = chance.randint(120, _WIDTH - 120)
    pencil.ellipse((sun - 44, horizon - 150, sun + 44, horizon - 62), fill=_mixed(low, (255, 250, 235), 0.8))
    _warehouses(pencil, chance, horizon)
    for x in _places(chance, 3):
        _boat(pencil, x, horizon + chance.randint(40, 190), chance.uniform(0.6, 1.5))
    file = io.BytesIO()
    picture.save(file, kind, quality=82)
    return file.getvalue()


def _warehouses(pencil: ImageDraw.ImageDraw, chance: random.Random, horizon: int) -> None:
    x = chance.randint(-60, 60)
    while x < _WIDTH * chance.uniform(0.4, 0.8):
        width, height = chance.randint(60, 150), chance.randint(36, 110)
        wall = _mixed((84, 60, 52), (150, 116, 90), chance.random())
        pencil.rectangle((x, horizon - height, x + width, horizon), fill=wall)
        pencil.polygon(
            [(x - 6, horizon - height), (x + width // 2, horizon - height - 34), (x + width + 6, horizon - height)],
            fill=_mixed(wall, (20, 20, 28), 0.5),
        )
        x += width + chance.randint(4, 40)


def _boat(pencil: ImageDraw.ImageDraw, x: int, y: int, size: float) -> None:
    length, depth, mast = round(90 * size), round(20 * size), round(110 * size)
    pencil.polygon(
        [(x - length, y), (x + length, y), (x + length - depth, y + depth), (x - length + depth, y + depth)],
        (38, 30, 28),
    )
    pencil.line((x, y, x, y - mast), fill=(50, 42, 38), width=max(2, round(4 * size)))
    pencil.polygon([(x + 4, y - mast), (x + 4, y - 12), (x + round(70 * size), y - 12)], fill=(214, 96, 62))
    pencil.polygon([(x - 4, y - mast + 10), (x - 4, y - 12), (x - round(44 * size), y - 12)], fill=(238, 222, 196))


def _places(chance: random.Random, number: int) -> Iterator[int]:
    yield from (chance.randint(100, _WIDTH - 100) for _ in range(chance.randint(1, number)))


def _fill(pencil: ImageDraw.ImageDraw, start: int, end: int, first: _Colour, last: _Colour) -> None:
    for y in range(start, end):
        pencil.line((0, y, _WIDTH, y), fill=_mixed(first, last, (y - start) / max(1, end - start)))


def _mixed(one: _Colour, other: _Colour, share: float) -> _Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue
