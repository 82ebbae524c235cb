"""Refuses markup that would cost the parser too much: it closes, moves and reopens misplaced elements."""

import re
from collections.abc import Iterator
from html.entities import html5

from core.lib.errors import InvalidInput

# The parser searches all open elements at each tag: a hundred thousand of them would take half a minute.
MAX_DEPTH = 200
_MAX_ATTRIBUTES = 1000  # of a tag; each is compared with those before it
_MAX_ASTRAY = 20_000  # tags and texts that may be misplaced in tables; each is moved out past all before it
_MAX_TAGS = 60_000  # each takes about 15 µs and 400 bytes, and several texts may be cleaned concurrently
_MAX_FORMATS = 200_000  # reopened formats: each paragraph reopens all that were left open before it
_NEAR = 6  # nested elements whose end tags may be omitted

_VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source"])
_VOID |= {"track", "wbr"}
_FORMATS = frozenset(["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"])
_ROWS = frozenset(["tr", "tbody", "thead", "tfoot"])
_CELLS = frozenset(["td", "th"])
_IN_TABLES = _ROWS | _CELLS | {"caption", "col", "colgroup", "style", "script", "template"}
_HOLDERS = _CELLS | {"caption"}
_PLACES = _HOLDERS | _ROWS | {"table"}  # parts of a table
_ITEMS = frozenset(["li", "dd", "dt"])
# Inside these, other rules apply to implicit ends.
_ODD = frozenset(["svg", "math", "select", "template"])
_BLOCKS = """
    address article aside blockquote center details dir div dl fieldset figcaption figure footer header hgroup main
    menu nav ol p pre section summary ul h1 h2 h3 h4 h5 h6
"""
_BLOCK = frozenset(_BLOCKS.split())
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
# Elements that a start tag, or an end tag, of these names closes implicitly.
_ENDED_BY_START = (
    dict.fromkeys(_BLOCK, frozenset(["p"]))
    | {"li": frozenset(["p", "li"])}
    | dict.fromkeys(["dd", "dt"], frozenset(["p", "dd", "dt"]))
    | dict.fromkeys(_CELLS, _CELLS | {"p"})
    | {"tr": _CELLS | {"p", "tr"}}
    | dict.fromkeys(["tbody", "thead", "tfoot"], _CELLS | _ROWS | {"p"})
)
_ENDED_BY_END = (
    dict.fromkeys(_BLOCK - _HEADINGS - {"p"}, _ITEMS | {"p"})
    | dict.fromkeys(_ITEMS, frozenset(["p"]))
    | dict.fromkeys([*_CELLS, *_ROWS, "table"], _CELLS | _ROWS | {"p"})
)
_RAWS = frozenset(["script", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "title", "textarea"])
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAWS}
_SPACE = r"[ \t\r\n\f]"
# Tags as the standard reads them: quotes count only after an equals sign. Nothing is tried twice.
_TOKEN = re.compile(
    rf"""<(?:(?P<comment>!--(?:-?>|.*?(?:--!?>|\Z)))|(?P<bogus>[!?][^>]*+|/(?![a-zA-Z])[^>]*+)
    |(?P<end>/?)(?P<name>[a-zA-Z][^ \t\r\n\f/>]*+)(?P<rest>(?:{_SPACE[:-1]}/]++
    |[^ \t\r\n\f/>][^ \t\r\n\f/>=]*+(?:{_SPACE}*+={_SPACE}*+(?:"[^"]*+"|'[^']*+'|[^ \t\r\n\f>"'][^ \t\r\n\f>]*+)?)?+
    )*+)(?:>|\Z))""",
    re.DOTALL | re.VERBOSE,
)
_ATTRIBUTE = re.compile(
    rf"""[^ \t\r\n\f/>][^ \t\r\n\f/>=]*+"""
    rf"""(?:{_SPACE}*+={_SPACE}*+(?:"[^"]*+"|'[^']*+'|[^ \t\r\n\f>"'][^ \t\r\n\f>]*+)?)?+"""
)


def _tangled(message: str) -> InvalidInput:
    return InvalidInput("nested_too_deeply", message, member="content")


def require_untangled(text: str) -> None:
    """Raise InvalidInput for too many or too deeply nested elements, and for too many misplaced ones."""
    if text.count("<") > _MAX_TAGS:  # a hundredth of the cost of reading them
        raise InvalidInput("too_much_markup", f"A text may have at most {_MAX_TAGS} tags.", member="content")
    nesting = _Nesting()
    for name, is_end, texts in _tags(text):
        nesting.take(name, texts, is_end=is_end)


