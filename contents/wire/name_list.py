"""Names of groups or tags in one text: as a content stores them, and as an editor types them."""

import re
from collections.abc import Collection

MAX_NAME = 255  # characters of one name
MAX_NAMES = 2000  # characters of all names of a content, as its columns hold
_TYPED_COMMAS = re.compile("[\uff0c\u3001]")


def split_names(text: str) -> list[str]:
    """The names that a content has, each once and in their order.

    As the triggers read them (contents/sql): parted by commas alone, and without the spaces around them; other blanks
    and the commas of Chinese writing belong to a name.
    """
    return list(dict.fromkeys(filter(None, (name.strip(" ") for name in text.split(",")))))


def typed_names(text: str, known: Collection[str] = ()) -> list[str]:
    """The names that an editor means: the commas of Chinese writing part them, too, unless a known name has them."""
    pieces = (piece.strip() for piece in text.split(","))
    parted = ([piece] if piece in known else _TYPED_COMMAS.split(piece) for piece in pieces)
    return list(dict.fromkeys(filter(None, (name.strip() for names in parted for name in names))))
