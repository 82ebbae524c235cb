"""Compiles the nodes of a template into functions that render them.

An element is compiled by the function that `element` registers for its name: it gets the compiler and the node, and
returns a function that renders the node in a scope. Its words describe it and its attributes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape

from core.lib.errors import ServiceError
from core.stl.attributes import Attributes
from pages.engine.html import NO_PLACE, SQL, Foreign, Written, attribute_text, encoder_of
from pages.engine.languages import Sql
from pages.engine.nodes import TEXT, Element, Encoding, Entity, Node, Nodes, Place, Problem
from pages.engine.parsing import MAX_PROBLEMS, parse, place_of
from pages.engine.reading import Attribute, Reader
from pages.engine.scope import Scope
from pages.engine.source import Record
from pages.engine.words import ElementWords, EntityWords, folded

Render = Callable[[Scope], str]
CompileElement = Callable[["Compiler", Element], Render]
ELEMENTS: dict[str, CompileElement] = {}
WORDS: dict[str, ElementWords] = {}  # of the elements
EntityValue = Callable[[Scope, Entity], str]
ENTITIES: dict[str, EntityValue] = {}  # by family
# Attributes that are SQL, and how a value between texts, names and comments is encoded there.
_CONDITIONS = {"where": Encoding.SQL_PART, "order": Encoding.SQL_ORDER}
_OF_VISITORS = frozenset({"request", "inputcontent"})  # families whose values are texts of visitors
_CONTENTS = "siteserver_Content"  # as statements name the contents of the site
# Attributes of elements that become addresses.
_ADDRESSES = {"href": "href", "host": "href", "src": "src", "altsrc": "src"}
ENTITY_WORDS: dict[str, EntityWords] = {}
TAG_ENTITIES: dict[str, CompileElement] = {}  # elements that differ as an entity, such as {stl:a}


def element(*several: ElementWords) -> Callable[[CompileElement], CompileElement]:
    """Register the function that compiles the elements with these words."""

    def register(compile_element: CompileElement) -> CompileElement:
        for words in several:
            ELEMENTS[words.name.lower()], WORDS[words.name.lower()] = compile_element, words
        return compile_element

    return register


def entity(family: str, words: EntityWords) -> Callable[[EntityValue], EntityValue]:
    """Register the function that reads the values of entities such as `{content.title}`."""

    def register(value: EntityValue) -> EntityValue:
        ENTITIES[family.lower()], ENTITY_WORDS[family] = value, words
        return value

    return register


class Given:
    """The attributes of an element, whose values may contain entities."""

    def __init__(self, compiler: "Compiler", node: Element, *, statement: str = "") -> None:
        pairs = node.attributes
        self._own = folded(WORDS[node.name])
        self._tag = node.name
        self._around = node.place.steps if node.place is not TEXT else ()
        self._texts = dict(pairs)
        self._constant = Attributes(pairs)
        self._renders: dict[str, Render] = {}
        self._nodes: dict[str, Nodes] = {}
        for name, value in pairs:
            if "{" in value:
                nodes, _ = parse(value)
                if any(not isinstance(node, str) for node in nodes):
                    self._nodes[name] = nodes
                    if name == statement:
                        self._renders[name] = compiler.statement(nodes, node)
                    elif name in _CONDITIONS and name in self._own:
                        self._renders[name] = compiler.statement(nodes, node, _CONDITIONS[name])
                    else:
                        attribute = Attribute("", _ADDRESSES.get(name, ""))
                        placed = _places(nodes, attribute, (Encoding.NONE,), Encoding.NONE)
                        self._renders[name] = _joined_text([compiler.entity_at(each, place) for each, place in placed])

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    @property
    def written(self) -> frozenset[str]:
        """The names of the attributes without entities."""
        return frozenset(self._texts.keys() - self._renders.keys())

    @property
    def constant(self) -> Attributes | None:
        """The attributes if they are the same in every scope."""
        return None if self._renders else self._constant

    def read(self, scope: Scope) -> Attributes:
        if not self._renders:
            return self._constant
        return Attributes(
            (name, self._renders[name](scope) if name in self._renders else value)
            for name, value in self._texts.items()
        )

    def passed(self, compiler: "Compiler", *without: str) -> Render:
        """Return a renderer of the others for an HTML tag, each after a blank; entities in them are encoded."""
        parts: list[str | Render] = []
        outer = (Encoding.ATTRIBUTE, *self._around)
        for name, value in self._texts.items():
            if (
                name in self._own
                or name in without
                or not name.replace("-", "").replace(":", "").replace("_", "").isalnum()
            ):
                continue
            parts.append(f' {name}="')
            nodes = self._nodes.get(name, (value,))
            for node, place in _places(nodes, Attribute(self._tag, name), outer, Encoding.ATTRIBUTE):
                parts.append(attribute_text(node) if isinstance(node, str) else compiler.entity_at(node, place))
            parts.append('"')
        return joined(parts)


def _places(
    nodes: Nodes, attribute: Attribute, outer: tuple[Encoding, ...], kind: Encoding
) -> Iterator[tuple[Node, Place]]:
    """Yield the parts of an attribute with their places."""
    for number, node in enumerate(nodes):
        if isinstance(node, str):
            yield node, TEXT
            attribute.read(node)
        else:
            following = nodes[number + 1 : number + 2]
            after = following[0][:1] if following and isinstance(following[0], str) else ""
            yield node, attribute.place(after, outer, kind)
            attribute.insert()


class Compiler:
    """Compiles one template or include."""

    def __init__(self, text: str, file: str = "", *, is_include: bool = False, reader: Reader | None = None) -> None:
        self._text, self._file = text, file
        self.is_include, self._reader = is_include, reader
        self.paged: set[int] = set()  # ids of the nodes whose lists have pages
        # Attributes of the lists of contents that the part being compiled always shows; None where that is not known.
        self._always: list[Attributes] | None = None
        self.around: list[Attributes] | None = None  # the same of the part that contains the element being compiled
        self.problems: list[Problem] = []

    def parse(self) -> Nodes:
        nodes, problems = parse(self._text, self._reader)
        for found in problems:
            self.problems.append(Problem(found.message, found.line, found.column, self._file))
        return nodes

    def report(self, node: Element | Entity, message: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(self._problem(node, message))

    def _problem(self, node: Element | Entity, message: str) -> Problem:
        return Problem(message, *place_of(self._text, node.offset), self._file)

    def given(self, node: Element, *, statement: str = "") -> Given:
        """Compile the attributes; the one called `statement` is SQL."""
        return Given(self, node, statement=statement)

    def statement(self, nodes: Nodes, owner: Element, between: Encoding = Encoding.SQL) -> Render:
        """Return a renderer of a SELECT or a part of one; values in it are texts between quotes, or integers."""
        parts: list[str | Render] = []
        sql = Sql()
        for node in nodes:
            encoding = sql.encoding(between)
            if isinstance(node, str):
                sql.read(node)
            elif encoding is Encoding.SQL_NOWHERE:
                self.report(owner, NO_PLACE)
            elif encoding is Encoding.SQL and is_contents_table(node):
                parts.append(_CONTENTS)
                continue
            parts.append(self.entity_at(node, Place(encoding, (encoding,))))
        return joined(parts)

    def block(self, nodes: Nodes) -> Render:
        return joined([node if isinstance(node, str) else self._node(node) for node in nodes])

    @contextmanager
    def part(self) -> Iterator[list[Attributes]]:
        """Within the block, collect the attributes of the lists of contents that the compiled parts always show."""
        former, self._always = self._always, []
        try:
            yield self._always
        finally:
            self._always = former

    def _node(self, node: Element | Entity) -> Render:
        if isinstance(node, Entity):
            return self.entity_at(node, node.place)
        compile_element = ELEMENTS.get(node.name)
        if compile_element is None:
            self.report(node, f"<stl:{node.name}> is not a known element; it stays in the page as it is.")
            return joined([node.start, self.block(node.inner), node.end])
        around, self.around, self._always = self.around, self._always, None
        render = compile_element(self, node)
        self.around, self._always = around, self.around
        return self._guarded(render, node)

    def entity_at(self, node: "Node", place: Place) -> Render:
        """Return a renderer of an entity (or an element in an attribute) for this place."""
        if isinstance(node, str):
            written = Written(node)
            return lambda scope: written
        if isinstance(node, Element):
            return self._node(node)
        if node.attributes is not None:
            compile_element = TAG_ENTITIES.get(node.name.lower()) or ELEMENTS.get(node.name.lower())
            if compile_element is None:
                return joined([node.raw])
            as_element = Element(node.name.lower(), node.attributes, (), node.raw, "", place, node.offset)
            return self._guarded(compile_element(self, as_element), node)
        value = ENTITIES.get(node.family)
        if value is None:
            return joined([""])
        entity = node
        if place is TEXT and entity.family not in _OF_VISITORS:
            return self._guarded(lambda scope: value(scope, entity), node)
        is_shown = place is TEXT and entity.family == "inputcontent"  # whatever it begins with
        encoded = escape if is_shown else encoder_of(place, is_foreign=entity.family in _OF_VISITORS)

        def render(scope: Scope) -> str:
            return encoded(value(scope, entity))

        # Without a value that is refused, a statement would be another one.
        return render if place.encoding in SQL else self._guarded(render, node)

    def _guarded(self, render: Render, node: Element | Entity) -> Render:
        """Return the same, but an element that fails renders as nothing."""

        def rendered(scope: Scope) -> str:
            try:
                return render(scope)
            except ServiceError as error:
                scope.budget.report(self._problem(node, error.message))
                return ""

        return rendered


def joined(parts: Iterable[str | Render]) -> Render:
    """Return a renderer of the parts in sequence."""
    merged: list[str | Render] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    if not merged:
        return _nothing
    if len(merged) == 1:
        only = merged[0]
        return (lambda scope: only) if isinstance(only, str) else only

    def render(scope: Scope) -> str:
        text = "".join([part if isinstance(part, str) else part(scope) for part in merged])
        scope.budget.check_size(len(text))
        return text

    return render


def is_contents_table(node: Node) -> bool:
    """Return true for `{stl.tableForContent}`, which a parameter of that name does not replace in a statement."""
    return isinstance(node, Entity) and (node.family, node.name.casefold()) == ("stl", "tableforcontent")


def statement_with(nodes: Nodes, text: str, number: str) -> str:
    """Return a statement with these in the place of its values."""
    parts, sql = [], Sql()
    for node in nodes:
        if isinstance(node, str):
            sql.read(node)
            parts.append(node)
        elif sql.encoding(Encoding.SQL) is Encoding.SQL_TEXT:
            parts.append(text)
        else:
            parts.append(_CONTENTS if is_contents_table(node) else number)
    return "".join(parts)


def _joined_text(parts: Sequence[Render]) -> Render:
    """Return a renderer of an attribute that is read; it is foreign if a part is."""

    def render(scope: Scope) -> str:
        texts = [part(scope) for part in parts]
        text = "".join(texts)
        scope.budget.check_size(len(text))
        if any(isinstance(each, Foreign) for each in texts):
            return Foreign(text)
        return Written(text) if all(isinstance(each, Written) for each in texts) else text

    return render


def read_ahead(scope: Scope, channels: Sequence[Record], lists: Sequence[Attributes]) -> None:
    """Read the lists of contents around each of the channels, together."""
    if len(channels) * len(lists) > 1:
        find = scope.source.find_channel
        content_id = scope.content["id"] if scope.content is not None else 0
        scope.source.read_ahead([(find(channel, each), each) for channel in channels for each in lists], content_id)


def _nothing(scope: Scope) -> str:
    return ""


def children(node: Element, *names: str) -> dict[str, Element]:
    """Return the first direct child of each name."""
    found: dict[str, Element] = {}
    for child in node.inner:
        if isinstance(child, Element) and child.name in names:
            found.setdefault(child.name, child)
    return found


def trimmed(nodes: Nodes) -> Nodes:
    """Return the nodes without white space at both ends."""
    parts = list(nodes)
    if parts and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip()
    if parts and isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip()
    return tuple(part for part in parts if part != "")


class Branches:
    """The `yes` and `no` of an element; without either, its whole inner text is `yes`."""

    def __init__(self, compiler: Compiler, node: Element) -> None:
        found = children(node, "yes", "no", "successtemplate", "failuretemplate")
        yes, no = found.get("yes") or found.get("successtemplate"), found.get("no") or found.get("failuretemplate")
        self.are_given = yes is not None or no is not None
        self.has_yes, self.has_no = yes is not None, no is not None
        rest = tuple(child for child in node.inner if not isinstance(child, Element) or child.name != "loading")
        inner = (trimmed(yes.inner) if yes else ()) if self.are_given else rest
        self.yes = compiler.block(inner)
        self.no = compiler.block(trimmed(no.inner)) if no else _nothing
        self.is_empty = not self.are_given and not node.inner
