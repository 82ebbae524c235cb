"""Comma-separated names of groups or tags, as stored and as typed by editors."""

import re
from collections.abc import Collection

MAX_NAME = 255  # characters
MAX_NAMES = 2000  # characters of all names of a content together, as the columns allow
_TYPED_COMMAS = re.compile("[\uff0c\u3001]")


def split_names(text: str) -> list[str]:
    """Split stored names as the triggers do: only commas separate, only spaces are trimmed."""
    return list(dict.fromkeys(filter(None, (name.strip(" ") for name in text.split(",")))))


def typed_names(text: str, known: Collection[str] = ()) -> list[str]:
    """Split names typed by an editor; Chinese commas separate too, unless a known name contains them."""
    pieces = (piece.strip() for piece in text.split(","))
    parted = ([piece] if piece in known else _TYPED_COMMAS.split(piece) for piece in pieces)
    return list(dict.fromkeys(filter(None, (name.strip() for names in parted for name in names))))
