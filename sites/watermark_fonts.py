"""The fonts in which watermarks are written: those that are installed on this machine, and Pillow's own."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PIL import ImageFont

from cms_api.rest.errors import BadRequest

# Where systems keep the fonts that all programs share.
_FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.local/share/fonts",
    "~/.fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
    "C:/Windows/Fonts",
)
_SUFFIXES = {".ttf", ".ttc", ".otf", ".otc"}
_MOST_FILES = 2000
_MOST_FACES = 16  # of a collection of fonts in one file
_TRIED_AT = 24  # pixels
_NO_CHARACTER = "\U0010fffe"  # which no font has: what is drawn for it is drawn for all that is missing
_PLAIN_STYLES = {"regular", "book", "normal", "medium", "roman"}


@dataclass(frozen=True, slots=True)
class Face:
    """One font of a file; without a path Pillow's own, which has Latin letters only."""

    path: str = ""
    index: int = 0

    def at(self, size: int) -> ImageFont.FreeTypeFont:
        """The font in a size in pixels. Raises OSError for a file that is none."""
        if self.path:
            return ImageFont.truetype(self.path, size, self.index)
        own = ImageFont.load_default(size)
        assert isinstance(own, ImageFont.FreeTypeFont)  # noqa: S101 - so it is where Pillow was built with FreeType
        return own


PILLOWS_OWN = Face()


@dataclass(frozen=True, slots=True)
class _Named:
    face: Face
    family: str
    style: str


@lru_cache(maxsize=64)
def find_face(name: str, characters: frozenset[str]) -> Face:
    """The font of that family, or file, if it has all the characters; else the first one that has them.

    The first search opens every font of the machine. Raises BadRequest (`watermark_font_missing`) where none has
    them; the next call looks again.
    """
    wanted = _folded(name)
    installed = list(_installed()) if wanted or _missing(PILLOWS_OWN, characters) else []
    own = [each.face for each in installed if wanted and wanted in (each.family, _folded(Path(each.face.path).stem))]
    for face in (*own, PILLOWS_OWN, *(each.face for each in installed)):
        if not _missing(face, characters):
            return face
    lacking = next(iter(sorted(_missing(PILLOWS_OWN, characters))))
    message = f"No font on the server has the character {lacking}; choose another text, or install a font with it."
    raise BadRequest("watermark_font_missing", message, character=lacking)


def _installed() -> Iterator[_Named]:
    """The fonts of the machine, plain ones first."""
    found = [named for path in _files() for named in _faces(path)]
    yield from sorted(found, key=lambda each: (each.style not in _PLAIN_STYLES, each.face.path, each.face.index))


def _files() -> Iterator[str]:
    number = 0
    for folder in _FOLDERS:
        for place, _, names in os.walk(Path(folder).expanduser()):
            for name in names:
                if Path(name).suffix.lower() in _SUFFIXES and number < _MOST_FILES:
                    number += 1
                    yield os.path.join(place, name)


def _faces(path: str) -> Iterator[_Named]:
    for index in range(_MOST_FACES if path.lower().endswith("c") else 1):
        face = Face(path, index)
        try:
            family, style = face.at(_TRIED_AT).getname()
        except OSError:  # of a font of pictures, or behind the last one
            return
        yield _Named(face, _folded(family or ""), (style or "").lower())


def _missing(face: Face, characters: frozenset[str]) -> set[str]:
    try:
        font = face.at(_TRIED_AT)
        none = _drawn(font, _NO_CHARACTER)
        return {each for each in characters if not each.isspace() and _drawn(font, each) in (none, b"")}
    except (OSError, ValueError):
        return set(characters)


def _drawn(font: ImageFont.FreeTypeFont, character: str) -> bytes:
    mask = font.getmask(character)
    return repr(mask.size).encode() + bytes(mask) if any(mask.size) else b""


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()
