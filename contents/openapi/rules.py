"""OpenAPI of Where and Order rules."""

from typing import Any

from contents.api.serializers import OrderSerializer, WhereSerializer
from contents.lists.request import MAX_RULES
from contents.rules.sql import WORDS
from core.openapi.describing import Schema, record, ref
from core.openapi.schemas import one_of, sent
from core.rest.names import to_wire

_NAMES_OF_SIGNS = {
    "=": "Equal",
    "!=": "NotEqual",
    ">": "Greater",
    ">=": "GreaterOrEqual",
    "<": "Less",
    "<=": "LessOrEqual",
}


def rule(serializer: Any) -> Schema:
    """The schema of a rule, with its required members."""
    required = [to_wire(member) for member in serializer.required_members]
    return sent(serializer, require=required)


def _where() -> Schema:
    schema = rule(WhereSerializer)
    schema["required"] = ["column"]
    properties = schema["properties"]
    properties["value"] = properties["value"] | {"type": ["string", "number", "boolean", "null"], "format": "double"}
    return schema


def _group(word: str, schema: Schema, description: str) -> Schema:
    return record({word: schema | {"description": description}})


_SOME = {"type": "array", "items": ref("WhereEntry"), "minItems": 1, "maxItems": MAX_RULES}

SCHEMAS: dict[str, Schema] = {
    "Operator": one_of(*WORDS)
    | {
        "description": "Comparison of column and value.",
        # Client generators cannot derive names from signs.
        "x-enum-varnames": [_NAMES_OF_SIGNS.get(word, word) for word in WORDS],
    },
    "WhereEntry": {
        "description": "A rule or a group of rules; groups nest up to 10 levels.",
        "anyOf": [ref("Where"), ref("WhereAny"), ref("WhereAll"), ref("WhereNot")],
    },
    "Where": _where(),
    "WhereAny": _group("any", _SOME, "Rules or groups, at least one of which must match."),
    "WhereAll": _group("all", _SOME, "Rules or groups that must all match."),
    "WhereNot": _group("not", ref("WhereEntry"), "Rule or group that must not match."),
    "Order": rule(OrderSerializer),
}
