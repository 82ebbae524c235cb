"""One call of each operation, out of the document: what collections of requests for other programs are made of."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cms_api.openapi.describing import JSON, Schema
from cms_api.openapi.examples import Examples
from cms_api.openapi.variables import in_braces, variables_in

PICTURE = "avatar.png"  # lies beside the collections
TO_DO = "put it here"  # the value of a variable that no answer has
_VERBS = ("get", "post", "put", "delete")
_VARIABLE = re.compile(r'"(\{\w+\})"')


@dataclass(frozen=True, slots=True)
class Call:
    """An operation of the document, with the first of its examples that is a success."""

    method: str
    path: str  # with names in braces, such as /api/v1/users/{id}
    operation: Schema
    example: dict[str, Any]
    values: dict[str, Any]  # what variables stood for in the recording

    @property
    def needs_key(self) -> bool:
        """Whether a key has to be sent."""
        return bool(self.operation["security"])

    @property
    def is_form(self) -> bool:
        """Whether the body is a form with a file."""
        return "requestBody" in self.operation and JSON not in self.operation["requestBody"]["content"]

    @property
    def body(self) -> str | None:
        """The JSON of the body, with variables in two braces; None without one."""
        if self.example.get("body") is None:
            return None
        return _VARIABLE.sub(self._in_braces, as_json(self.example["body"]))

    def _in_braces(self, found: re.Match[str]) -> str:
        quotes = '"' if isinstance(self.values[found[1][1:-1]], str) else ""
        return f"{quotes}{in_braces(found[1])}{quotes}"

    @property
    def headers(self) -> dict[str, str]:
        """Those of the example, with variables in two braces."""
        return {name: in_braces(value) for name, value in self.example.get("headers", {}).items()}

    @property
    def path_values(self) -> dict[str, str]:
        """What stands in the path, likewise."""
        return {name: in_braces(value) for name, value in self.example.get("path", {}).items()}

    @property
    def query(self) -> dict[str, str]:
        """What stands in the query."""
        return dict(self.example.get("query", {}))

    @property
    def needs(self) -> list[str]:
        """The names of its variables, each once."""
        return list(dict.fromkeys(variables_in([self.example.get(part) for part in ("path", "headers", "body")])))

    @property
    def gives(self) -> dict[str, str]:
        """Variables that later calls need, each with its place in the answer, such as `value.id`."""
        return dict(self.example.get("gives", {}))

    @property
    def switch(self) -> str:
        """A variable that a person sets before Postman sends the call; often none."""
        return str(self.example.get("switch", ""))

    @property
    def note(self) -> str:
        """What somebody has to do, or to know, before the call is sent; often nothing."""
        return str(self.example.get("note", ""))

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
        yield Call(*found[name], next((each for each in played if each["status"] == 200), {}), examples.values)


def as_json(value: Any) -> str:
    """JSON for people."""
    return json.dumps(value, ensure_ascii=False, indent=2)
