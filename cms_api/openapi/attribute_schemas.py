"""Members of settings objects as schemas, out of the registry in which each is declared once."""

from typing import Any

from cms_api.openapi.describing import Schema, record
from cms_api.openapi.schemas import (
    DATE_TIME,
    SENT_DATE_TIME,
    TRUE_OR_FALSE,
    in_any_case,
    one_of,
    or_null,
    sent_number,
    unchanged,
)
from cms_api.rest.attributes import Attribute, AttributeRegistry, Kind

_ANSWERED: dict[Kind, Schema] = {
    Kind.BOOLEAN: {"type": "boolean"},
    Kind.INTEGER: {"type": "integer", "format": "int64"},
    Kind.TEXT: {"type": "string"},
    Kind.DATE_TIME: {"type": "string", "pattern": DATE_TIME},
}
_SENT: dict[Kind, Schema] = {
    Kind.BOOLEAN: {"type": ["boolean", "string", "null"], "pattern": TRUE_OR_FALSE},
    Kind.DATE_TIME: {"type": ["string", "null"], "pattern": SENT_DATE_TIME},
}


def answered_attributes(registry: AttributeRegistry) -> Schema:
    """The schema of a settings object as it is answered: every member is there."""
    return record({each.name: {"description": describe(each)} | _ANSWERED[each.kind] for each in registry})


def sent_attributes(registry: AttributeRegistry, *, is_change: bool) -> dict[str, Schema]:
    """The members as a body may have them; what is left out of a change stays as it is."""
    return {each.name: _sent(each, is_change=is_change) for each in registry if not each.is_computed}


def describe(attribute: Attribute) -> str:
    """Meaning, range and default in words."""
    if attribute.is_computed:
        return f"{attribute.help_text} Computed; it cannot be set."
    return f"{attribute.help_text} {_sentence(attribute.expected)}. Default: {_shown(attribute.default)}."


def _sent(attribute: Attribute, *, is_change: bool) -> Schema:
    words = describe(attribute)
    return {"description": unchanged(words) if is_change else words} | _sent_value(attribute)


def _sent_value(attribute: Attribute) -> Schema:
    if attribute.choices:
        return or_null(_chosen(attribute))
    if attribute.kind == Kind.INTEGER:
        return or_null(sent_number(attribute.minimum, attribute.maximum))
    if attribute.kind == Kind.TEXT:
        return {"type": ["string", "null"], "maxLength": attribute.max_length}
    return _SENT[attribute.kind]


def _chosen(attribute: Attribute) -> Schema:
    if attribute.kind == Kind.TEXT:
        return one_of(*(value for value, _ in attribute.choices))
    numbers = [value for value, _ in attribute.choices]
    words = "|".join(in_any_case(name) for _, name in attribute.choices)
    # No enumeration: generators of clients refuse one of numbers and texts.
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
