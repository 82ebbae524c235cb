"""The parts of a template: text, elements such as `<stl:a>`, and entities such as `{content.title}`."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Encoding(Enum):
    """Where in the HTML an element or entity is, and so how its value must be encoded."""

    TEXT = "text"
    ATTRIBUTE = "attribute"
    UNQUOTED = "unquoted"  # in an attribute without quotes, or beside the attributes of a tag
    SCRIPT = "script"
    HANDLER = "handler"  # a script in an attribute, such as onclick
    STYLE = "style"
    NONE = "none"  # in an attribute of an element, which is read and not written
    SQL_TEXT = "SQL text"  # between the quotes of a statement
    SQL = "SQL"  # elsewhere in a statement


@dataclass(frozen=True, slots=True)
class Problem:
    """An error of a template, at a line and column counted from 1."""

    message: str
    line: int
    column: int
    file: str = ""  # the include that has it; empty for the template itself


Pairs = tuple[tuple[str, str], ...]  # names in lower case, and values


@dataclass(frozen=True, slots=True)
class Entity:
    raw: str
    family: str  # in lower case
    name: str
    attributes: Pairs | None  # of a tag entity such as {stl:value type="x"}; None for others
    encoding: Encoding
    offset: int  # characters before it in the template


@dataclass(frozen=True, slots=True)
class Element:
    name: str  # in lower case, without "stl:"
    attributes: Pairs
    inner: "Nodes"
    start: str  # the start tag as written
    end: str
    encoding: Encoding
    offset: int


Node = str | Entity | Element
Nodes = tuple[Node, ...]


def nested(nodes: Nodes) -> Iterator[Element | Entity]:
    """Yield the elements and entities of every depth, in the order of the text."""
    for node in nodes:
        if not isinstance(node, str):
            yield node
        if isinstance(node, Element):
            yield from nested(node.inner)
