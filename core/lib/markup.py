"""Cleans HTML with a list of the markup that editors produce; scripts, event attributes, forms and other active parts
go."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

import nh3
from django.conf import settings

from core.lib.errors import InvalidInput
from core.lib.folding import is_blank
from core.lib.markup_list import ATTRIBUTES, ELEMENTS, INLINE, STYLES, TAGS, WITH_TEXT
from core.lib.markup_nesting import mark_ampersands, require_untangled

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
# Parsers drop a line end after this tag, which the library does not write again.
_PRE_WITH_LINE_END = re.compile(r"<pre(?: [^>]*+)?>\n")
_ANY_TAG = re.compile(r"<[a-zA-Z/!?]")
_TAG_BEGINNING = re.compile(r"<(?=[a-zA-Z/!?]|\Z)")
_BETWEEN_TAGS = re.compile(r"""<(?:[^">]|"[^"]*")*>|[^<]+""")
# How cleaning writes letters of a text; `&amp;` comes last.
_UNKNOWN_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)>")
_MARKS = {0xE010: "<", 0xE011: ">"}
_UNMARKED = dict.fromkeys(_MARKS)
_WRITTEN = {"&lt;": "<", "&gt;": ">", "&nbsp;": "\xa0", "&amp;": "&"}
_HIDDEN_IN_ADDRESSES = re.compile(r"[\x00-\x20]")
_DATA_PICTURE = re.compile(r"\bsrc\s{0,20}=\s{0,20}[\"']?\s{0,20}data:", re.IGNORECASE)
_ACTING_STYLE = re.compile(r"javascript:|vbscript:|data:|expression\s*\(|\\", re.IGNORECASE)
# A negative margin lays a body over preceding parts; the result of a CSS function is unknown here.
_OUTWARDS = re.compile(r"^\s*margin(?:-[a-z-]+)?\s*:(?=.*(?:-\s*\.?\d|-\s*/\*|[(]|/\*))", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Clean markup, and the names of removed parts: `script`, `onclick`, `style: position`."""

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


def clean_line(text: str) -> Cleaned:
    """Clean a title or another text of one line: inline elements stay. Text without tags stays unchanged."""
    return _clean_text(text, _line_cleaner())


def clean_name(text: str) -> str:
    """Clean a title or a name; some text must be left. Raises InvalidInput."""
    cleaned = clean_line(text).text
    if is_blank(cleaned) and not is_blank(text):
        raise InvalidInput("nothing_left", "The text consists of markup that is not allowed in it.")
    return cleaned


def clean_lines(text: str) -> Cleaned:
    """Clean a summary or another text beside the body. Text without tags stays unchanged."""
    return _clean_text(text, _cleaner(tuple(sorted(settings.CMS_EMBED_HOSTS))))


def _clean_text(text: str, cleaner: nh3.Cleaner) -> Cleaned:
    text = text.replace("\0", "")
    safe = _UNKNOWN_TAG.sub(_marked, _without_open_tag(text.translate(_UNMARKED)))
    if not _ANY_TAG.search(safe):
        return Cleaned(safe.translate(_MARKS), [])
    require_untangled(safe)
    cleaned = cleaner.clean(mark_ampersands(safe))
    letters = {written: letter for written, letter in _WRITTEN.items() if written not in safe.lower()}
    cleaned = _BETWEEN_TAGS.sub(lambda found: _as_written(found[0], letters), cleaned)
    cleaned = _without_open_tag(cleaned).translate(_MARKS)
    return Cleaned(cleaned, [] if cleaned == text else _lost(text, cleaned))


def _marked(tag: re.Match[str]) -> str:
    """Keep `<name>` of no element for the parser as text; no browser acts on it."""
    return tag[0] if tag[1].lower() in ELEMENTS else f"\ue010{tag[0][1:-1]}\ue011"


def _as_written(part: str, letters: Mapping[str, str]) -> str:
    """Return a text as its writer wrote it, unless that would be a tag."""
    if not part.startswith("<"):
        for written, letter in letters.items():
            part = re.sub(f"{written}(?![a-zA-Z/!?])" if letter == "<" else written, letter, part)
    return part


def _without_open_tag(text: str) -> str:
    """Encode the beginning of a tag that does not end: `x<y`, which the rest of the page would complete."""
    whole, mark, rest = text.rpartition(">")
    return whole + mark + _TAG_BEGINNING.sub("&lt;", rest)


def _clean_once(text: str, embed_hosts: tuple[str, ...]) -> str:
    require_untangled(text)
    cleaned = _cleaner(embed_hosts).clean(mark_ampersands(text))
    cleaned = _PRE_WITH_LINE_END.sub(r"\g<0>\n", cleaned)
    # A frame without an address is a hole in the page; no browser shows its content.
    cleaned = _FRAME.sub(lambda frame: f"{frame[1]}</iframe>" if ' src="' in frame[2] else "", cleaned)
    return _EMPTY_STYLE.sub(r"\1", cleaned) if ' style=""' in cleaned else cleaned  # all properties were removed


@lru_cache(maxsize=1)
def _line_cleaner() -> nh3.Cleaner:
    return _new_cleaner(INLINE, ())


@lru_cache(maxsize=4)
def _cleaner(embed_hosts: tuple[str, ...]) -> nh3.Cleaner:
    return _new_cleaner(TAGS, embed_hosts)


def _new_cleaner(tags: frozenset[str], embed_hosts: tuple[str, ...]) -> nh3.Cleaner:
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
            address = value.strip()
            address = f"https:{address}" if address.startswith("//") else value
            return address if _may_be_framed(address, embed_hosts) else None
        return value

    return nh3.Cleaner(
        tags=set(tags),
        clean_content_tags=set(WITH_TEXT),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items() if tag in tags or tag == "*"},
        generic_attribute_prefixes={"data-", "aria-"},
        attribute_filter=keep,
        set_tag_attribute_values={"iframe": {"sandbox": _SANDBOX}} if "iframe" in tags else {},
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
