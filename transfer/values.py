"""How the text of an element becomes the value of a field.

Each reader takes the text and the time zone of the service and raises ValueError, with the reason
as a sentence, for a text that it cannot read. None of them is given an empty text.
"""

from binascii import a2b_base64
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Any, Protocol

from Cryptodome.Cipher import DES
from Cryptodome.Util.Padding import unpad
from Cryptodome.Util.strxor import strxor
from django.utils.translation import gettext_lazy as _

from cms_api.lib.settings_text import parse_settings_text
from transfer.dates import parse_date
from transfer.package import filled

# Texts are DES-CBC over UTF-8, then Base64. The key is public, so this hides nothing; it is a file format.
# A cipher without chaining has no state and serves every text: making one for each would take
# longer than decoding it.
BLOCKS = DES.new(b"TgQQk42O", DES.MODE_ECB)  # noqa: S304 - a file format, no protection
INITIAL_VECTOR = bytes.fromhex("1234567890ABCDEF")
# One block of the cipher is 8 bytes, in Base64 12 characters.
SHORTEST = 12
# Flags and user names recur in every content of a package.
CACHED_LENGTH = 64
FLAGS = {"true": True, "1": True, "false": False, "0": False}
# The name that the first link type had before version 6; the other eleven never changed.
OLD_LINK_TYPES = {"linknorelatedtochannelandcontent": "None"}
LINK_TYPES = {
    name.lower(): name
    for name in (
        "None",
        "NoLinkIfContentNotExists",
        "LinkToOnlyOneContent",
        "NoLinkIfContentNotExistsAndLinkToOnlyOneContent",
        "LinkToFirstContent",
        "NoLinkIfContentNotExistsAndLinkToFirstContent",
        "NoLinkIfChannelNotExists",
        "LinkToLastAddChannel",
        "LinkToFirstChannel",
        "NoLinkIfChannelNotExistsAndLinkToLastAddChannel",
        "NoLinkIfChannelNotExistsAndLinkToFirstChannel",
        "NoLink",
    )
} | OLD_LINK_TYPES


def decode_text(text: str) -> str:
    """Return what the encoded text says, or the text as it stands where it is not encoded."""
    encoded = text.strip()
    if len(encoded) < SHORTEST or len(encoded) % 4:
        return text
    try:
        return _decode_cached(encoded) if len(encoded) <= CACHED_LENGTH else _decode(encoded)
    except ValueError:
        return text


def _decode(encoded: str) -> str:
    data = a2b_base64(encoded, strict_mode=True)
    # Chained blocks: each one, once decrypted, is combined with the encrypted one before it.
    chained = strxor(BLOCKS.decrypt(data), (INITIAL_VECTOR + data)[: -DES.block_size])
    return unpad(chained, DES.block_size).decode()


_decode_cached = lru_cache(maxsize=4096)(_decode)


class Reader(Protocol):
    """Turns the text of an element into a value."""

    def __call__(self, text: str, time_zone: tzinfo, /) -> Any:
        """Return the value; raise ValueError with the reason as a sentence."""


def read_plain(text: str, time_zone: tzinfo) -> str:
    return text


def read_encoded(text: str, time_zone: tzinfo) -> str:
    """Return what the text says when it is decoded."""
    return decode_text(text)


def read_integer(text: str, time_zone: tzinfo) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.removeprefix("-").isdigit() and len(digits) < 20):
        raise ValueError(filled(_('"%(text)s" is not a whole number.'), text=digits[:40]))
    return int(digits)


def read_counter(text: str, time_zone: tzinfo) -> int:
    """Return a whole number that counts something."""
    number = read_integer(text, time_zone)
    if number < 0:
        raise ValueError(filled(_("%(number)s is negative, which a counter cannot be."), number=number))
    return number


def read_flag(text: str, time_zone: tzinfo) -> bool:
    """Return the truth that the text states, encoded or not."""
    word = decode_text(text).strip()
    if word.lower() not in FLAGS:
        raise ValueError(filled(_('"%(text)s" is neither True nor False.'), text=word[:40]))
    return FLAGS[word.lower()]


def read_date(text: str, time_zone: tzinfo) -> datetime | None:
    """Return the wall-clock time that the text writes, None where it stands for never."""
    try:
        return parse_date(text, time_zone)
    except ValueError as error:
        raise ValueError(filled(_('"%(text)s" is not a date in any known form.'), text=text[:40])) from error


def read_link_type(text: str, time_zone: tzinfo) -> str:
    """Return the present name of a channel's link type."""
    word = text.strip()
    if word.lower() not in LINK_TYPES:
        raise ValueError(filled(_('"%(text)s" is not a link type.'), text=word[:60]))
    return LINK_TYPES[word.lower()]


def read_content_model(text: str, time_zone: tzinfo) -> str:
    """Return the extension that models a channel's contents; older exports call the built-in one Content."""
    return "" if text == "Content" else text


def read_folder(text: str, time_zone: tzinfo) -> str:
    """Return the last part of a site's folder, which may be written with its parents."""
    return text.strip().replace("\\", "/").rstrip("/").rpartition("/")[2]


def read_settings(text: str, time_zone: tzinfo) -> dict[str, str]:
    return parse_settings_text(decode_text(text))
