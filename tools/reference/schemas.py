"""Schemas of the OpenAPI document in words: the type of a value and its bounds."""

import json
import re

from core.openapi.schemas import HEADER_TEXT, TEXT
from tools.reference.markdown import ROOT, plain

DOCUMENT = json.loads((ROOT / "core" / "openapi" / "openapi.json").read_text(encoding="utf-8"))
SCHEMAS = DOCUMENT["components"]["schemas"]
OPERATIONS = [
    (verb.upper(), path.removeprefix("/api/v1"), operation)
    for path, verbs in DOCUMENT["paths"].items()
    for verb, operation in verbs.items()
]
_LENIENT = {"integer", "number", "boolean"}  # may be sent as texts, too
# Bounds of counts, of all numbers, and of all texts outside of bodies, which the beginning of the page states.
_EVERYWHERE = {-(2**63), 0, 2**63 - 1, TEXT["maxLength"], HEADER_TEXT["maxLength"]}
# Defaults that the beginning of docs/reference/api.md states.
_USUAL_DEFAULT = re.compile(r" Default: (?:unchanged|any|both|empty|none|false|0)\.")
_MOST = re.compile(r"\bAt most ([\d,]+ characters)\.")
_LIMITS = {
    "minimum": "at least {:,}",
    "maximum": "at most {:,}",
    "maxLength": "≤ {:,} characters",
    "minItems": "{:,} or more entries",
    "maxItems": "at most {:,} entries",
}


def resolved(part):
    """A part of the document, or the target of its reference."""
    while "$ref" in part:
        found = DOCUMENT
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part


def kind(schema, *, is_sent, link):
    """The type in a few words; `link` makes the link to a record. A request may send null for any value."""
    if "$ref" in schema:
        return link(schema["$ref"].rpartition("/")[2])
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        choices = [each for each in choices if not (is_sent and each == {"type": "null"})]
        return " or ".join(dict.fromkeys(kind(each, is_sent=is_sent, link=link) for each in choices))
    if "enum" in schema and "string" in _types(schema, is_sent=is_sent) and _lists_all(schema):
        return "string"
    if "enum" in schema:
        *first, last = (f"`{json.dumps(each)}`" for each in schema["enum"])
        return f"{', '.join(first)} or {last}" if first else last
    words = [
        f"list of {kind(schema.get('items', {}), is_sent=is_sent, link=link)}" if each == "array" else each
        for each in _types(schema, is_sent=is_sent)
    ]
    return " or ".join(words) or "any"


def _lists_all(schema):
    """The description has every value."""
    return all(re.search(rf"\b{re.escape(str(each))}\b", schema.get("description", "")) for each in schema["enum"])


def _types(schema, *, is_sent):
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if not is_sent:
        return types
    is_lenient = _LENIENT & set(types)
    return [each for each in types if each != "null" and not (is_lenient and each == "string")]


def bounds(schema):
    """The bounds of a value as words and number, except universal ones."""
    found = ((words, schema.get(name)) for name, words in _LIMITS.items())
    return [
        (words.format(number), number) for words, number in found if number is not None and number not in _EVERYWHERE
    ]


def meaning(schema, description=None):
    """The meaning of a value, with the bounds that its description omits."""
    text = plain(schema.get("description", "") if description is None else description)
    found = ", ".join(words for words, number in bounds(schema) if f"{number:,}" not in text)
    text = _MOST.sub(r"(≤ \1)", _USUAL_DEFAULT.sub("", text))
    return f"{text} ({found})" if found else text


def slug(tag):
    """The file name of a tag's page, without its ending."""
    return tag.lower().replace(" ", "-")


def operations_of(tag):
    """Method, path and description of the tag's operations."""
    return [each for each in OPERATIONS if each[2]["tags"][0] == tag]


def link(name):
    """A link to a record; one to create or to change a record is that record."""
    base = BASE_OF.get(name, name)
    return f"[{name}]({PAGE_OF[base]}.md#{base.lower()})"


def variants(name):
    """The uses of a record in requests, each with the name of its schema."""
    return (("create", f"New{name}"), ("change", f"{name}Changes"))


def reached(part):
    """The names of the schemas that a part of the document refers to."""
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


def _pages():
    found = {}
    for tag in DOCUMENT["tags"]:
        for name in sorted(reached([operation for _verb, _path, operation in operations_of(tag["name"])])):
            found.setdefault(BASE_OF.get(name, name), slug(tag["name"]))
    return found


# The record that a variant for creating or changing belongs to.
BASE_OF = {variant: base for base in SCHEMAS for _use, variant in variants(base) if variant in SCHEMAS}
RECORDS = [name for name in SCHEMAS if name not in BASE_OF]
PAGE_OF = _pages()
