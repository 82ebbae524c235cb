"""Parses a template. HTML is read for the place of each value, not repaired."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from pages.engine.html import end_of_parent
from pages.engine.nodes import TEXT, Element, Entity, Node, Nodes, Pairs, Place, Problem
from pages.engine.reading import Reader

FAMILIES = (
    *("stl", "content", "channel", "request", "sql", "user", "navigation", "photo", "comment", "pageitem"),
    "inputcontent",
)
_TOKEN = re.compile(
    rf"""
      <stl:(?P<start>\w+) (?P<given> (?: [^<>"'] | "[^"]{{0,2000}}" | '[^']{{0,2000}}' ){{0,4000}} | [^>]{{0,4000}} ) >
    | </stl:(?P<end>\w+) [^>]{{0,4000}} >
    | \{{ stl:(?P<tag>\w+) (?P<tag_given> (?:\s[^{{}}]*)? ) \}}
    | \{{ (?P<family> {"|".join(FAMILIES)} ) \. (?P<name> [\w.+-]+ ) \}}
    """,
    re.VERBOSE | re.IGNORECASE,
)
# Elements that write only their inner text.
LISTS = (
    *("contents", "channels", "sites", "each", "sqlcontents", "inputcontents"),
    *("pagecontents", "pagechannels", "pagesqlcontents", "pageinputcontents"),
)
_FRAMES = frozenset(
    ["if", "site", "dynamic", "container", "search", "searchoutput", "pageitems", "querystring", *LISTS]
)
_BRANCHES = frozenset(["yes", "no", "successtemplate", "failuretemplate", "itemtemplate", "loading"])
_AHEAD = 300  # characters after an entity to search for the rest of its tag
MAX_DEPTH = 50  # elements in elements; those deeper stay text
MAX_TAGS = 20_000  # tags and entities; those after them stay text, since each costs time before a page has a limit
_MAX_UNCLOSED = 500  # elements without end tag whose end is sought
MAX_PROBLEMS = 100
_ATTRIBUTE = re.compile(r"""([^\s=/"'>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")


@dataclass(slots=True)
class _Token:
    match: re.Match[str]
    place: Place
    partner: int = -1  # index of the end tag
    reader: Reader | None = None  # of an include in the middle of a tag or script

    @property
    def start(self) -> int:
        return self.match.start()

    @property
    def end(self) -> int:
        return self.match.end()


def parse(text: str, reader: Reader | None = None) -> tuple[Nodes, list[Problem]]:
    """Return the nodes of a template; `reader` has read the text before it."""
    found = _Reader(text, reader or Reader())
    return found.read(0, len(found.tokens), 0, len(text), is_top=True), found.problems


def read_attributes(text: str) -> Pairs:
    """Return attributes by name in lower case; the last of equal names wins."""
    found = {}
    for name, *values in _ATTRIBUTE.findall(text):
        found[name.lower()] = "".join(values)
    return tuple(found.items())


def attribute_names(tag: str) -> Iterator[tuple[str, int]]:
    """Yield the names in a start tag or tag entity as written, each with the characters before it."""
    _, *found = _ATTRIBUTE.finditer(tag.rstrip("/>}"))  # the first match is the name of the element
    yield from ((each[1], each.start()) for each in found)


def place_of(text: str, offset: int) -> tuple[int, int]:
    """Return line and column, counted from 1."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - text.rfind("\n", 0, offset)


@dataclass(slots=True)
class _Frame:
    """An open element, and the HTML before it, before its first branch, and after the branches that are complete."""

    name: str
    before: Reader
    fork: Reader | None = None
    ends: list[Reader] = field(default_factory=list)


class _Html:
    """Follows the HTML around the tokens; branches of an element come instead of each other."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader.copy()
        self._frames: list[_Frame] = []
        self._open: Counter[str] = Counter()

    def take(self, match: re.Match[str], after: str) -> _Token:
        name = (match["start"] or match["end"] or "").lower()
        if match["end"]:
            self._end(name)
        elif name in _BRANCHES and self._frames:
            self._branch(self._frames[-1])
        token = _Token(match, self.reader.place(after))
        if name == "include" and token.place is not TEXT:
            token.reader = self.reader.copy()
        if match["start"] and not match["given"].endswith("/"):
            self._frames.append(_Frame(name, self.reader.copy()))
            self._open[name] += 1
        if not match["end"] and name not in _FRAMES and name not in _BRANCHES:
            self.reader.insert()
        return token

    def _branch(self, frame: _Frame) -> None:
        if frame.fork is None:
            frame.fork = self.reader.copy()
        else:
            frame.ends.append(self.reader)
            self.reader = frame.fork.copy()

    def _end(self, name: str) -> None:
        if not self._open[name]:
            return
        while True:
            frame = self._frames.pop()
            self._open[frame.name] -= 1
            for each in (*frame.ends, frame.before):
                self.reader.join(each)
            if frame.name == name:
                return


class _Reader:
    def __init__(self, text: str, reader: Reader) -> None:
        self._text = text
        self.problems: list[Problem] = []
        self.tokens: list[_Token] = []
        self._depth = self._unclosed = 0
        html, at = _Html(reader), 0
        open_tags: dict[str, list[int]] = {}
        matches = _TOKEN.finditer(text)
        for index, match in enumerate(islice(matches, MAX_TAGS)):
            html.reader.read(text[at : match.start()], text[match.start() : match.start() + _AHEAD])
            at = match.end()
            self.tokens.append(html.take(match, text[at : at + 1]))
            if match["start"] and not match["given"].endswith("/"):
                open_tags.setdefault(match["start"].lower(), []).append(index)
            elif match["end"] and (starts := open_tags.get(match["end"].lower())):
                self.tokens[starts.pop()].partner = index
        if (further := next(matches, None)) is not None:
            self._report(further.start(), f"The template has more than {MAX_TAGS} tags; from here on they stay text.")

    def read(self, first: int, last: int, start: int, end: int, *, is_top: bool = False) -> Nodes:
        """Return the nodes of a part of the text, which has the tokens from `first` to before `last`."""
        nodes: list[Node] = []
        at, index = start, first
        while index < last:
            token = self.tokens[index]
            match = token.match
            if match["end"] or (match["start"] and is_top and not self._ends(token, last)):
                name = (match["start"] or match["end"]).lower()
                self._report(
                    token.start, f"<stl:{name}> has no end tag." if match["start"] else f"No <stl:{name}> is open here."
                )
                index += 1
                continue  # it stays in the page as text
            nodes.append(self._text[at : token.start])
            node, index, at = self._node(index, last, start, end)
            nodes.append(node)
        nodes.append(self._text[at:end])
        return tuple(node for node in nodes if node != "")

    def _ends(self, token: _Token, last: int) -> bool:
        return token.match["given"].endswith("/") or 0 <= token.partner < last

    def _node(self, index: int, last: int, start: int, end: int) -> tuple[Node, int, int]:
        """Return the node at a token, the next token, and the place after the node."""
        token = self.tokens[index]
        match, after = token.match, index + 1
        if match["start"] is None:
            return self._entity(token), after, token.end
        inner_end, closing = token.end, ""
        if not match["given"].endswith("/"):
            if 0 <= token.partner < last:
                partner = self.tokens[token.partner]
                inner_end, closing, stop = partner.start, partner.match[0], token.partner
                after = token.partner + 1
            else:
                self._report(token.start, f"<stl:{match['start'].lower()}> has no end tag.")
                self._unclosed += 1
                is_sought = self._unclosed <= _MAX_UNCLOSED
                inner_end = end_of_parent(self._text, start, token.end, end) if is_sought else token.end
                stop = next((at for at in range(after, last) if self.tokens[at].start >= inner_end), last)
                after = stop
            inner = self._read_inner(index + 1, stop, token.end, inner_end)
        else:
            inner = ()
        given = match["given"].removesuffix("/")
        element = Element(
            match["start"].lower(),
            read_attributes(given),
            inner,
            match[0],
            closing,
            token.place,
            token.start,
            token.reader,
        )
        return element, after, inner_end + len(closing)

    def _read_inner(self, first: int, last: int, start: int, end: int) -> Nodes:
        if self._depth >= MAX_DEPTH:
            self._report(start, f"Elements are nested more than {MAX_DEPTH} deep.")
            return (self._text[start:end],)
        self._depth += 1
        nodes = self.read(first, last, start, end)
        self._depth -= 1
        return nodes

    def _entity(self, token: _Token) -> Entity:
        match = token.match
        if match["tag"]:
            given = read_attributes(match["tag_given"].removesuffix("/"))
            return Entity(match[0], "stl", match["tag"], given, token.place, token.start)
        return Entity(match[0], match["family"].lower(), match["name"], None, token.place, token.start)

    def _report(self, offset: int, message: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(message, *place_of(self._text, offset)))
