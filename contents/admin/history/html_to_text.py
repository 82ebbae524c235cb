"""A body as people read it: its paragraphs without markup, or its source in lines.

Reads markup in one pass, since bodies may hold anything: libraries that build a tree take seconds for a hostile one.
What comes out is shown as text and never as markup.
"""

import html
import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

# Characters of a body that are compared; longer ones are rare, and a page has to stay light.
MOST = 300_000
_BLOCKS = (
    "address|article|aside|blockquote|br|caption|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|li|main|"
    "nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_BLOCK = re.compile(_BLOCKS)
_PICTURES = frozenset({"img"})
_FILMS = frozenset({"video", "audio", "source", "iframe"})
_UNREAD = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style", "template")}
_OPENING = re.compile(r"<(?:(!--)|(/?)([a-zA-Z][a-zA-Z0-9]*)|[!?/])")
_ATTRIBUTES = re.compile(r"""(?:[^>"']|"[^"]*"|'[^']*')*>""")
_LONGEST = 1000  # characters of attributes in which ">" may stand between quotes
_SRC = re.compile(r"""\bsrc\s*=\s*["']?([^"'\s>]{1,200})""", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t\r\n\f]+")
# Editors write bodies without line ends; a line then begins with each block.
_BLOCK_ENDS = re.compile(rf"(?<=>)(?=</?(?:{_BLOCKS})\b)", re.IGNORECASE)


def paragraphs_of(body: str) -> list[str]:
    """The body's text by paragraphs, list items and cells, with pictures and films by their addresses."""
    lines = "".join(_pieces(body[:MOST])).split("\n")
    texts = (_BLANKS.sub(" ", html.unescape(line)).strip(" ") for line in lines)
    return [text for text in texts if text]


def lines_of(body: str) -> list[str]:
    """The source by lines, and by its blocks where it has no line ends."""
    return [part for line in body[:MOST].splitlines() for part in _BLOCK_ENDS.split(line)]


def _pieces(body: str) -> Iterator[str]:
    place = 0
    while opening := _OPENING.search(body, place):
        yield _BLANKS.sub(" ", body[place : opening.start()])
        place, shown = _read_tag(body, opening)
        yield shown
    yield _BLANKS.sub(" ", body[place:])


def _read_tag(body: str, opening: re.Match[str]) -> tuple[int, str]:
    """Where the text goes on, and what stands for the tag."""
    comment, is_end, name = opening[1], bool(opening[2]), (opening[3] or "").lower()
    if comment:
        return _after(body, "-->", opening.end()), ""
    start = opening.end()
    quoted = _ATTRIBUTES.match(body, start, start + _LONGEST)
    end = quoted.end() if quoted else _after(body, ">", start)
    if name in _UNREAD and not is_end:
        closing = _UNREAD[name].search(body, end)
        return closing.start() if closing else len(body), ""
    return end, "\n" if _BLOCK.fullmatch(name) else "" if is_end else _shown(name, body[start:end])


def _after(body: str, text: str, place: int) -> int:
    found = body.find(text, place)
    return len(body) if found < 0 else found + len(text)


def _shown(name: str, attributes: str) -> str:
    if name not in _PICTURES | _FILMS or (source := _SRC.search(attributes)) is None:
        return ""
    what = _("picture") if name in _PICTURES else _("film or frame")
    return f" [{html.escape(what)}: {source[1]}] "
