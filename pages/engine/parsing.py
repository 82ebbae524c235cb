"""Parses a template. HTML is neither parsed nor repaired; see `html.Place`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pages.engine.html import Place, end_of_parent
from pages.engine.nodes import Element, Encoding, Entity, Node, Nodes, Pairs, Problem

FAMILIES = ("stl", "content", "channel", "request", "sql", "user", "navigation", "photo", "comment", "pageitem")
_TOKEN = re.compile(
    rf"""
      <stl:(?P<start>\w+) (?P<given> (?: [^<>"'] | "[^"]{{0,2000}}" | '[^']{{0,2000}}' ){{0,4000}} | [^>]{{0,4000}} ) >
    | </stl:(?P<end>\w+) [^>]{{0,4000}} >
    | \{{ stl:(?P<tag>\w+) (?P<tag_given> (?:\s[^{{}}]*)? ) \}}
    | \{{ (?P<family> {"|".join(FAMILIES)} ) \. (?P<name> [\w.+-]+ ) \}}
    """,
    re.VERBOSE | re.IGNORECASE,
)
MAX_DEPTH = 50  # elements in elements; those deeper stay text
MAX_PROBLEMS = 100
_ATTRIBUTE = re.compile(r"""([^\s=/"'>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")


@dataclass(slots=True)
class _Token:
    match: re.Match[str]
    encoding: Encoding
    partner: int = -1  # index of the end tag

    @property
    def start(self) -> int:
        return self.match.start()

    @property
    def end(self) -> int:
        return self.match.end()


def parse(text: str) -> tuple[Nodes, list[Problem]]:
    reader = _Reader(text)
    return reader.read(0, len(reader.tokens), 0, len(text), is_top=True), reader.problems


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


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self.problems: list[Problem] = []
        self.tokens: list[_Token] = []
        self._depth = 0
        place, at = Place(), 0
        open_tags: dict[str, list[int]] = {}
        for index, match in enumerate(_TOKEN.finditer(text)):
            place.read(text[at : match.start()])
            at = match.end()
            self.tokens.append(_Token(match, place.encoding))
            if match["start"] and not match["given"].endswith("/"):
                open_tags.setdefault(match["start"].lower(), []).append(index)
            elif match["end"] and (starts := open_tags.get(match["end"].lower())):
                self.tokens[starts.pop()].partner = index

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
                inner_end = end_of_parent(self._text, start, token.end, end)
                stop = next((at for at in range(after, last) if self.tokens[at].start >= inner_end), last)
                after = stop
            inner = self._read_inner(index + 1, stop, token.end, inner_end)
        else:
            inner = ()
        given = match["given"].removesuffix("/")
        element = Element(
            match["start"].lower(), read_attributes(given), inner, match[0], closing, token.encoding, token.start
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
            return Entity(match[0], "stl", match["tag"], given, token.encoding, token.start)
        return Entity(match[0], match["family"].lower(), match["name"], None, token.encoding, token.start)

    def _report(self, offset: int, message: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(message, *place_of(self._text, offset)))
