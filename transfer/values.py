"""Readers of non-empty element texts; they raise ValueError with a sentence as reason."""

import re
from binascii import a2b_base64
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Any, Protocol

from Cryptodome.Cipher import DES
from Cryptodome.Util.Padding import unpad
from Cryptodome.Util.strxor import strxor
from django.utils.translation import gettext_lazy as _

from cms_api.lib.settings_text import parse_settings_text
from pages.models import TemplateKind
from transfer.package import filled

# Texts are Base64 of DES-CBC over UTF-8. The key is public: this is a file format, not protection.
# One stateless ECB cipher serves all texts; creating one per text would take longer than decoding.
BLOCKS = DES.new(b"TgQQk42O", DES.MODE_ECB)  # noqa: S304 - a file format, no protection
INITIAL_VECTOR = bytes.fromhex("1234567890ABCDEF")
# One 8-byte block in Base64.
SHORTEST = 12
# Short texts such as flags and user names recur in every content.
CACHED_LENGTH = 64
FLAGS = {"true": True, "1": True, "false": False, "0": False}
# Name before SiteServer 6; the other types kept theirs.
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

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH_NAME = f"(?P<month>(?:{'|'.join(MONTHS)})[a-z]*)"
# Earlier dates mean "never" in SiteServer.
FIRST_YEAR = 1755
# Longer than any date; bounds the patterns' time on endless spaces.
MAX_LENGTH = 80

# The most frequent form comes first.
DAY_FORMS = (
    # Month first, as in .NET's invariant and en-US cultures.
    r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})",
    r"(?P<year>\d{4})(?P<separator>[-/.])(?P<month>\d{1,2})(?P=separator)(?P<day>\d{1,2})",
    r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})日",
    rf"(?:[a-z]+day, )?{MONTH_NAME} (?P<day>\d{{1,2}}), (?P<year>\d{{4}})",
    rf"(?:[a-z]+day,? )?(?P<day>\d{{1,2}}) {MONTH_NAME} (?P<year>\d{{4}})",
)
TIME_FORM = (
    r"(?:t|,?\s*(?:星期.)?\s*(?P<before>上午|下午)?\s*)"
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?"
    r"\s*(?P<after>上午|下午|am|pm)?\s*(?P<offset>z|[+-]\d{2}:?\d{2})?"
)
FORMS = tuple(re.compile(f"{day}(?:{TIME_FORM})?(?:\\s*星期.)?", re.ASCII) for day in DAY_FORMS)


def decode_text(text: str) -> str:
    encoded = text.strip()
    if len(encoded) < SHORTEST or len(encoded) % 4:
        return text
    try:
        return _decode_cached(encoded) if len(encoded) <= CACHED_LENGTH else _decode(encoded)
    except ValueError:
        return text


def _decode(encoded: str) -> str:
    data = a2b_base64(encoded, strict_mode=True)
    # CBC: combine each decrypted block with the preceding encrypted one.
    chained = strxor(BLOCKS.decrypt(data), (INITIAL_VECTOR + data)[: -DES.block_size])
    return unpad(chained, DES.block_size).decode()


_decode_cached = lru_cache(maxsize=4096)(_decode)


def parse_date(text: str, time_zone: tzinfo) -> datetime | None:
    """The wall-clock time in the time zone, or None for "never". Texts without an offset are wall-clock time."""
    folded = text.strip().lower()
    forms = FORMS if len(folded) <= MAX_LENGTH else ()
    match = next(filter(None, (form.fullmatch(folded) for form in forms)), None)
    if not match:
        raise ValueError("The text is not a date in any known format.")
    month = int(match["month"]) if match["month"].isdigit() else MONTHS.index(match["month"][:3]) + 1
    half, hour = match["before"] or match["after"], int(match["hour"] or 0)
    if half in ("下午", "pm") and hour < 12:
        hour += 12
    elif half in ("上午", "am") and hour == 12:
        hour = 0
    # Whole seconds, as in SiteServer v6.
    minute, second = int(match["minute"] or 0), int(match["second"] or 0)
    moment = datetime(int(match["year"]), month, int(match["day"]), hour, minute, second)
    if moment.year < FIRST_YEAR:
        return None
    offset = match["offset"]
    if not offset:
        return moment
    zone: tzinfo = UTC
    if offset != "z":
        ahead = timedelta(hours=int(offset[1:3]), minutes=int(offset[-2:]))
        zone = timezone(-ahead if offset[0] == "-" else ahead)
    try:
        return moment.replace(tzinfo=zone).astimezone(time_zone).replace(tzinfo=None)
    except OverflowError as error:
        raise ValueError("The date is out of range.") from error


class Reader(Protocol):
    def __call__(self, text: str, time_zone: tzinfo, /) -> Any:
        """Return the value; raises ValueError with the reason as a sentence."""


def read_plain(text: str, time_zone: tzinfo) -> str:
    return text


def read_encoded(text: str, time_zone: tzinfo) -> str:
    return decode_text(text)


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
