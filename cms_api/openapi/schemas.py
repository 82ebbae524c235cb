"""Serializers as schemas: what is sent is read leniently, what is answered is exact."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from cms_api.openapi.describing import Schema, record, ref
from cms_api.rest.fields import INT64_MAX, BooleanField, DateTimeField, IntegerField, TextField
from cms_api.rest.names import to_wire
from cms_api.rest.serializers import WireSerializer

Field = serializers.Field[Any, Any, Any, Any]
DATE_TIME = r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$"
_DAY = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_TIME = r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?"
SENT_DATE_TIME = rf"^{_DAY}([T ]{_TIME}(Z|[+-]\d{{2}}:?\d{{2}})?)?$"
DIGITS = r"^\s*[+-]?\d{1,18}\s*$"
_NATURAL = r"^\s*\+?\d{1,15}\s*$"
NOT_BLANK = r"[^\s\x1c-\x1f\x85]"  # what Python takes for blanks is more than what \s means here
TRUE_OR_FALSE = r"^\s*([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])\s*$"
# Of parameters, of which an empty value counts as not sent.
ASKED_FLAG: Schema = {"type": ["boolean", "string"], "pattern": r"^(\s*([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])\s*)?$"}
ASKED_NUMBER: Schema = {"type": ["integer", "string"], "format": "int64", "pattern": r"^(\s*[+-]?\d{1,18}\s*)?$"}
ID: Schema = {"type": "integer", "format": "int64"}


# ---- answers


def answered(serializer: type[WireSerializer], *, without: Iterable[str] = (), **further: Schema) -> Schema:
    """The schema of a record as it is answered: every member is there."""
    left_out = set(without)
    properties = {
        to_wire(name): {"description": help_of(field)} | answered_value(field)
        for name, field in serializer.field_table().items()
        if to_wire(name) not in left_out
    } | further
    return record(properties)


def answered_value(field: Field) -> Schema:
    """The type of a member of an answer."""
    if isinstance(field, IntegerField):
        return dict(ID)
    if isinstance(field, BooleanField):
        return {"type": "boolean"}
    if isinstance(field, DateTimeField):
        return {"type": ["string", "null"] if field.allow_null else "string", "pattern": DATE_TIME}
    if isinstance(field, serializers.ChoiceField):
        return {"type": "string", "enum": list(field.choices)}
    if isinstance(field, serializers.ListField):
        return {"type": "array"}
    return {"type": "object"} if isinstance(field, serializers.DictField) else {"type": "string"}


def date(description: str, *, never: bool = False) -> Schema:
    """A moment as it is answered; with `never` it may be null."""
    return {"type": ["string", "null"] if never else "string", "pattern": DATE_TIME, "description": description}


def number(description: str) -> Schema:
    """An integer as it is answered."""
    return ID | {"description": description}


# ---- requests


def sent(
    serializer: type[WireSerializer], *, require: Iterable[str] = (), further: dict[str, Schema] | None = None
) -> Schema:
    """The schema of a body: any member may be left out but the required ones, and null counts as left out.

    Members that nobody declared are ignored or kept, so that the schema lets them be.
    """
    required = list(require)
    properties = {
        to_wire(name): sent_member(field, is_required=to_wire(name) in required)
        for name, field in serializer.field_table().items()
        if not field.read_only
    } | (further or {})
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def sent_member(field: Field, *, is_required: bool = False) -> Schema:
    """One member of a body, with what its description does not say of its range."""
    schema = sent_value(field)
    if not is_required:
        schema = _or_null(schema)
    return {"description": f"{help_of(field)}{_range_of(field)}"} | schema


def sent_value(field: Field) -> Schema:
    """What a member of a body may be."""
    if isinstance(field, IntegerField):
        return _sent_number(field)
    if isinstance(field, BooleanField):
        return {"type": ["boolean", "string"], "pattern": TRUE_OR_FALSE}
    if isinstance(field, DateTimeField):
        return {"type": "string", "pattern": SENT_DATE_TIME}
    if isinstance(field, serializers.ChoiceField):
        return {"type": "string", "enum": [*field.choices, ""]}
    if isinstance(field, serializers.ListField):
        return {"type": "array", "items": _item(field.child)}
    if isinstance(field, TextField):
        return {"type": "string"} | ({"maxLength": field.max_length} if field.max_length else {})
    return {}


def _item(child: Field) -> Schema:
    return (
        ref(type(child).__name__.removesuffix("Serializer")) if isinstance(child, WireSerializer) else sent_value(child)
    )


def _sent_number(field: IntegerField) -> Schema:
    pattern = _NATURAL if field.min_value is not None and field.min_value >= 0 else DIGITS
    least = -INT64_MAX - 1 if field.min_value is None else field.min_value
    most = INT64_MAX if field.max_value is None else field.max_value
    return {"type": ["integer", "string"], "format": "int64", "pattern": pattern, "minimum": least, "maximum": most}


def _or_null(schema: Schema) -> Schema:
    if "enum" in schema:
        return schema | {"type": ["string", "null"], "enum": [*schema["enum"], None]}
    if "type" not in schema:
        return schema
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return schema | {"type": [*types, "null"]}


# ---- words


def help_of(field: Field) -> str:
    """What the member means."""
    return str(field.help_text or "")


def _range_of(field: Field) -> str:
    """What may be sent, as a sentence behind the meaning."""
    if isinstance(field, TextField) and field.max_length:
        return f" At most {field.max_length:,} characters."
    if not isinstance(field, IntegerField) or (field.min_value is None and field.max_value is None):
        return ""
    if field.max_value is None:
        return f" {field.min_value:,} or more."
    return f" From {field.min_value:,} to {field.max_value:,}."
