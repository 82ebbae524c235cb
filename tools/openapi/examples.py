"""Reads the example requests and responses, which are recorded from the sample site and stored in one file.

`make openapi` records them again (tools.openapi.recording).
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.openapi.describing import Schema

FILE = Path(__file__).with_name("examples.json")
_VARIABLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Examples:
    """The examples of each operation, in the order of the recording, and the errors that any operation may return.

    Requests contain variables, such as `{userId}`, whose recorded values are in `values`.
    """

    of_operations: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    errors: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, recorded: dict[str, Any]) -> "Examples":
        """Return the examples of a recording."""
        return cls(recorded["operations"], recorded["errors"], recorded["values"])

    @classmethod
    def kept(cls) -> "Examples":
        """Return the examples stored in the file; none if it does not exist."""
        return cls.of(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else cls()

    def requests(self, operation_id: str) -> Schema:
        """Return the request bodies by example name."""
        return {
            each["name"]: {"summary": each["summary"], "value": filled(each["body"], self.values)}
            for each in self.of_operations.get(operation_id, [])
            if each.get("body") is not None and each["status"] == 200
        }

    def answers(self, operation_id: str, status: int) -> Schema:
        """Return the response bodies with this status by example name.

        Omits responses to requests with `fields`, since they lack members that the schemas require.
        """
        return {
            each["name"]: {"summary": each["summary"], "value": each["answer"]}
            for each in self.of_operations.get(operation_id, [])
            if each["status"] == status and each.get("answer") is not None and not chooses_members(each)
        }

    @property
    def shared(self) -> dict[str, Schema]:
        """Return the errors that are the same for all operations, by code."""
        return {word: {"summary": each["summary"], "value": each["answer"]} for word, each in self.errors.items()}

    def shared_of(self, status: int, words: list[str]) -> Schema:
        """Return references to the shared errors that have this status and one of the codes."""
        return {
            word: {"$ref": f"#/components/examples/{word}"}
            for word, each in self.errors.items()
            if each["status"] == status and word in words
        }


def chooses_members(played: dict[str, Any]) -> bool:
    """Return true if the request selected members of the contents with `fields`."""
    return any("fields" in (played.get(part) or {}) for part in ("query", "body"))


def filled(value: Any, values: dict[str, Any]) -> Any:
    """Return the JSON value with its variables replaced by their values. Raises KeyError for an unknown variable."""
    if isinstance(value, str) and (variable := _VARIABLE.fullmatch(value)):
        return values[variable[1]]
    if isinstance(value, dict):
        return {key: filled(each, values) for key, each in value.items()}
    return [filled(each, values) for each in value] if isinstance(value, list) else value
