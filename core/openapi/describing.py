"""Classes for the apps' descriptions of operations; tools.openapi.generator builds the document from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

Schema = dict[str, Any]
Codes = Mapping[int, tuple[str, ...]]  # error codes by status
JSON = "application/json"
TEXT = "text/plain"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A path, query or header parameter."""

    name: str
    description: str
    schema: Schema
    place: str = "query"
    is_required: bool = False
    # For a group of parameters with arbitrary names, separate parameters in the URL.
    is_exploded: bool = False

    def shown(self) -> Schema:
        """Return the parameter object for the document."""
        shown: Schema = {"name": self.name, "in": self.place, "description": self.description, "schema": self.schema}
        required = {"required": True} if self.is_required or self.place == "path" else {}
        # Without an example, API explorers would invent names.
        return shown | required | ({"style": "form", "explode": True, "example": {}} if self.is_exploded else {})


@dataclass(frozen=True, slots=True)
class Link:
    """A follow-up operation, and where to find its parameters in the request or response."""

    operation: str
    parameters: Mapping[str, str]
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The body of a request."""

    schema: Schema
    description: str
    is_required: bool = True
    media_type: str = JSON
    form: Schema | None = None  # instead, as multipart/form-data
    encoding: Schema | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """One operation: a method at a path below /api/v1.

    `codes` lists error codes by status, in addition to those derived by tools.openapi.errors. `headers` names
    additional headers of a successful response; the document must define them.
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
    """Return a reference to the schema with this name."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(properties: Mapping[str, Schema], *, required: Sequence[str] | None = None) -> Schema:
    """Return the schema of an object with exactly these members, all of them required unless `required` lists some."""
    return {
        "type": "object",
        "required": list(properties if required is None else required),
        "properties": dict(properties),
        "additionalProperties": False,
    }


def value_of(schema: Schema, description: str = "The value that was requested.") -> Schema:
    """Return the schema of the envelope that most responses have."""
    return record({"value": _described(schema, description)})


def list_of(schema: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": schema}


def nullable(schema: Schema) -> Schema:
    """Return a schema that also allows null."""
    return {"anyOf": [schema, {"type": "null"}]}


PAGE_ADDRESSES: dict[str, Schema] = {
    "first": {"type": "string", "description": "URL of the first page; absent there."},
    "prev": {"type": "string", "description": "URL of the previous page; absent on the first."},
    "next": {"type": "string", "description": "URL of the next page; absent on the last."},
    "last": {"type": "string", "description": "URL of the last page; absent there."},
}


def paged_list_of(schema: Schema) -> Schema:
    """Return the schema of a list in a GET response: the whole list, or one page with page URLs and count."""
    properties = {
        "value": _described(list_of(schema), "The records of the page, or all."),
        "count": {
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "description": "Number of matching records on all pages. Only with top or skip.",
        },
    }
    return record(properties | PAGE_ADDRESSES, required=["value"])


def joined(*modules: ModuleType) -> tuple[dict[str, Schema], tuple[Described, ...]]:
    """Return the combined SCHEMAS and OPERATIONS of the modules of an app."""
    schemas = {name: schema for module in modules for name, schema in getattr(module, "SCHEMAS", {}).items()}
    return schemas, tuple(each for module in modules for each in getattr(module, "OPERATIONS", ()))


def _described(schema: Schema, description: str) -> Schema:
    return {"description": description} | schema
