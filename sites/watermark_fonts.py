"""The fonts in which watermarks are written: those that are installed on this machine, and Pillow's own."""

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from PIL import ImageFont

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
_MOST_CHARACTERS = 100  # of a text that a font is looked through for; a mark of more is no mark
_TRIED_AT = 24  # pixels
# Seconds. A font may be installed at any time, and is then found soon; what has been found seldom goes away.
_FOUND_FOR = 600
_LISTED_FOR = 60
_MOST_REMEMBERED = 64  # answers
_NO_CHARACTER = "\U0010fffe"  # which no font has: what is drawn for it is drawn for all that is missing
_PLAIN_STYLES = {"regular", "book", "normal", "medium", "roman"}


@dataclass(frozen=True, slots=True)
class Face:
    """One font of a file; without a path Pillow's own, which has plain Latin letters only."""

    path: str = ""
    index: int = 0

    def at(self, size: int) -> ImageFont.FreeTypeFont:
        """The font in a size in pixels. Raises OSError for a file that is none."""
        if self.path:
            return ImageFont.truetype(self.path, size, self.index)
        own = ImageFont.load_default(size)
        assert isinstance(own, ImageFont.FreeTypeFont)  # noqa: S101 - so it is where Pillow was built with FreeType
        return own

    def is_there(self) -> bool:
        """Whether the file can be opened as a font now."""
        try:
            self.at(_TRIED_AT)
        except OSError:
            return False
        return True


PILLOWS_OWN = Face()


@dataclass(frozen=True, slots=True)
class _Named:
    face: Face
    family: str
    style: str


class FontMissing(Exception):
    """No font has all the characters; `character` is one of those that Pillow's own lacks."""

    def __init__(self, character: str) -> None:
        super().__init__(character)
        self.character = character


class _Answer(NamedTuple):
    face: Face | None
    until: float


class Fonts:
    """The fonts in some folders, and what was found among them lately.

    Not for two threads at a time: a search opens every font, and belongs into the lane of pictures.
    """

    def __init__(self, folders: Sequence[str], now: Callable[[], float] = time.monotonic) -> None:
        self._folders, self._now = folders, now
        self._answers: dict[tuple[str, str], _Answer] = {}
        self._listed: tuple[_Named, ...] = ()
        self._listed_until = 0.0

    def find(self, name: str, characters: frozenset[str]) -> Face:
        """The font of that family, or file, if it has the characters; else the first one that has them.

        Looks at a hundred of the characters at most. Raises FontMissing where no font has them, and for a minute
        after that without a search.
        """
        looked_at = "".join(sorted(each for each in characters if not each.isspace())[:_MOST_CHARACTERS])
        face = self._remembered(_folded(name), looked_at)
        if face is None:
            raise FontMissing(_first_lacking(PILLOWS_OWN, looked_at) or "")
        return face

    def has(self, name: str) -> bool:
        """Whether a font of that family, or file, is installed."""
        return next(self._named(_folded(name)), None) is not None

    def _remembered(self, wanted: str, characters: str) -> Face | None:
        known = self._answers.get((wanted, characters))
        if known is None or self._now() >= known.until or not (known.face is None or known.face.is_there()):
            if len(self._answers) >= _MOST_REMEMBERED:
                self._answers.clear()
            face = self._search(wanted, characters)
            known = _Answer(face, self._listed_until if face is None else self._now() + _FOUND_FOR)
            self._answers[wanted, characters] = known
        return known.face

    def _search(self, wanted: str, characters: str) -> Face | None:
        return next((face for face in self._candidates(wanted) if _first_lacking(face, characters) is None), None)

    def _candidates(self, wanted: str) -> Iterator[Face]:
        yield from self._named(wanted)
        yield PILLOWS_OWN
        yield from (each.face for each in self._list())

    def _named(self, wanted: str) -> Iterator[Face]:
        if wanted:
            named = (each for each in self._list() if wanted in (each.family, _folded(Path(each.face.path).stem)))
            yield from (each.face for each in named)

    def _list(self) -> tuple[_Named, ...]:
        """The fonts of the folders, plain ones first; the same on every machine that has the same."""
        if self._now() >= self._listed_until:
            found = [named for path in islice(_font_files(self._folders), _MOST_FILES) for named in _faces(path)]
            found.sort(key=lambda each: (each.style not in _PLAIN_STYLES, each.face.path, each.face.index))
            self._listed, self._listed_until = tuple(found), self._now() + _LISTED_FOR
        return self._listed


# In them all marks are written.
INSTALLED = Fonts(_FOLDERS)


def _font_files(folders: Sequence[str]) -> Iterator[str]:
    for folder in folders:
        for place, below, names in os.walk(os.path.expanduser(folder)):
            below.sort()  # in the order of which the walk goes on
            yield from (os.path.join(place, name) for name in sorted(names) if Path(name).suffix.lower() in _SUFFIXES)


def _faces(path: str) -> Iterator[_Named]:
    for index in range(_MOST_FACES if path.lower().endswith("c") else 1):
        face = Face(path, index)
        try:
            family, style = face.at(_TRIED_AT).getname()
        except OSError:  # of a font of pictures, or behind the last one
            return
        yield _Named(face, _folded(family or ""), (style or "").lower())


def _first_lacking(face: Face, characters: str) -> str | None:
    """One of the sorted characters that the font does not have; none is looked at after it.

    The last one first: Chinese characters, which most fonts lack, stand behind Latin letters.
    """
    try:
        font = face.at(_TRIED_AT)
        none = _drawn(font, _NO_CHARACTER)
        return next((each for each in reversed(characters) if _drawn(font, each) in (none, b"")), None)
    except (OSError, ValueError):
        return _NO_CHARACTER


def _drawn(font: ImageFont.FreeTypeFont, character: str) -> bytes:
    mask = font.getmask(character)
    return repr(mask.size).encode() + bytes(mask) if any(mask.size) else b""


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()
