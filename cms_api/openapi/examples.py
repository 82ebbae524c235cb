"""Requests and answers that were really sent and given: recorded from the sample site, and kept in one file.

`make openapi` records them anew (tests.openapi.recording).
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cms_api.openapi.describing import Schema
from cms_api.openapi.variables import filled

FILE = Path(__file__).with_name("examples.json")


@dataclass(frozen=True, slots=True)
class Examples:
    """The examples of each operation, in the order in which they were played, and errors that any may answer.

    Requests are kept with their variables (cms_api.openapi.variables), and what these stood for beside them.
    """

    of_operations: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    errors: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, recorded: dict[str, Any]) -> "Examples":
        """Those of a recording."""
        return cls(recorded["operations"], recorded["errors"], recorded["values"])

    @classmethod
    def kept(cls) -> "Examples":
        """Those of the file."""
        return cls.of(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else cls()

    def requests(self, operation_id: str) -> Schema:
        """Bodies, by the names of the examples."""
        return {
            each["name"]: {"summary": each["summary"], "value": filled(each["body"], self.values)}
            for each in self.of_operations.get(operation_id, [])
            if each.get("body") is not None and each["status"] == 200
        }

    def answers(self, operation_id: str, status: int) -> Schema:
        """Bodies of answers of the status, likewise; with `fields` they lack members that the schemas require."""
        return {
            each["name"]: {"summary": each["summary"], "value": each["answer"]}
            for each in self.of_operations.get(operation_id, [])
            if each["status"] == status and each.get("answer") is not None and not chooses_members(each)
        }

    @property
    def shared(self) -> dict[str, Schema]:
        """Errors that are the same everywhere, by their words."""
        return {word: {"summary": each["summary"], "value": each["answer"]} for word, each in self.errors.items()}

    def shared_of(self, status: int, words: list[str]) -> Schema:
        """Those of the status that are among the words."""
        return {
            word: {"$ref": f"#/components/examples/{word}"}
            for word, each in self.errors.items()
            if each["status"] == status and word in words
        }


def chooses_members(played: dict[str, Any]) -> bool:
    """Whether the request asked for some members of each content only."""
    return any("fields" in (played.get(part) or {}) for part in ("query", "body"))
