"""The words in which each app describes its operations; cms_api.openapi.generator makes the document of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

Schema = dict[str, Any]
Codes = Mapping[int, tuple[str, ...]]  # error words by status
JSON = "application/json"
TEXT = "text/plain"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a path, a query or a header."""

    name: str
    description: str
    schema: Schema
    place: str = "query"
    is_required: bool = False
    # How a group of parameters with free names is written: each as a parameter of its own.
    is_exploded: bool = False

    def shown(self) -> Schema:
        """As the document has it."""
        shown: Schema = {"name": self.name, "in": self.place, "description": self.description, "schema": self.schema}
        required = {"required": True} if self.is_required or self.place == "path" else {}
        # Without an example, pages that try calls would make names up.
        return shown | required | ({"style": "form", "explode": True, "example": {}} if self.is_exploded else {})


@dataclass(frozen=True, slots=True)
class Link:
    """What can be asked next: an operation, and where its parameters stand in the request or the answer."""

    operation: str
    parameters: Mapping[str, str]
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What a request carries."""

    schema: Schema
    description: str
    is_required: bool = True
    media_type: str = JSON
    encoding: Schema | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """One operation: a verb at a path below /api/v1.

    `codes` are the error words by status, beside those that cms_api.openapi.errors finds by itself; `headers` are
    names among the document's headers that a success has besides.
    """

    method: str
    path: str
    id: str
    tag: str
    description: str
    success: str
    answer: Schema
    answer_types: tuple[str, ...] = (JSON,)
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    codes: Codes = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    uses_database: bool = True


@dataclass(frozen=True, slots=True)
class Tag:
    """A group of operations."""

    name: str
    description: str


def ref(name: str) -> Schema:
    """The schema of that name."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(properties: Mapping[str, Schema], *, required: Sequence[str] | None = None) -> Schema:
    """An object of these members and no others; all of them are there unless it is said which."""
    return {
        "type": "object",
        "required": list(properties if required is None else required),
        "properties": dict(properties),
        "additionalProperties": False,
    }


def value_of(schema: Schema, description: str = "What was asked for.") -> Schema:
    """The envelope of most answers."""
    return record({"value": _described(schema, description)})


def list_of(schema: Schema) -> Schema:
    """A list."""
    return {"type": "array", "items": schema}


def nullable(schema: Schema) -> Schema:
    """The same or null."""
    return {"anyOf": [schema, {"type": "null"}]}


PAGE_ADDRESSES: dict[str, Schema] = {
    "first": {"type": "string", "description": "Address of the first page; missing on that page itself."},
    "prev": {"type": "string", "description": "Address of the page before; missing on the first page."},
    "next": {"type": "string", "description": "Address of the next page; missing on the last page."},
    "last": {"type": "string", "description": "Address of the last page; missing on that page itself."},
}


def paged_list_of(schema: Schema) -> Schema:
    """The answer of a GET list: whole, or with the members of a page."""
    properties = {
        "value": _described(list_of(schema), "The records, of the page or of the whole list."),
        "count": {
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "description": "How many records match, on all pages together. Only where the list is asked for in pages.",
        },
    }
    return record(properties | PAGE_ADDRESSES, required=["value"])


def joined(*modules: ModuleType) -> tuple[dict[str, Schema], tuple[Described, ...]]:
    """What the modules of an app describe: all their SCHEMAS, and all their OPERATIONS."""
    schemas = {name: schema for module in modules for name, schema in getattr(module, "SCHEMAS", {}).items()}
    return schemas, tuple(each for module in modules for each in getattr(module, "OPERATIONS", ()))


def _described(schema: Schema, description: str) -> Schema:
    return {"description": description} | schema