def _tags(text: str) -> Iterator[tuple[str, bool, int]]:
    place, after = 0, 0
    is_sure = True  # whether it is clear where comments and raw texts begin and end
    has_odd = False
    while match := _TOKEN.search(text, place):
        place = match.end()
        name = (match["name"] or "").lower()
        before = text[after : match.start()]
        # Each character reference becomes a text of its own.
        texts = before.count("&") + 1 if before and not before.isspace() else 0
        after = place
        if not name:
            is_sure = is_sure and not (has_odd and text.startswith("<![", match.start()))
            continue
        if len(match["rest"]) > _MAX_ATTRIBUTES and len(_ATTRIBUTE.findall(match["rest"])) > _MAX_ATTRIBUTES:
            raise _tangled(f"A tag may have at most {_MAX_ATTRIBUTES} attributes.")
        has_odd = has_odd or name in _ODD
        if match["end"]:
            if is_sure:
                yield name, True, texts
            continue
        yield name, False, texts
        if name == "plaintext":
            return
        if name in _RAWS:
            end = None if has_odd else _RAW_END[name].search(text, place)
            # A script inside a comment inside a script hides the end of the outer one.
            raw = text[place : end.start()] if end and name == "script" else ""
            if has_odd or ("<!--" in raw and "<script" in raw.lower()):
                is_sure = False  # the text may or may not be raw
            elif end:
                place = after = end.start()
            else:
                return
    if rest := text.count("&", after):
        yield "br", False, rest + 1  # the text after the last tag


class _Nesting:
    """An upper bound of the parser's open elements: an end tag counts only if it surely ends the last element."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._odd = self._tables = self._formats = 0  # numbers of open elements
        self._formats_told = self._astray = 0
        self._has_slips = False  # unmatched ends: the parser may have other elements open

    def take(self, name: str, texts: int, *, is_end: bool) -> None:
        self._formats_told += self._formats * self._has_slips
        if self._tables and (self._has_slips or self._is_astray(name, texts)):
            self._astray += 1 + texts
        if is_end:
            self._end(name)
        elif name not in _VOID:
            self._start(name)
        if len(self._open) > MAX_DEPTH or self._astray > _MAX_ASTRAY or self._formats_told > _MAX_FORMATS:
            raise _tangled(f"Elements may be nested at most {MAX_DEPTH} deep, and must be closed.")

    def _is_astray(self, name: str, texts: int) -> bool:
        around = next(each for each in reversed(self._open) if each in _PLACES)
        return around not in _HOLDERS and (texts > 0 or (name not in _IN_TABLES and name != "table"))

    def _start(self, name: str) -> None:
        ended = _ENDED_BY_START.get(name, frozenset())
        while ended and not self._odd and self._open and self._open[-1] in ended:
            self._open.pop()
            self._has_slips = self._has_slips or self._formats > 0
        self._open.append(name)
        self._count(name, 1)

    def _end(self, name: str) -> None:
        ended = frozenset() if self._odd else _ENDED_BY_END.get(name, frozenset())
        for place in range(len(self._open) - 1, max(-1, len(self._open) - 1 - _NEAR), -1):
            if self._open[place] == name:
                self._has_slips = self._has_slips or (self._formats > 0 and place < len(self._open) - 1)
                del self._open[place:]  # the elements above it are not counted
                self._count(name, -1)
                return
            if self._open[place] not in ended:
                break
        self._has_slips = self._has_slips or self._formats > 0 or name not in {"p", "br"}

    def _count(self, name: str, number: int) -> None:
        self._odd += number * (name in _ODD)
        self._tables += number * (name == "table")
        self._formats += number * (name in _FORMATS)


_MAX_OPEN = 50_000  # references without a semicolon, whose meaning depends on their place
_MAX_AMPERSANDS = 100_000  # each costs more than the one before: these take half a second
_LEGACY = frozenset(name for name in html5 if not name.endswith(";"))
_LONGEST = max(map(len, _LEGACY))
_AMPERSAND = re.compile(r"&(?:#(?:[0-9]+|[xX][0-9a-fA-F]+)|([a-zA-Z][a-zA-Z0-9]{0,40};?))?")


def mark_ampersands(text: str) -> str:
    """Write ampersands that begin no reference as `&amp;`; raises InvalidInput for too many."""
    # Such an ampersand sends the parser back, at a cost that grows with the rest of the text.
    if text.count("&") > _MAX_AMPERSANDS:
        raise _tangled(f"A text may have at most {_MAX_AMPERSANDS} ampersands.")
    number = 0

    def written(match: re.Match[str]) -> str:
        nonlocal number
        whole, name = match[0], match[1]
        if (name in html5 and name[-1] == ";") if name else len(whole) > 1:
            return whole
        if name and any(name[:length] in _LEGACY for length in range(2, _LONGEST + 1)):
            number += 1
            return whole
        return f"&amp;{whole[1:]}"

    marked = _AMPERSAND.sub(written, text)
    if number > _MAX_OPEN:
        raise _tangled(f"At most {_MAX_OPEN} character references may lack their semicolon.")
    return marked
