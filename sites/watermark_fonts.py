"""The fonts in which watermarks are written, found by Pillow in the system's folders by the names of their files."""

import os
from collections.abc import Collection, Iterator

from PIL import ImageFont

# Tried in this order after the font that the site names, and before Pillow's own, which has plain Latin letters only.
WELL_KNOWN = (
    "DejaVuSans.ttf",
    "NotoSansCJK-Regular.ttc",
    "wqy-microhei.ttc",
    "wqy-zenhei.ttc",
    "DroidSansFallbackFull.ttf",
    "msyh.ttc",
    "PingFang.ttc",
    "Hiragino Sans GB.ttc",
    "Arial Unicode.ttf",
)
_MOST_CHARACTERS = 100  # of a text that a font is looked through for; a mark of more is no mark
_TRIED_AT = 24  # pixels
_NO_CHARACTER = "\U0010fffe"  # which no font has: what is drawn for it is drawn for all that is missing


class FontMissing(Exception):
    """No font has all the characters; `character` is one of those that Pillow's own lacks."""

    def __init__(self, character: str) -> None:
        super().__init__(character)
        self.character = character


def find_font(name: str, characters: Collection[str]) -> ImageFont.FreeTypeFont:
    """The first font that has the characters, of which it looks at a hundred at most. Raises FontMissing."""
    # Chinese characters, which most fonts lack, come before Latin letters.
    looked_at = sorted((each for each in characters if not each.isspace()), reverse=True)[:_MOST_CHARACTERS]
    lacking = ""
    for font in _fonts(name):
        if not (lacking := _first_lacking(font, looked_at)):
            return font
    raise FontMissing(lacking)


def installed_font(name: str) -> ImageFont.FreeTypeFont | None:
    """The font of a file of that name, with or without its extension; a folder in the name is ignored."""
    try:
        return ImageFont.truetype(os.path.basename(name), _TRIED_AT)
    except (OSError, ValueError):  # no such file, or one that is no font
        return None


def _fonts(name: str) -> Iterator[ImageFont.FreeTypeFont]:
    for each in filter(None, (name.strip(), *WELL_KNOWN)):
        if font := installed_font(each):
            yield font
    own = ImageFont.load_default(_TRIED_AT)
    assert isinstance(own, ImageFont.FreeTypeFont)  # noqa: S101 - so it is where Pillow was built with FreeType
    yield own


def _first_lacking(font: ImageFont.FreeTypeFont, characters: Collection[str]) -> str:
    try:
        none = _drawn(font, _NO_CHARACTER)
        return next((each for each in characters if _drawn(font, each) in (none, b"")), "")
    except (OSError, ValueError):
        return _NO_CHARACTER


def _drawn(font: ImageFont.FreeTypeFont, character: str) -> bytes:
    mask = font.getmask(character)
    return repr(mask.size).encode() + bytes(mask) if any(mask.size) else b""
