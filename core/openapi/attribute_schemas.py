"""Builds the schemas of settings objects from the registry that declares their members."""

from typing import Any

from core.openapi.describing import Schema, record
from core.openapi.schemas import (
    DATE_TIME,
    SENT_DATE_TIME,
    TRUE_OR_FALSE,
    in_any_case,
    one_of,
    or_null,
    sent_number,
    unchanged,
)
from core.rest.attributes import STORED_ONLY, Attribute, AttributeKind, AttributeRegistry

_ANSWERED: dict[AttributeKind, Schema] = {
    AttributeKind.BOOLEAN: {"type": "boolean"},
    AttributeKind.INTEGER: {"type": "integer", "format": "int64"},
    AttributeKind.TEXT: {"type": "string"},
    AttributeKind.DATE_TIME: {"type": "string", "pattern": DATE_TIME},
}
_SENT: dict[AttributeKind, Schema] = {
    AttributeKind.BOOLEAN: {"type": ["boolean", "string", "null"], "pattern": TRUE_OR_FALSE},
    AttributeKind.DATE_TIME: {"type": ["string", "null"], "pattern": SENT_DATE_TIME},
}


def answered_attributes(registry: AttributeRegistry) -> Schema:
    """Return the schema of a settings object in a response, where every member is present."""
    shown = [each for each in registry if not each.is_hidden]
    return record({each.name: {"description": describe(each)} | _ANSWERED[each.kind] for each in shown}) | {
        "description": "Settings marked “Stored only” are returned to clients and have no other effect."
    }


def sent_attributes(registry: AttributeRegistry, *, is_change: bool) -> dict[str, Schema]:
    """Return the schemas of the members in a request body; members that a change omits keep their values."""
    return {each.name: _sent(each, is_change=is_change) for each in registry if not each.is_computed}


def describe(attribute: Attribute) -> str:
    """Return the meaning, range and default of a member as sentences."""
    meaning = attribute.help_text.replace(STORED_ONLY, "Stored only.")
    if attribute.is_computed:
        return f"{meaning} Computed; read-only."
    return f"{meaning}{_range(attribute)} Default: {_shown(attribute.default)}."


def _range(attribute: Attribute) -> str:
    """Return the range as a sentence, without the type, which the schema states; empty for a boolean."""
    if attribute.kind == AttributeKind.BOOLEAN:
        return ""
    if attribute.kind == AttributeKind.INTEGER and not attribute.choices:
        return f" Range: {attribute.minimum:,}–{attribute.maximum:,}."
    words = attribute.expected.removeprefix("a text of ").removeprefix("a text that is ")
    words = words.replace(" and of at most", ", at most")
    return f" {_sentence(words.replace(f'{attribute.max_length} characters', f'{attribute.max_length:,} characters'))}."


def _sent(attribute: Attribute, *, is_change: bool) -> Schema:
    words = describe(attribute)
    return {"description": unchanged(words) if is_change else words} | _sent_value(attribute)


def _sent_value(attribute: Attribute) -> Schema:
    if attribute.choices:
        return or_null(_chosen(attribute))
    if attribute.kind == AttributeKind.INTEGER:
        return or_null(sent_number(attribute.minimum, attribute.maximum))
    if attribute.kind == AttributeKind.TEXT:
        return {"type": ["string", "null"], "maxLength": attribute.max_length}
    return _SENT[attribute.kind]


def _chosen(attribute: Attribute) -> Schema:
    if attribute.kind == AttributeKind.TEXT:
        return one_of(*(value for value, _ in attribute.choices))
    numbers = [value for value, _ in attribute.choices]
    words = "|".join(in_any_case(name) for _, name in attribute.choices)
    # Not an enum: client generators reject one that mixes numbers and strings.
    return {
        "type": ["integer", "string"],
        "format": "int32",
        "minimum": min(numbers),
        "maximum": max(numbers),
        "pattern": rf"^\s*([{min(numbers)}-{max(numbers)}]|{words})\s*$",
    }


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "empty" if value == "" else str(value)
