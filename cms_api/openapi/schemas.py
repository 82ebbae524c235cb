"""Serializers as schemas: what is sent is read leniently, what is answered is exact."""

import re
from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from cms_api.openapi.describing import Schema, nullable, record, ref
from cms_api.rest.custom_members import MAX_NAME
from cms_api.rest.fields import INT64_MAX, BooleanField, DateTimeField, IntegerField, TextField
from cms_api.rest.names import to_wire
from cms_api.rest.serializers import WireSerializer

Field = serializers.Field[Any, Any, Any, Any]
DATE_TIME = r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$"
# Days that the calendar has: of months with 31 and with 30 days, of February, and the 29th of leap years.
_DAY_OF_YEAR = r"((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8]))"
_LEAP = r"(0[48]|[2468][048]|[13579][26])"
_YEAR = r"(\d{3}[1-9]|\d\d[1-9]0|\d[1-9]00|[1-9]000)"
_LEAP_DAY = rf"(\d\d{_LEAP}|{_LEAP}00)-02-29"
_DAY = rf"({_YEAR}-{_DAY_OF_YEAR}|{_LEAP_DAY})"
_TIME = r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?"
# With an offset no years at either end of what can be reckoned with.
_OFFSET_DAY = rf"([1-8]\d{{3}}-{_DAY_OF_YEAR}|{_LEAP_DAY})"
_OFFSET = r"(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)"
_SENT_DATE_TIME = rf"({_DAY}([T ]{_TIME})?|{_OFFSET_DAY}[T ]{_TIME}{_OFFSET})"
SENT_DATE_TIME = rf"^{_SENT_DATE_TIME}$"
NOT_BLANK = r"[^\s\x1c-\x1f\x85]"  # what Python takes for blanks is more than what \s means here


def in_any_case(word: str) -> str:
    """The pattern of an ASCII word in any letter case."""
    return "".join(f"[{letter.upper()}{letter.lower()}]" for letter in word)


def one_of(*words: str) -> Schema:
    """One of a few words, which are read in any letter case."""
    return {"type": "string", "enum": list(words)}


_TRUE_OR_FALSE = rf"\s*({in_any_case('true')}|{in_any_case('false')})\s*"
TRUE_OR_FALSE = f"^{_TRUE_OR_FALSE}$"
# Of parameters, of which an empty value counts as not sent.
ASKED_FLAG: Schema = {"type": ["boolean", "string"], "pattern": f"^({_TRUE_OR_FALSE})?$"}
ASKED_NUMBER: Schema = {"type": ["integer", "string"], "format": "int64", "pattern": r"^(\s*[+-]?\d{1,18}\s*)?$"}
ASKED_DATE: Schema = {"type": "string", "pattern": rf"^({_SENT_DATE_TIME})?$"}
# Of parameters of which the service reads more than a program should send.
TEXT: Schema = {"type": "string", "maxLength": 8190}  # characters: as many bytes has the request line at most
HEADER_TEXT: Schema = {"type": "string", "maxLength": 8000}  # of as many bytes, the name with it
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "format": "int32", "minimum": 0}
ID: Schema = {"type": "integer", "format": "int64"}
CUSTOM_NAMES: Schema = {"maxLength": MAX_NAME}  # of members that nobody declared


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
        return _words_of(field)
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
    serializer: type[WireSerializer],
    *,
    require: Iterable[str] = (),
    is_change: bool = False,
    further: dict[str, Schema] | None = None,
) -> Schema:
    """The schema of a body: any member may be left out but the required ones, and null counts as left out.

    What is left out of a change stays as it is. Members that nobody declared are ignored or kept, so that the schema
    lets them be.
    """
    required = list(require)
    properties = {
        to_wire(name): sent_member(field, is_required=to_wire(name) in required, is_change=is_change)
        for name, field in serializer.field_table().items()
        if not field.read_only
    } | (further or {})
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def sent_member(field: Field, *, is_required: bool = False, is_change: bool = False) -> Schema:
    """One member of a body, with what its description does not say of its range."""
    schema = sent_value(field)
    if not is_required:
        schema = or_null(schema)
    words = unchanged(help_of(field)) if is_change else help_of(field)
    return {"description": f"{words}{_range_of(field)}"} | schema


def sent_value(field: Field) -> Schema:
    """What a member of a body may be."""
    if isinstance(field, IntegerField):
        return sent_number(field.min_value, field.max_value)
    if isinstance(field, BooleanField):
        return {"type": ["boolean", "string"], "pattern": TRUE_OR_FALSE}
    if isinstance(field, DateTimeField):
        return {"type": "string", "pattern": SENT_DATE_TIME}
    if isinstance(field, serializers.ChoiceField):
        return _words_of(field)
    if isinstance(field, serializers.ListField):
        return {"type": "array", "items": _item(field.child)}
    if isinstance(field, TextField):
        return _sent_text(field)
    return {}


def _sent_text(field: TextField) -> Schema:
    if field.words:
        return _words_of(field)
    schema: Schema = {"type": "string"}
    if field.pattern:
        schema["pattern"] = field.pattern
    if field.max_length:
        schema["maxLength"] = field.max_length
    return schema


def _words_of(field: Field) -> Schema:
    """The component of a few words, which the field's class names: of LinkTypeField it is LinkType."""
    return ref(type(field).__name__.removesuffix("Field"))


def _item(child: Field) -> Schema:
    return (
        ref(type(child).__name__.removesuffix("Serializer")) if isinstance(child, WireSerializer) else sent_value(child)
    )


def sent_number(least: int | None, most: int | None) -> Schema:
    """An integer from 0 or less to a number, by default of 64 bits; also as text, with so many digits that all fit."""
    least = -INT64_MAX - 1 if least is None else least
    most = INT64_MAX if most is None else most
    sign = "[+-]" if least < 0 else r"\+"
    digits = len(str((min(most, -least) if least < 0 else most) + 1)) - 1
    pattern = rf"^\s*{sign}?\d{{1,{digits}}}\s*$"
    return {"type": ["integer", "string"], "format": "int64", "pattern": pattern, "minimum": least, "maximum": most}


def or_null(schema: Schema) -> Schema:
    """The same, or null, which counts as not sent."""
    if schema.keys() & {"$ref", "enum"}:
        return nullable(schema)
    if "type" not in schema:
        return schema
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return schema | {"type": [*types, "null"]}


# ---- words

_DEFAULT = re.compile(r" Default: .*$")


def help_of(field: Field) -> str:
    """What the member means."""
    return str(field.help_text or "")


def unchanged(description: str) -> str:
    """The same of a member of a change: what it is where it is not sent is no default, but what it was."""
    return f"{without_default(description)} Default: unchanged."


def without_default(description: str) -> str:
    """The same without its last sentence, which tells the default of a new record."""
    return _DEFAULT.sub("", description)


def _range_of(field: Field) -> str:
    """What may be sent, as a sentence behind the meaning."""
    if isinstance(field, TextField):
        if field.max_length:
            return f" At most {field.max_length:,} characters."
        return "" if field.words or field.pattern else " Of any length."
    if not isinstance(field, IntegerField) or (field.min_value is None and field.max_value is None):
        return ""
    if field.max_value is None:
        return f" {field.min_value:,} or more."
    return f" From {field.min_value:,} to {field.max_value:,}."
