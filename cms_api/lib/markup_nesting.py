"""How tangled markup is: what the cleaner's parser would have to hold open for it, counted beforehand.

The parser closes, moves and opens again what stands wrongly; some of that costs it the square of the length. So
what is left open here is at least what is open there: an end counts only where it surely ends the last element.
"""

import re
from collections.abc import Iterator

# The parser looks through all open elements at each tag: a hundred thousand of them would take half a minute.
MAX_DEPTH = 200
_MOST_ATTRIBUTES = 1000  # of a tag; each is compared with those before it
_MOST_ASTRAY = 20_000  # tags and texts that may stand wrongly in tables; each is moved out through all before it
_MOST_TAGS = 60_000  # each takes some 15 µs, and 400 bytes while several texts may be cleaned at once
_MOST_FORMATS = 200_000  # that may be opened again: each paragraph does so with all that were left open before it
_NEAR = 6  # elements whose ends may be left out, one in another

_VOIDS = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_VOIDS.split())
_FORMATS = frozenset(["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"])
_ROWS = frozenset(["tr", "tbody", "thead", "tfoot"])
_CELLS = frozenset(["td", "th"])
_IN_TABLES = _ROWS | _CELLS | {"caption", "col", "colgroup", "style", "script", "template"}
_HOLDERS = _CELLS | {"caption"}
_PLACES = _HOLDERS | _ROWS | {"table"}  # of a table
_ITEMS = frozenset(["li", "dd", "dt"])
# In these, other rules hold for what ends by itself.
_ODD = frozenset(["svg", "math", "select", "template"])
_BLOCKS = """
    address article aside blockquote center details dir div dl fieldset figcaption figure footer header hgroup main
    menu nav ol p pre section summary ul h1 h2 h3 h4 h5 h6
"""
_BLOCK = frozenset(_BLOCKS.split())
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
# What ends by itself where an element of these names begins, and what does so where one of them ends.
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
_RAW = "script style xmp iframe noembed noframes noscript title textarea"
_RAWS = frozenset(_RAW.split())
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAWS}
_SPACE = r"[ \t\r\n\f]"
# As the standard reads tags: quotes count only behind an equals sign. Nothing is tried twice.
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


class Tangled(ValueError):
    """Markup that would cost the parser too much."""


class TooManyTags(ValueError):
    """More markup than the parser has memory for."""


def require_untangled(text: str) -> None:
    """Raises Tangled for elements in too many others, or too much that is not closed or stands wrongly.

    Raises TooManyTags for more of them than honest texts have.
    """
    if text.count("<") > _MOST_TAGS:  # a hundredth of the work of reading them
        raise TooManyTags(f"At most {_MOST_TAGS} tags may stand in a text.")
    nesting = _Nesting()
    for name, is_end, texts in _tags(text):
        nesting.take(name, texts, is_end=is_end)
        if nesting.is_tangled:
            raise Tangled(f"Elements may stand in {MAX_DEPTH} others at most, and are to be closed.")


def _tags(text: str) -> Iterator[tuple[str, bool, int]]:
    """The tags: name, whether it surely is an end, and how many texts stand before it."""
    place, after = 0, 0
    is_sure = True  # where comments and raw texts begin and end
    has_odd = False
    while match := _TOKEN.search(text, place):
        place = match.end()
        name = (match["name"] or "").lower()
        before = text[after : match.start()]
        # Each reference to a character comes as a text of its own.
        texts = before.count("&") + 1 if before and not before.isspace() else 0
        after = place
        if not name:
            is_sure = is_sure and not (has_odd and text.startswith("<![", match.start()))
            continue
        if len(match["rest"]) > _MOST_ATTRIBUTES and len(_ATTRIBUTE.findall(match["rest"])) > _MOST_ATTRIBUTES:
            raise Tangled(f"A tag has {_MOST_ATTRIBUTES} attributes at most.")
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
            if has_odd or (end and _goes_on(name, text[place : end.start()])):
                is_sure = False  # here it may or may not be raw
            elif end:
                place = after = end.start()
            else:
                return
    if rest := text.count("&", after):
        yield "br", False, rest + 1  # what stands behind the last tag


def _goes_on(name: str, raw: str) -> bool:
    # A script within a comment within a script hides the end of the first.
    return name == "script" and "<!--" in raw and "<script" in raw.lower()


class _Nesting:
    """What is open, at least."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._odd = self._tables = self._formats = 0  # of what is open
        self._formats_told = self._astray = 0
        self._has_slips = False  # ends that fitted nothing: what is open here may not be so in the parser

    @property
    def is_tangled(self) -> bool:
        return len(self._open) > MAX_DEPTH or self._astray > _MOST_ASTRAY or self._formats_told > _MOST_FORMATS

    def take(self, name: str, texts: int, *, is_end: bool) -> None:
        self._formats_told += self._formats * self._has_slips
        if self._tables and (self._has_slips or self._is_astray(name, texts)):
            self._astray += 1 + texts
        if is_end:
            self._end(name)
        elif name not in _VOID:
            self._start(name)

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
                del self._open[place:]  # above it stands nothing that is counted
                self._count(name, -1)
                return
            if self._open[place] not in ended:
                break
        self._has_slips = self._has_slips or self._formats > 0 or name not in {"p", "br"}

    def _count(self, name: str, number: int) -> None:
        self._odd += number * (name in _ODD)
        self._tables += number * (name == "table")
        self._formats += number * (name in _FORMATS)
