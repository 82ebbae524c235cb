"""The rules of a list in the OpenAPI document: what must hold of the contents, and how they are sorted."""

from typing import Any

from cms_api.openapi.describing import Schema, record, ref
from cms_api.openapi.limits import default_of
from cms_api.openapi.schemas import one_of, sent
from cms_api.rest.names import to_wire
from contents.api.serializers import OrderSerializer, WhereSerializer
from contents.rules.writer import WORDS

MAX_RULES = default_of("CMS_MAX_RULES")


_NAMES_OF_SIGNS = {
    "=": "Equal",
    "!=": "NotEqual",
    ">": "Greater",
    ">=": "GreaterOrEqual",
    "<": "Less",
    "<=": "LessOrEqual",
}


def rule(serializer: Any) -> Schema:
    """An object of which some members are required."""
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
        "description": "How a rule compares the column with its value.",
        # From signs, generators of clients could not make names.
        "x-enum-varnames": [_NAMES_OF_SIGNS.get(word, word) for word in WORDS],
    },
    "WhereEntry": {
        "description": "One rule, or a group of rules; groups may stand in groups, up to 10 levels deep.",
        "anyOf": [ref("Where"), ref("WhereAny"), ref("WhereAll"), ref("WhereNot")],
    },
    "Where": _where(),
    "WhereAny": _group("any", _SOME, "Rules or groups of which at least one must hold."),
    "WhereAll": _group("all", _SOME, "Rules or groups which must all hold."),
    "WhereNot": _group("not", ref("WhereEntry"), "The rule or group that must not hold."),
    "Order": rule(OrderSerializer),
}
