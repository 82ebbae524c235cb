"""Cleans HTML by a list of what editors produce; scripts, event attributes, forms and other active parts go."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

import nh3
from django.conf import settings

from cms_api.lib.errors import InvalidInput
from cms_api.lib.markup_list import ATTRIBUTES, STYLES, TAGS, WITH_TEXT
from cms_api.lib.markup_nesting import mark_ampersands, require_untangled

_SCHEMES = {"http", "https", "mailto", "tel", "sms", "ftp"}
# A film of another host may play and open a window on a click; it cannot navigate the reader's page away.
_SANDBOX = "allow-scripts allow-same-origin allow-popups allow-presentation"
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*)")
_WHOLE_TAG = re.compile(r"<([a-zA-Z][a-zA-Z0-9:-]*+)[^>]*+")
_MAX_TOLD = 20  # names of removed parts
_LONGEST_TOLD = 60  # characters of such a name
_ATTRIBUTE = re.compile(r"[\s\"'/]([a-zA-Z][a-zA-Z0-9:_-]*)\s{0,20}=\s{0,20}(?:\"([^\"]*)\"|'([^']*)'|[^\s\"'>])")
_PROPERTY = re.compile(r"(?:^|;)\s{0,20}([a-zA-Z-]{1,60})\s{0,20}:")
_FRAME = re.compile(r'(<iframe((?:\s[^\s=>"]+="[^"]*")*)>).*?</iframe>', re.DOTALL)
_EMPTY_STYLE = re.compile(r'(<[a-z][^\s>]*(?:\s[^\s=>"]+="[^"]*")*?) style=""')
_HIDDEN_IN_ADDRESSES = re.compile(r"[\x00-\x20]")
_DATA_PICTURE = re.compile(r"\bsrc\s{0,20}=\s{0,20}[\"']?\s{0,20}data:", re.IGNORECASE)
_ACTING_STYLE = re.compile(r"javascript:|vbscript:|data:|expression\s*\(|\\", re.IGNORECASE)
# A negative margin lays a body over what precedes it; the result of a CSS function is unknown here.
_OUTWARDS = re.compile(r"^\s*margin(?:-[a-z-]+)?\s*:(?=.*(?:-\s*\.?\d|-\s*/\*|[(]|/\*))", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Clean markup, and the names of what it lost: `script`, `onclick`, `style: position`."""

    text: str
    removed: Sequence[str]


def clean_body(text: str) -> Cleaned:
    """Clean a body by the list; markup that is already clean changes only in spelling. Raises InvalidInput."""
    text = text.replace("\0", "")
    if _DATA_PICTURE.search(text):
        message = "A picture is embedded in the text itself; upload it instead."
        raise InvalidInput("data_picture", message, member="content")
    hosts = tuple(sorted(settings.CMS_EMBED_HOSTS))
    cleaned = _clean_once(text, hosts)
    # The parser moves misplaced elements, perhaps to another wrong place: before a table inside a heading, say.
    if cleaned != text:
        cleaned = _clean_once(cleaned, hosts)
    return Cleaned(cleaned, [] if cleaned == text else _lost(text, cleaned))


def _clean_once(text: str, embed_hosts: tuple[str, ...]) -> str:
    require_untangled(text)
    cleaned = _cleaner(embed_hosts).clean(mark_ampersands(text))
    # A frame without an address is a hole in the page; no browser shows its content.
    cleaned = _FRAME.sub(lambda frame: f"{frame[1]}</iframe>" if ' src="' in frame[2] else "", cleaned)
    return _EMPTY_STYLE.sub(r"\1", cleaned) if ' style=""' in cleaned else cleaned  # all properties were removed


@lru_cache(maxsize=4)
def _cleaner(embed_hosts: tuple[str, ...]) -> nh3.Cleaner:
    def keep(tag: str, name: str, value: str) -> str | None:
        if name == "style":
            kept = [part for part in value.split(";") if not _ACTING_STYLE.search(part) and not _OUTWARDS.search(part)]
            # The list has names in lower case.
            return ";".join(_PROPERTY.sub(lambda name: name[0].lower(), part) for part in kept).strip() or None
        if name == "rel":
            return " ".join(word for word in value.split() if word.lower() != "opener") or None
        if name == "srcset":
            return value if all(_leads_nowhere_odd(part) for part in value.split(",")) else None
        if name in {"src", "href", "cite", "poster", "longdesc", "background"} and not _leads_nowhere_odd(value):
            return None
        if tag == "iframe" and name == "src":
            return value if _may_be_framed(value, embed_hosts) else None
        return value

    return nh3.Cleaner(
        tags=set(TAGS),
        clean_content_tags=set(WITH_TEXT),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        generic_attribute_prefixes={"data-", "aria-"},
        attribute_filter=keep,
        set_tag_attribute_values={"iframe": {"sandbox": _SANDBOX}},
        filter_style_properties=set(STYLES),
        url_schemes=_SCHEMES,
        link_rel=None,
    )


def _leads_nowhere_odd(address: str) -> bool:
    if address.startswith(("https://", "http://", "/")):  # nearly all addresses
        return True
    # Browsers drop blanks and control characters inside a scheme before they act on it.
    scheme, colon, _ = _HIDDEN_IN_ADDRESSES.sub("", address).partition(":")
    return not colon or bool(re.search(r"[/?#@.]", scheme)) or scheme.lower() in _SCHEMES


def _may_be_framed(address: str, embed_hosts: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").lower()
    except ValueError:
        return False
    if parts.scheme.lower() != "https" or not host or "\\" in address:
        return False
    return not embed_hosts or any(host == each or host.endswith(f".{each}") for each in embed_hosts)


def _lost(before: str, after: str) -> list[str]:
    tags, attributes = _tags(before) - _tags(after), _names(before) - _names(after)
    # Attributes of a removed element are not reported separately.
    inside: Counter[str] = Counter()
    if tags and attributes:
        inside = _names("".join(tag[0] for tag in _WHOLE_TAG.finditer(before) if tag[1].lower() in tags))
    told = [name for name, count in attributes.items() if count > inside[name]]
    return [name[:_LONGEST_TOLD] for name in [*sorted(tags), *sorted(told)][:_MAX_TOLD]]


def _tags(text: str) -> Counter[str]:
    return Counter(name.lower() for closing, name in _TAG.findall(text) if not closing)


def _names(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for name, double, single in _ATTRIBUTE.findall(text):
        found[name.lower()] += 1
        if name.lower() == "style":
            found.update(f"style: {each.lower()}" for each in _PROPERTY.findall(double or single))
    return found
