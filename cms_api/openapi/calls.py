"""One call of each operation, out of the document: what collections of requests for other programs are made of."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cms_api.openapi.describing import JSON, Schema
from cms_api.openapi.examples import Examples

_VERBS = ("get", "post", "put", "delete")


@dataclass(frozen=True, slots=True)
class Call:
    """An operation of the document, with the example that comes first."""

    method: str
    path: str  # with names in braces, such as /api/v1/users/{id}
    operation: Schema
    example: dict[str, Any]

    @property
    def needs_key(self) -> bool:
        """Whether a key has to be sent."""
        return bool(self.operation["security"])

    @property
    def is_form(self) -> bool:
        """Whether the body is a form with a file."""
        return "requestBody" in self.operation and JSON not in self.operation["requestBody"]["content"]

    @property
    def body(self) -> Any:
        """The JSON object of the body; None without one."""
        return self.example.get("body")

    def parameters(self, place: str) -> list[Schema]:
        """Those of the path, the query or the headers."""
        return [each for each in self.operation["parameters"] if each["in"] == place]


def calls(document: Schema, examples: Examples) -> Iterator[Call]:
    """A call of each operation, in the order of the examples, in which all of them can be sent one after the other."""
    found = {
        operation["operationId"]: (verb.upper(), path, operation)
        for path, operations in document["paths"].items()
        for verb, operation in operations.items()
        if verb in _VERBS
    }
    order = [*(name for name in examples.of_operations if name in found), *found]
    for name in dict.fromkeys(order):
        played = examples.of_operations.get(name, [])
        yield Call(*found[name], next((each for each in played if each["status"] == 200), {}))
