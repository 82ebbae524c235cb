"""Encodes values for their place in HTML, and finds that place without parsing the page."""

import json
import re
from collections.abc import Callable
from html import escape, unescape

from cms_api.lib.errors import InvalidInput
from pages.engine.nodes import Encoding

_OPENING = re.compile(r"<!--|<(script|style)\b|<[a-z/!?]", re.IGNORECASE)
_IN_TAG = re.compile(r"""["'>]""")
_NAME = re.compile(r"([\w:.-]+)\s*=\s*\Z")
_MAX_NAME = 100  # characters of an attribute's name, with the blanks after it
_TAG = re.compile(r"<(/?)([a-z][\w-]*)(?![\w:-])([^>]*)>", re.IGNORECASE)
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
# Attributes of every tag, and of the tags that elements render: links, pictures, videos, objects and selections.
_ATTRIBUTES = """
    accesskey autocapitalize autofocus class contenteditable dir draggable enterkeyhint hidden id inert inputmode is
    itemid itemprop itemref itemscope itemtype lang nonce popover role slot spellcheck style tabindex title translate
    charset coords download href hreflang name ping referrerpolicy rel rev shape target type
    align alt border crossorigin decoding fetchpriority height hspace ismap loading longdesc lowsrc sizes src srcset
    usemap vspace width autoplay controls controlslist loop muted playsinline poster preload data form
    autocomplete disabled multiple required size value
"""
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z]\w{1,31});")
_UNPLAIN = re.compile(r"[^\w .-]")
_BLANKS = re.compile(r"[\x00-\x20]")
_RUNNING = ("javascript:", "vbscript:", "data:")  # addresses that run scripts
_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)
_RAW_ENDS = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style")}


class Place:
    """The place in HTML after the text read so far."""

    def __init__(self) -> None:
        self._inside = ""  # "", "tag", "comment", "script" or "style"
        self._next = ""  # what follows the tag: "", "script" or "style"
        self._quote = ""
        self._attribute = ""

    @property
    def encoding(self) -> Encoding:
        if self._inside == "tag":
            if not self._quote:
                return Encoding.UNQUOTED
            return Encoding.HANDLER if self._attribute.lower().startswith("on") else Encoding.ATTRIBUTE
        return {"script": Encoding.SCRIPT, "style": Encoding.STYLE}.get(self._inside, Encoding.TEXT)

    def read(self, text: str) -> None:
        at = 0
        while at < len(text):
            at = self._step(text, at)

    def _step(self, text: str, at: int) -> int:
        if self._inside == "tag":
            return self._read_tag(text, at)
        if self._inside == "comment":
            end = text.find("-->", at)
            self._inside = "comment" if end < 0 else ""
            return len(text) if end < 0 else end + 3
        if self._inside:
            closing = _RAW_ENDS[self._inside].search(text, at)
            self._inside, self._next = ("tag", "") if closing else (self._inside, "")
            return closing.end() if closing else len(text)
        opening = _OPENING.search(text, at)
        if opening is None:
            return len(text)
        self._inside = "comment" if opening[0] == "<!--" else "tag"
        self._next = (opening[1] or "").lower()
        return opening.end()

    def _read_tag(self, text: str, at: int) -> int:
        if self._quote:
            end = text.find(self._quote, at)
            self._quote = self._quote if end < 0 else ""
            return len(text) if end < 0 else end + 1
        mark = _IN_TAG.search(text, at)
        if mark is None:
            return len(text)
        if mark[0] == ">":
            self._inside = self._next
        else:
            name = _NAME.search(text, max(at, mark.start() - _MAX_NAME), mark.start())
            self._quote, self._attribute = mark[0], name[1] if name else ""
        return mark.end()


def end_of_parent(text: str, region: int, start: int, end: int) -> int:
    """Return where the HTML element ends that contains `start` and begins in the region before it; else `end`."""
    above = _open_tags(text, region, start)
    inside: list[str] = []
    for tag in _TAG.finditer(text, start, end):
        name = tag[2].lower()
        if not tag[1]:
            if name not in _VOID and not tag[3].endswith("/"):
                inside.append(name)
        elif name in inside:
            _close(inside, name)
        elif name in above:
            return tag.start()
    return end


def _open_tags(text: str, start: int, end: int) -> list[str]:
    names: list[str] = []
    for tag in _TAG.finditer(text, start, end):
        name = tag[2].lower()
        if tag[1]:
            _close(names, name)
        elif name not in _VOID and not tag[3].endswith("/"):
            names.append(name)
    return names


def _close(names: list[str], name: str) -> None:
    """Remove the last of the name, and what was opened after it."""
    if name in names:
        while names.pop() != name:
            pass


def encode(value: str, encoding: Encoding) -> str:
    """Encode a stored value, which is HTML: in text it stays as it is. Raises InvalidInput in a statement."""
    return _ENCODERS[encoding](value) if value and encoding in _ENCODERS else value


def encode_foreign(value: str, encoding: Encoding) -> str:
    """Encode what a visitor wrote, which is text."""
    if encoding in (Encoding.SQL, Encoding.SQL_TEXT):
        return encode(value, encoding)
    if _BLANKS.sub("", value).casefold().startswith(_RUNNING):
        return ""
    if encoding in (Encoding.SCRIPT, Encoding.HANDLER, Encoding.STYLE):
        return _UNPLAIN.sub("", value)  # it may be outside a string
    return encode(escape(value), encoding)


def attribute_text(value: str) -> str:
    """Encode for a quoted attribute; character references stay single."""
    return escape(_decode(value), quote=True)


def _decode(value: str) -> str:
    # Like browsers, only references that end with a semicolon: `?a=1&copy=2` is an address.
    return _REFERENCE.sub(lambda found: unescape(found[0]), value)


def script_text(value: str) -> str:
    """Encode for the inside of a JavaScript string in any quotes."""
    text = json.dumps(value)[1:-1].replace("'", "\\'").replace("`", "\\`").replace("${", "\\${")
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _sql_number(value: str) -> str:
    if not _NUMBER.fullmatch(value):
        raise InvalidInput("invalid_value", "A value of a statement that is no integer must be between quotes.")
    return value


_ENCODERS: dict[Encoding, Callable[[str], str]] = {
    Encoding.ATTRIBUTE: attribute_text,
    Encoding.UNQUOTED: lambda value: _UNPLAIN.sub(lambda found: f"&#{ord(found[0])};", _decode(value)).replace(
        " ", "&#32;"
    ),
    Encoding.SCRIPT: script_text,
    Encoding.HANDLER: lambda value: escape(script_text(_decode(value))),
    Encoding.STYLE: lambda value: value.replace("<", "\\3c ").replace("}", "\\7d "),
    Encoding.SQL: _sql_number,
    Encoding.SQL_TEXT: lambda value: value.replace("'", "''"),
}
