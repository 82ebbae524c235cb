"""Describes the aliases of SSCMS v7, from their originals and the table in core.rest.aliases."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.openapi.describing import Described, Schema, ref
from core.openapi.schemas import ID, sent_number
from core.rest.aliases import ALIASES, MAX_ID_OF_LIST, Alias, Shape
from tools.openapi.examples import Examples

TAG = "SSCMS v7"
_RANGE = re.compile(r"At most ([\d,]+) characters\.")
_SHAPES = {alias.shape.record: alias.shape for alias in ALIASES}


def described_aliases(originals: Mapping[tuple[str, str], Described]) -> list[Described]:
    """Return the descriptions of the aliases of these operations."""
    return [_described(alias, originals[alias.original]) for alias in ALIASES]


def _described(alias: Alias, original: Described) -> Described:
    verb, path = alias.original
    words = (
        f"Alias of {verb} {path} for clients of SSCMS v7. Returns the record by its names in v7, without an envelope."
    )
    if original.body:
        words += " The body may have the names of v7 or v6."
    return replace(
        original,
        method="POST",
        path=alias.path,
        id=_id_of(original.id),
        tag=TAG,
        description=words,
        answer=ref(f"{alias.shape.record}V7"),
        body=original.body and replace(original.body, schema=ref(f"{alias.shape.record}V7Changes")),
        links=(),
    )


def _id_of(original: str) -> str:
    return f"{original}V7"


def schemas(of_v6: Mapping[str, Schema]) -> Iterator[tuple[str, Schema]]:
    """Yield the name and schema of each record of v7 and of its changes."""
    for name, shape in _SHAPES.items():
        yield f"{name}V7", _record(of_v6[name], shape)
        yield f"{name}V7Changes", _changes(of_v6[f"{name}Changes"], shape)


def _record(of_v6: Schema, shape: Shape) -> Schema:
    properties = shape.to_v7_names(of_v6["properties"])
    for name in shape.lists.keys() & properties.keys():
        properties[name] = _list(properties[name], shape.lists[name], "array")
    required = shape.to_v7_names(dict.fromkeys(of_v6["required"]))
    return of_v6 | {"required": list(required), "properties": properties}


def _changes(of_v6: Schema, shape: Shape) -> Schema:
    properties = shape.to_v7_names(of_v6["properties"])
    for name in shape.lists.keys() & properties.keys():
        properties[name] = _list(properties[name], shape.lists[name], ["array", "null"])
    return of_v6 | {"properties": properties}


def _list(text: Schema, kind: type, types: str | list[str]) -> Schema:
    """Return the schema of a list that v6 has as a comma-separated text."""
    words = text["description"].replace(", comma-separated", "")
    words = _RANGE.sub(r"Any number of them, of at most \1 characters together.", words)
    item: Schema = dict(ID) if kind is int else {"type": "string"}
    if "maxLength" in text:  # of a request
        name = {"type": "string", "pattern": "^[^,]*$", "maxLength": 255 if "pattern" in text else text["maxLength"]}
        item = sent_number(0, MAX_ID_OF_LIST) if kind is int else name
    return {"description": words, "type": types, "items": item}


def with_aliases(examples: Examples, originals: Mapping[tuple[str, str], Described]) -> Examples:
    """Return the examples and, for each alias, its original's by the names of v7."""
    made = {
        _id_of(id): [_example(each, alias.shape) for each in examples.of_operations.get(id, [])]
        for alias in ALIASES
        for id in [originals[alias.original].id]
    }
    return replace(examples, of_operations=examples.of_operations | made)


def _example(recorded: dict[str, Any], shape: Shape) -> dict[str, Any]:
    body = recorded["body"] and shape.to_v7(recorded["body"])
    is_record = recorded["status"] == 200
    return recorded | {
        "body": body,
        "answer": shape.to_v7(recorded["answer"]["value"]) if is_record else recorded["answer"],
    }
