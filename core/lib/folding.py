"""How names are compared, and which texts are blank: alike on every engine, since no engine's own LOWER decides."""

import unicodedata
from functools import cache
from hashlib import sha256

MAX_FOLDED = 255  # characters; a longer form ends with a digest
FOLDED_LENGTH = MAX_FOLDED + 20  # of a column that can also hold a `doubled` form
_DIGEST = 32  # hexadecimal digits
# Lower case has no capitals, so that no name folds to a text with this.
DOUBLED = " TWIN "
# The dotted and the dotless I are one letter here; Unicode and the databases lower-case them in different ways.
_I = str.maketrans({"ı": "i"})
# Letters without a shape, other than the categories Cc, Cf and Z: fillers, joiners, selectors and an empty cell.
_SHAPELESS = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810)))
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))


def _is_ignored(letter: str) -> bool:
    return letter in _SHAPELESS or unicodedata.category(letter) == "Cf"


def _is_empty(letter: str) -> bool:
    return _is_ignored(letter) or unicodedata.category(letter) in {"Cc", "Zs", "Zl", "Zp"}


def is_blank(text: str) -> bool:
    """Return true if the text shows nothing in any script: only spaces, control characters and invisible letters."""
    return all(map(_is_empty, text))


def without_blank_names(joined: str) -> str:
    """Drop blank names between commas; empty places stay unchanged."""
    if joined.isascii() and joined.isprintable():
        return joined
    return ",".join(name for name in joined.split(",") if not name or not is_blank(name))


@cache
def blanks() -> str:
    """Return all letters of blank texts, except NUL, which no text of the database has."""
    return "".join(filter(_is_empty, map(chr, (*range(1, 0xD800), *range(0xE000, 0x20000), *range(0xE0000, 0xE0200)))))


def fold(text: str) -> str:
    """Return the form that equal names share: without letter case, width, invisible letters and other look-alikes.

    Unicode's NFKC_Casefold, with one letter I. Folding the form again does not change it.
    """
    if text.isascii():
        folded = text.lower()
    else:
        folded, before = text, ""
        while folded != before:
            before = folded
            folded = unicodedata.normalize("NFKC", "".join(one for one in folded if not _is_ignored(one)))
            folded = folded.casefold().translate(_I)
            folded = unicodedata.normalize("NFKC", folded).replace("i\u0307", "i")
        folded = folded or text
    return folded if len(folded) <= MAX_FOLDED else folded[: MAX_FOLDED - _DIGEST] + _digest(folded, _DIGEST)


def doubled(text: str) -> str:
    """Return the form for a name whose folded form belongs to an older record; it only finds the exact name."""
    return f"{fold(text)}{DOUBLED}{_digest(text, 12)}"


def _digest(text: str, digits: int) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
