"""Encodes values for their place in HTML, and finds that place without parsing the page."""

import json
import re
from html import escape, unescape

from pages.engine.nodes import Encoding

_OPENING = re.compile(r"<!--|<(script|style)\b|<[a-z/!?]", re.IGNORECASE)
_IN_TAG = re.compile(r"""["'>]""")
_NAME = re.compile(r"([\w:.-]+)\s*=\s*\Z")
_TAG = re.compile(r"<(/?)([a-z][\w-]*)(?![\w:-])([^>]*)>", re.IGNORECASE)
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
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
            is_handler = self._quote and self._attribute.lower().startswith("on")
            return Encoding.HANDLER if is_handler else Encoding.ATTRIBUTE
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
            name = _NAME.search(text, at, mark.start())
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
    """Encode a stored value, which is HTML: in text it stays as it is."""
    if encoding in (Encoding.TEXT, Encoding.NONE) or not value:
        return value
    if encoding is Encoding.ATTRIBUTE:
        return attribute_text(value)
    if encoding is Encoding.SCRIPT:
        return script_text(value)
    if encoding is Encoding.HANDLER:
        return escape(script_text(unescape(value)))
    return value.replace("<", "\\3c ").replace("}", "\\7d ")


def attribute_text(value: str) -> str:
    """Encode for a quoted attribute; character references stay single."""
    return escape(unescape(value), quote=True)


def script_text(value: str) -> str:
    """Encode for the inside of a JavaScript string in any quotes."""
    text = json.dumps(value)[1:-1].replace("'", "\\'").replace("`", "\\`").replace("${", "\\${")
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
