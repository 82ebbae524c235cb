"""Readers of non-empty element texts; they raise ValueError with a sentence as reason."""

import re
from binascii import a2b_base64
from datetime import datetime, tzinfo
from functools import cache, lru_cache
from typing import Any, Protocol

from django.utils.translation import gettext_lazy as _

from core.lib.dates import parse_date
from core.lib.folding import is_blank
from core.lib.settings_text import parse_settings_text
from pages.models import TemplateKind
from transfer.package import filled

# Texts are Base64 of DES-CBC over UTF-8.
INITIAL_VECTOR = bytes.fromhex("1234567890ABCDEF")
_BLOCK = 8  # bytes
# One block in Base64.
SHORTEST = 12
# Short texts such as flags and user names recur in every content.
CACHED_LENGTH = 64
FLAGS = {"true": True, "1": True, "false": False, "0": False}
# Name before SiteServer 6; the other types have not changed theirs.
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

# Packages hold includes as files only.
TEMPLATE_KINDS = {kind.lower(): kind for kind in TemplateKind.values if kind != TemplateKind.INCLUDE}

# Texts in double quotes are one tag each; other tags end at a comma, semicolon or blank.
_TAG = re.compile(r'"([^"]*)"|([^\s,;，；"]+)')


def decode_text(text: str) -> str:
    encoded = text.strip()
    if len(encoded) < SHORTEST or len(encoded) % 4:
        return text
    try:
        return _decode_cached(encoded) if len(encoded) <= CACHED_LENGTH else _decode(encoded)
    except ValueError:
        return text


@cache
def _blocks() -> Any:
    """Return the cipher of all texts, which is ECB and has no state; one for each text would take longer than decoding.

    The key is public: this is a file format, not protection.
    """
    from Cryptodome.Cipher import DES  # imported here and below: it would make each start of the service slower

    return DES.new(b"TgQQk42O", DES.MODE_ECB)  # noqa: S304 - a file format, no protection


def _decode(encoded: str) -> str:
    from Cryptodome.Util.Padding import unpad
    from Cryptodome.Util.strxor import strxor

    data = a2b_base64(encoded, strict_mode=True)
    # CBC: combine each decrypted block with the preceding encrypted one.
    chained = strxor(_blocks().decrypt(data), (INITIAL_VECTOR + data)[:-_BLOCK])
    return unpad(chained, _BLOCK).decode()


_decode_cached = lru_cache(maxsize=4096)(_decode)


class Reader(Protocol):
    def __call__(self, text: str, time_zone: tzinfo, /) -> Any:
        """Return the value; raises ValueError with the reason as a sentence."""


def read_plain(text: str, time_zone: tzinfo) -> str:
    return text


def read_encoded(text: str, time_zone: tzinfo) -> str:
    return decode_text(text)


def parse_tags(text: str) -> list[str]:
    """Split tags as SiteServer before version 7 writes them; a comma in a tag becomes a blank."""
    found = (quoted or plain for quoted, plain in _TAG.findall(text))
    tags = dict.fromkeys(" ".join(tag.replace(",", " ").split()) for tag in found)
    return [tag for tag in tags if not is_blank(tag)]


def read_tags(text: str, time_zone: tzinfo) -> str:
    return ",".join(parse_tags(decode_text(text)))


def read_integer(text: str, time_zone: tzinfo) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.removeprefix("-").isdigit() and len(digits) < 20):
        raise ValueError(filled(_('"%(text)s" is not a whole number.'), text=digits[:40]))
    return int(digits)


def read_counter(text: str, time_zone: tzinfo) -> int:
    number = read_integer(text, time_zone)
    if number < 0:
        raise ValueError(filled(_("%(number)s is negative; a counter must not be negative."), number=number))
    return number


def read_flag(text: str, time_zone: tzinfo) -> bool:
    word = decode_text(text).strip()
    if word.lower() not in FLAGS:
        raise ValueError(filled(_('"%(text)s" is neither True nor False.'), text=word[:40]))
    return FLAGS[word.lower()]


def read_date(text: str, time_zone: tzinfo) -> datetime | None:
    """Like `parse_date`, with a sentence for users as error."""
    try:
        return parse_date(text, time_zone)
    except ValueError as error:
        raise ValueError(filled(_('"%(text)s" is not a date in any known format.'), text=text[:40])) from error


def read_link_type(text: str, time_zone: tzinfo) -> str:
    word = text.strip()
    if word.lower() not in LINK_TYPES:
        raise ValueError(filled(_('"%(text)s" is not a link type.'), text=word[:60]))
    return LINK_TYPES[word.lower()]


def read_template_kind(text: str, time_zone: tzinfo) -> str:
    word = text.strip()
    if word.lower() not in TEMPLATE_KINDS:
        raise ValueError(filled(_('"%(text)s" is not a type of template.'), text=word[:60]))
    return TEMPLATE_KINDS[word.lower()]


def read_page_path(text: str, time_zone: tzinfo) -> str:
    """The path below the site's folder: "utils/search.html" for "@/utils/search.html"."""
    path = text.strip().replace("\\", "/").lstrip("@~").lstrip("/")
    if ".." in path.split("/"):
        raise ValueError(filled(_('"%(text)s" points outside the site.'), text=text[:60]))
    return path


def read_content_model(text: str, time_zone: tzinfo) -> str:
    """The extension that models a channel's contents; old exports name the built-in one "Content"."""
    return "" if text == "Content" else text


def read_folder(text: str, time_zone: tzinfo) -> str:
    return text.strip().replace("\\", "/").rstrip("/").rpartition("/")[2]


def read_settings(text: str, time_zone: tzinfo) -> dict[str, str]:
    return parse_settings_text(decode_text(text))
