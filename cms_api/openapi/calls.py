"""Derives one example call per operation from the document, for the Postman collection and the .http file."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cms_api.openapi.describing import JSON, Schema
from cms_api.openapi.examples import Examples
from cms_api.openapi.variables import in_braces, variables_in

PICTURE = "avatar.png"  # stored beside the collections
TO_DO = "put it here"  # placeholder for a variable that no response provides
_VERBS = ("get", "post", "put", "delete")
_VARIABLE = re.compile(r'"(\{\w+\})"')


@dataclass(frozen=True, slots=True)
class Call:
    """An operation of the document with its first successful example."""

    method: str
    path: str  # with parameter names in braces, such as /api/v1/users/{id}
    operation: Schema
    example: dict[str, Any]
    values: dict[str, Any]  # values of the variables in the recording

    @property
    def needs_key(self) -> bool:
        """Return true if the call requires a key."""
        return bool(self.operation["security"])

    @property
    def is_form(self) -> bool:
        """Return true if the body is a form with a file."""
        return "requestBody" in self.operation and JSON not in self.operation["requestBody"]["content"]

    @property
    def body(self) -> str | None:
        """Return the body as JSON with variables in double braces; None if there is no body."""
        if self.example.get("body") is None:
            return None
        return _VARIABLE.sub(self._in_braces, as_json(self.example["body"]))

    def _in_braces(self, found: re.Match[str]) -> str:
        quotes = '"' if isinstance(self.values[found[1][1:-1]], str) else ""
        return f"{quotes}{in_braces(found[1])}{quotes}"

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers of the example, with variables in double braces."""
        return {name: in_braces(value) for name, value in self.example.get("headers", {}).items()}

    @property
    def path_values(self) -> dict[str, str]:
        """Return the path parameters, with variables in double braces."""
        return {name: in_braces(value) for name, value in self.example.get("path", {}).items()}

    @property
    def query(self) -> dict[str, str]:
        """Return the query parameters."""
        return dict(self.example.get("query", {}))

    @property
    def needs(self) -> list[str]:
        """Return the names of the variables that the call uses, without duplicates."""
        return list(dict.fromkeys(variables_in([self.example.get(part) for part in ("path", "headers", "body")])))

    @property
    def gives(self) -> dict[str, str]:
        """Return the variables that later calls need, with their paths in the response, such as `value.id`."""
        return dict(self.example.get("gives", {}))

    @property
    def switch(self) -> str:
        """Return the variable that the user must set before Postman sends the call; usually empty."""
        return str(self.example.get("switch", ""))

    @property
    def note(self) -> str:
        """Return what the user must do or know before sending the call; usually empty."""
        return str(self.example.get("note", ""))

    def parameters(self, place: str) -> list[Schema]:
        """Return the parameters in `place`: path, query or header."""
        return [each for each in self.operation["parameters"] if each["in"] == place]


def calls(document: Schema, examples: Examples) -> Iterator[Call]:
    """Yield one call per operation, in the order of the examples, in which all calls succeed one after another.

    Aliases are left out: the calls of their originals would delete the same records.
    """
    found = {
        operation["operationId"]: (verb.upper(), path, operation)
        for path, operations in document["paths"].items()
        for verb, operation in operations.items()
        if verb in _VERBS and "x-alias-of" not in operation
    }
    order = [*(name for name in examples.of_operations if name in found), *found]
    for name in dict.fromkeys(order):
        played = examples.of_operations.get(name, [])
        yield Call(*found[name], next((each for each in played if each["status"] == 200), {}), examples.values)


def as_json(value: Any) -> str:
    """Return indented JSON for human readers."""
    return json.dumps(value, ensure_ascii=False, indent=2)
