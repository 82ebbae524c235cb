"""The committed document, and ways through it."""

import json
from functools import cache

from cms_api.openapi.views import FILE

VERBS = ("get", "post", "put", "delete")


@cache
def committed():
    """The document that is served."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def operations():
    """Each operation with its verb and path."""
    return [
        (verb.upper(), path, operation)
        for path, found in committed()["paths"].items()
        for verb, operation in found.items()
        if verb in VERBS
    ]


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
    return seen
