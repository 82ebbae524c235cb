"""The committed document, and ways through it."""

import json
from functools import cache
from typing import NamedTuple

from core.openapi.views import FILE

VERBS = ("get", "post", "put", "delete")


@cache
def committed():
    """The document that is served."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def operations():
    """Each operation with its verb and path."""
    found = [
        (verb.upper(), path, operation)
        for path, item in committed()["paths"].items()
        for verb, operation in item.items()
        if verb in VERBS
    ]
    assert found
    return found


def resolve(part):
    """What a reference leads to; anything else as it is."""
    while "$ref" in part:
        found = committed()
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part


def responses():
    """Each answer with its operation's name and its status."""
    return [
        (operation["operationId"], int(status), resolve(response))
        for _, _, operation in operations()
        for status, response in operation["responses"].items()
    ]


def properties():
    """Each member of each schema that an operation has, with a place for messages."""
    seen = []

    def walk(part, place):
        if isinstance(part, dict):
            for name, member in part.get("properties", {}).items() if isinstance(part.get("properties"), dict) else ():
                seen.append((f"{place}.{name}", member))
            for name, value in part.items():
                # Examples have members of the same name, and are no schemas.
                if name not in {"examples", "example"}:
                    walk(value, f"{place}.{name}")
        elif isinstance(part, list):
            for number, value in enumerate(part):
                walk(value, f"{place}[{number}]")

    walk(committed(), "")
    assert seen
    return seen


class Asked(NamedTuple):
    """A parameter, or a member of a body."""

    place: str
    schema: dict
    description: str
    is_required: bool


def asked():
    """All that requests may have: parameters, and members of bodies however deep."""
    return [*_parameters(), *_members_of_bodies()]


def _parameters():
    for _, _, operation in operations():
        for each in operation["parameters"]:
            place = f"{operation['operationId']}: {each['name']}"
            yield Asked(place, each["schema"], each["description"], each.get("required", False))


def _members_of_bodies():
    bodies = [operation["requestBody"] for _, _, operation in operations() if "requestBody" in operation]
    for place, schema in _objects(bodies, "body", set()):
        for name, member in schema["properties"].items():
            description = member.get("description") or resolve(member).get("description", "")
            yield Asked(f"{place}.{name}", resolve(member), description, name in schema.get("required", ()))


def _objects(part, place, seen):
    """The schemas with members that a part of the document leads to, each once, with a place for messages."""
    if isinstance(part, list):
        for each in part:
            yield from _objects(each, place, seen)
    elif isinstance(part, dict) and "$ref" in part:
        name = part["$ref"].rsplit("/", 1)[1]
        if name not in seen:
            seen.add(name)
            yield from _objects(resolve(part), name, seen)
    elif isinstance(part, dict):
        if isinstance(part.get("properties"), dict):
            yield place, part
        for name, value in part.items():
            if name not in {"examples", "example"}:
                yield from _objects(value, place, seen)
