"""Compiles the nodes of a template into functions that render them.

An element is compiled by the function that `element` registers for its name: it gets the compiler and the node, and
returns a function that renders the node in a scope. Its words say what it is for, and which attributes it reads.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from cms_api.lib.errors import ServiceError
from cms_api.stl.attributes import Attributes
from pages.engine.html import attribute_text, encode, encode_foreign
from pages.engine.nodes import Element, Encoding, Entity, Node, Nodes, Problem
from pages.engine.parsing import MAX_PROBLEMS, parse, place_of
from pages.engine.scope import Scope
from pages.engine.source import Record
from pages.engine.words import ElementWords, EntityWords, folded

Render = Callable[[Scope], str]
CompileElement = Callable[["Compiler", Element], Render]
ELEMENTS: dict[str, CompileElement] = {}
WORDS: dict[str, ElementWords] = {}  # of the elements
EntityValue = Callable[[Scope, Entity], str]
ENTITIES: dict[str, EntityValue] = {}  # by family
ENTITY_WORDS: dict[str, EntityWords] = {}
TAG_ENTITIES: dict[str, CompileElement] = {}  # elements that differ as an entity, such as {stl:a}


def element(*several: ElementWords) -> Callable[[CompileElement], CompileElement]:
    """Register what compiles the elements that the words are of."""

    def register(compile_element: CompileElement) -> CompileElement:
        for words in several:
            ELEMENTS[words.name.lower()], WORDS[words.name.lower()] = compile_element, words
        return compile_element

    return register


def entity(family: str, words: EntityWords) -> Callable[[EntityValue], EntityValue]:
    """Register what reads the values of entities such as `{content.title}`."""

    def register(value: EntityValue) -> EntityValue:
        ENTITIES[family.lower()], ENTITY_WORDS[family] = value, words
        return value

    return register


class Given:
    """The attributes of an element, whose values may contain entities."""

    def __init__(self, compiler: "Compiler", node: Element, *, statement: str = "") -> None:
        pairs = node.attributes
        self._own = folded(WORDS[node.name])
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
                        self._renders[name] = compiler.statement(nodes)
                    else:
                        self._renders[name] = joined([compiler.entity_at(node, Encoding.NONE) for node in nodes])

    def __contains__(self, name: str) -> bool:
        return name in self._texts

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
        """Return what renders the others for an HTML tag, each after a blank; entities in them are encoded."""
        parts: list[str | Render] = []
        for name, value in self._texts.items():
            if (
                name in self._own
                or name in without
                or not name.replace("-", "").replace(":", "").replace("_", "").isalnum()
            ):
                continue
            encoding = Encoding.HANDLER if name.startswith("on") else Encoding.ATTRIBUTE
            parts.append(f' {name}="')
            parts += [
                attribute_text(node) if isinstance(node, str) else compiler.entity_at(node, encoding)
                for node in self._nodes.get(name, (value,))
            ]
            parts.append('"')
        return joined(parts)


class Compiler:
    """Compiles one template or include."""

    def __init__(self, text: str, file: str = "", *, is_include: bool = False) -> None:
        self._text, self._file = text, file
        self.is_include = is_include
        self.paged: set[int] = set()  # ids of the nodes whose lists have pages
        # Attributes of the lists of contents that the part being compiled always shows; None where that is not known.
        self._always: list[Attributes] | None = None
        self.around: list[Attributes] | None = None  # the same of the part that contains the element being compiled
        self.problems: list[Problem] = []

    def parse(self) -> Nodes:
        nodes, problems = parse(self._text)
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

    def statement(self, nodes: Nodes) -> Render:
        """Return what renders a SELECT; values in it are texts between quotes, or integers."""
        parts, is_quoted = [], False
        for node in nodes:
            if isinstance(node, str):
                is_quoted ^= node.count("'") % 2 == 1
            parts.append(self.entity_at(node, Encoding.SQL_TEXT if is_quoted else Encoding.SQL))
        return joined(parts)

    def block(self, nodes: Nodes) -> Render:
        return joined([node if isinstance(node, str) else self._node(node) for node in nodes])

    @contextmanager
    def part(self) -> Iterator[list[Attributes]]:
        """Within the block, collect the attributes of the lists of contents that what it compiles always shows."""
        former, self._always = self._always, []
        try:
            yield self._always
        finally:
            self._always = former

    def _node(self, node: Element | Entity) -> Render:
        if isinstance(node, Entity):
            return self.entity_at(node, node.encoding)
        compile_element = ELEMENTS.get(node.name)
        if compile_element is None:
            self.report(node, f"<stl:{node.name}> is not a known element; it stays in the page as it is.")
            return joined([node.start, self.block(node.inner), node.end])
        around, self.around, self._always = self.around, self._always, None
        render = compile_element(self, node)
        self.around, self._always = around, self.around
        return self._guarded(render, node)

    def entity_at(self, node: "Node", encoding: Encoding) -> Render:
        """Return what renders an entity (or an element in an attribute) for this place of the HTML."""
        if isinstance(node, str):
            return joined([node])
        if isinstance(node, Element):
            return self._node(node)
        if node.attributes is not None:
            compile_element = TAG_ENTITIES.get(node.name.lower()) or ELEMENTS.get(node.name.lower())
            if compile_element is None:
                return joined([node.raw])
            as_element = Element(node.name.lower(), node.attributes, (), node.raw, "", encoding, node.offset)
            return self._guarded(compile_element(self, as_element), node)
        value = ENTITIES.get(node.family)
        if value is None:
            return joined([""])
        entity = node
        encoded = encode_foreign if entity.family == "request" else encode
        return self._guarded(lambda scope: encoded(value(scope, entity), encoding), node)

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
    """Return what renders the parts one after another."""
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
