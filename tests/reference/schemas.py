"""Schemas of the OpenAPI document in words: the kind of a value, its limits, the members of an object."""

import json

from cms_api.openapi.schemas import HEADER_TEXT, TEXT
from tests.reference.markdown import ROOT, plain, table

DOCUMENT = json.loads((ROOT / "cms_api" / "openapi" / "openapi.json").read_text(encoding="utf-8"))
SCHEMAS = DOCUMENT["components"]["schemas"]
_HEAD = ("Member", "Kind", "Meaning")
_LENIENT = {"integer", "number", "boolean"}  # may be sent as texts, too
# Bounds of all numbers and of all texts outside of bodies, which the beginning of the page tells.
_EVERYWHERE = {-(2**63), 2**63 - 1, TEXT["maxLength"], HEADER_TEXT["maxLength"]}
_LIMITS = {
    "minimum": "at least {:,}",
    "maximum": "at most {:,}",
    "maxLength": "at most {:,} characters",
    "minItems": "at least {:,} entries",
    "maxItems": "at most {:,} entries",
}


def resolved(part):
    """A part of the document, or what it refers to."""
    while "$ref" in part:
        found = DOCUMENT
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part


def kind(schema, *, is_asked):
    """A few words on what the values are; those of requests may be null, which is not worth a word."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name})"
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        choices = [each for each in choices if not (is_asked and each == {"type": "null"})]
        return " or ".join(dict.fromkeys(kind(each, is_asked=is_asked) for each in choices))
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
    types = _types(schema, is_asked=is_asked)
    words = [
        f"list of {kind(schema.get('items', {}), is_asked=is_asked)}" if each == "array" else each for each in types
    ]
    return " or ".join(words) or "any"


def _types(schema, *, is_asked):
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if not is_asked:
        return types
    is_lenient = _LENIENT & set(types)
    return [each for each in types if each != "null" and not (is_lenient and each == "string")]


def meaning(schema):
    """What it stands for, and those of its bounds that the words do not tell."""
    text = plain(schema.get("description", ""))
    bounds = ", ".join(words.format(number) for words, number in _bounds(schema) if f"{number:,}" not in text)
    return f"{text} ({bounds})" if bounds else text


def _bounds(schema):
    """Its bounds, without those that hold everywhere."""
    found = ((words, schema.get(name)) for name, words in _LIMITS.items())
    return [(words, number) for words, number in found if number is not None and number not in _EVERYWHERE]


def members(schema, *, is_asked):
    """The members of an object as a table; nothing for what has none."""
    schema = resolved(schema)
    required = schema.get("required", ()) if is_asked else ()
    rows = [
        (f"`{name}`{', required' if name in required else ''}", kind(each, is_asked=is_asked), meaning(each))
        for name, each in schema.get("properties", {}).items()
    ]
    others = schema.get("additionalProperties")
    if isinstance(others, dict) and rows:
        rows.append(("any other", kind(others, is_asked=is_asked), meaning(others)))
    return table(_HEAD, rows)


def reached(part):
    """The names of the schemas that a part of the document leads to."""
    found, open_ends = set(), [part]
    while open_ends:
        each = open_ends.pop()
        if isinstance(each, dict):
            name = str(each.get("$ref", "")).removeprefix("#/components/schemas/")
            if name in SCHEMAS and name not in found:
                found.add(name)
                open_ends.append(SCHEMAS[name])
            open_ends.extend(value for key, value in each.items() if key not in {"example", "examples"})
        elif isinstance(each, list):
            open_ends.extend(each)
    return found
