"""Comma-separated names of groups or tags, as stored and as typed by editors."""

import re
from collections.abc import Collection

from core.lib.folding import is_blank
from core.lib.markup import clean_name

MAX_NAME = 255  # characters
MAX_NAMES = 2000  # characters of all names of a content together, as the columns allow
TYPED_COMMAS = re.compile("[\uff0c\u3001]")


def split_names(text: str) -> list[str]:
    """Split stored names as the triggers do: only commas separate, only spaces are trimmed, blank names are dropped."""
    return list(dict.fromkeys(name.strip(" ") for name in text.split(",") if not is_blank(name)))


def typed_names(text: str, known: Collection[str] = ()) -> list[str]:
    """Split and clean names typed by an editor; Chinese commas separate too, unless a known name contains them.

    Raises InvalidInput.
    """
    pieces = (piece.strip() for piece in clean_name(text).split(","))
    parted = ([piece] if piece in known else TYPED_COMMAS.split(piece) for piece in pieces)
    return list(dict.fromkeys(name.strip() for names in parted for name in names if not is_blank(name)))
