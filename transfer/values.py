"""How the text of an element becomes the value of a field.

Each reader takes the text and the time zone of the service and raises ValueError, with the reason
as a sentence, for a text that it cannot read. None of them is given an empty text.
"""

from datetime import datetime, tzinfo
from typing import Any, Protocol

from django.utils.translation import gettext_lazy as _

from cms_api.lib.settings_text import parse_settings_text
from transfer.dates import parse_date
from transfer.encoded_text import decode_text
from transfer.reasons import filled

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


class Reader(Protocol):
    """Turns the text of an element into a value."""

    def __call__(self, text: str, time_zone: tzinfo, /) -> Any:
        """Return the value; raise ValueError with the reason as a sentence."""


def read_plain(text: str, time_zone: tzinfo) -> str:
    """Return the text as it stands."""
    return text


def read_encoded(text: str, time_zone: tzinfo) -> str:
    """Return what the text says when it is decoded."""
    return decode_text(text)


def read_integer(text: str, time_zone: tzinfo) -> int:
    """Return the whole number that the text writes in digits."""
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
    """Return the entries of a settings text."""
    return parse_settings_text(decode_text(text))
