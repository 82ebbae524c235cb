"""The parts of a template: text, elements such as `<stl:a>`, and entities such as `{content.title}`."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Encoding(Enum):
    """How a value must be encoded for a reader of the page: of HTML, a script, a style sheet, an address or SQL."""

    TEXT = "text"
    RAW = "raw text"  # in a title, a text area, or another element without elements
    COMMENT = "comment"
    TAG = "name of a tag"
    ATTRIBUTE = "attribute"
    UNQUOTED = "unquoted"  # in an attribute without quotes, or beside the attributes of a tag
    UNQUOTED_ALONE = "unquoted, alone"  # the whole attribute, which must not become empty
    UNQUOTED_FIRST = "unquoted, first"  # the same, before another value
    NAMED = "attribute of a name that is not known"
    ADDRESS = "address"
    REFRESH = "seconds and address"
    RESOURCE = "address of a script or style sheet"
    HOST = "host of a script or style sheet"
    PERCENT = "script in an address"
    SCRIPT = "script"  # between quotes
    SCRIPT_CODE = "script code"  # outside of quotes
    SCRIPT_NAME = "part of a name in a script"
    SCRIPT_TEMPLATE = "template literal"
    SCRIPT_OTHER = "comment or regular expression of a script"
    JSON = "JSON"
    JSON_TEXT = "JSON text"
    HANDLER = "handler"  # a script in an attribute, such as onclick
    STYLE = "style"
    STYLE_VALUE = "value of a style"
    STYLE_TEXT = "style text"  # between quotes
    STYLE_ADDRESS = "style address"
    NONE = "none"  # in an attribute of an element, which is read and not written
    SQL_TEXT = "SQL text"  # between the quotes of a statement
    SQL = "SQL"  # elsewhere in a statement
    SQL_PART = "part of a condition"
    SQL_ORDER = "part of an order"
    SQL_NOWHERE = "no place for a value"  # in a comment of a statement, or where its quotes can be read in two ways


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a page: its context, and the encodings of its values, for the innermost reader first."""

    encoding: Encoding
    steps: tuple[Encoding, ...]
    before: frozenset[str] = frozenset()  # the possible beginnings of an address there; `\0` stands for a value


TEXT = Place(Encoding.TEXT, (Encoding.TEXT,))
NONE = Place(Encoding.NONE, (Encoding.NONE,))


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
    place: Place
    offset: int  # characters before it in the template

    @property
    def encoding(self) -> Encoding:
        return self.place.encoding


@dataclass(frozen=True, slots=True)
class Element:
    name: str  # in lower case, without "stl:"
    attributes: Pairs
    inner: "Nodes"
    start: str  # the start tag as written
    end: str
    place: Place
    offset: int
    reader: Any = None  # of the HTML before an include in the middle of a tag or script

    @property
    def encoding(self) -> Encoding:
        return self.place.encoding


Node = str | Entity | Element
Nodes = tuple[Node, ...]


def nested(nodes: Nodes) -> Iterator[Element | Entity]:
    """Yield the elements and entities of every depth, in the order of the text."""
    for node in nodes:
        if not isinstance(node, str):
            yield node
        if isinstance(node, Element):
            yield from nested(node.inner)
