"""Markup that people write, cleaned by a list of what editors make.

What stands on the list stays as it is: tables with all their attributes, figures, films, colours, classes and data.
What acts, asks or leads elsewhere by itself goes: scripts, event attributes, forms, frames of other kinds.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

import nh3

from cms_api.lib.markup_list import ATTRIBUTES, STYLES, TAGS, WITH_TEXT
from cms_api.lib.markup_nesting import Tangled, TooManyTags, require_untangled
from cms_api.lib.markup_references import TooManyReferences, mark_ampersands

_SCHEMES = {"http", "https", "mailto", "tel", "sms", "ftp"}
# A film of another host may play, and open a window where somebody clicks; it cannot lead the reader's page away.
_SANDBOX = "allow-scripts allow-same-origin allow-popups allow-presentation"
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*)")
_WHOLE_TAG = re.compile(r"<([a-zA-Z][a-zA-Z0-9:-]*+)[^>]*+")
_MOST_TOLD = 20  # names of what was lost
_LONGEST_TOLD = 60  # letters of such a name
_ATTRIBUTE = re.compile(r"[\s\"'/]([a-zA-Z][a-zA-Z0-9:_-]*)\s{0,20}=\s{0,20}(?:\"([^\"]*)\"|'([^']*)'|[^\s\"'>])")
_PROPERTY = re.compile(r"(?:^|;)\s{0,20}([a-zA-Z-]{1,60})\s{0,20}:")
_FRAME = re.compile(r'(<iframe((?:\s[^\s=>"]+="[^"]*")*)>).*?</iframe>', re.DOTALL)
_EMPTY_STYLE = re.compile(r'(<[a-z][^\s>]*(?:\s[^\s=>"]+="[^"]*")*?) style=""')
_HIDDEN_IN_ADDRESSES = re.compile(r"[\x00-\x20]")
_DATA_PICTURE = re.compile(r"\bsrc\s{0,20}=\s{0,20}[\"']?\s{0,20}data:", re.IGNORECASE)
_ACTING_STYLE = re.compile(r"javascript:|vbscript:|data:|expression\s*\(|\\", re.IGNORECASE)
# With a negative margin a body lays itself over what stands before it; what a function works out, nobody sees here.
_OUTWARDS = re.compile(r"^\s*margin(?:-[a-z-]+)?\s*:(?=.*(?:-\s*\.?\d|-\s*/\*|[(]|/\*))", re.IGNORECASE | re.DOTALL)


class UnfitMarkup(ValueError):
    """Markup that cannot be cleaned without harm; `code` tells why.

    `data_picture`, `nested_too_deeply` or `too_much_markup`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Markup after cleaning, and the names of what it lost: `script`, `onclick`, `style: position`."""

    text: str
    removed: Sequence[str]


def clean(text: str, *, embed_hosts: Iterable[str] = ()) -> Cleaned:
    """The markup by the list; what is clean already comes back the same, but for its spelling.

    `embed_hosts` are the hosts, with those below them, whose pages may stand in a frame; none: every host. Raises
    UnfitMarkup for pictures that are written into the text itself, for elements in too many others, and for too many.
    """
    text = text.replace("\0", "")
    if _DATA_PICTURE.search(text):
        raise UnfitMarkup("data_picture", "A picture is written into the text itself; upload it instead.")
    hosts = tuple(sorted(embed_hosts))
    try:
        cleaned = _clean_once(text, hosts)
        # The parser puts what stands wrongly elsewhere, where it may stand wrongly again: before a table that is in a
        # heading, say.
        if cleaned != text:
            cleaned = _clean_once(cleaned, hosts)
    except (Tangled, TooManyReferences) as error:
        raise UnfitMarkup("nested_too_deeply", str(error)) from error
    except TooManyTags as error:
        raise UnfitMarkup("too_much_markup", str(error)) from error
    return Cleaned(cleaned, [] if cleaned == text else _lost(text, cleaned))


def _clean_once(text: str, embed_hosts: tuple[str, ...]) -> str:
    require_untangled(text)
    cleaned = _FRAME.sub(_frame, _cleaner(embed_hosts).clean(mark_ampersands(text)))
    return _EMPTY_STYLE.sub(r"\1", cleaned) if ' style=""' in cleaned else cleaned  # all of it was taken out


@lru_cache(maxsize=4)
def _cleaner(embed_hosts: tuple[str, ...]) -> nh3.Cleaner:
    def keep(tag: str, name: str, value: str) -> str | None:
        if name == "style":
            return _acting_left_out(value)
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


def _acting_left_out(style: str) -> str | None:
    kept = [part for part in style.split(";") if not _ACTING_STYLE.search(part) and not _OUTWARDS.search(part)]
    # The list has names in small letters.
    return ";".join(_PROPERTY.sub(lambda name: name[0].lower(), part) for part in kept).strip() or None


def _leads_nowhere_odd(address: str) -> bool:
    if address.startswith(("https://", "http://", "/")):  # nearly all of them
        return True
    # Browsers drop blanks and controls inside a scheme before they act on it.
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


def _frame(match: re.Match[str]) -> str:
    # A frame that leads nowhere is a hole in the page; what stands in one is shown by no browser.
    return f"{match[1]}</iframe>" if ' src="' in match[2] else ""


def _lost(before: str, after: str) -> list[str]:
    """The names of what is there less often than it was."""
    tags = _tags(before) - _tags(after)
    attributes = _names(before) - _names(after)
    # What an element that is gone has had is not told besides.
    inside: Counter[str] = Counter()
    if tags and attributes:
        inside = _names("".join(tag[0] for tag in _WHOLE_TAG.finditer(before) if tag[1].lower() in tags))
    told = [name for name, count in attributes.items() if count > inside[name]]
    return [name[:_LONGEST_TOLD] for name in [*sorted(tags), *sorted(told)][:_MOST_TOLD]]


def _tags(text: str) -> Counter[str]:
    return Counter(name.lower() for closing, name in _TAG.findall(text) if not closing)


def _names(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for name, double, single in _ATTRIBUTE.findall(text):
        found[name.lower()] += 1
        if name.lower() == "style":
            found.update(f"style: {each.lower()}" for each in _PROPERTY.findall(double or single))
    return found
