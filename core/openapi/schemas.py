"""Derives schemas from serializers: lenient for requests, exact for responses."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from rest_framework import serializers

from core.lib.folding import blanks
from core.openapi.describing import Schema, nullable, record, ref
from core.rest.custom_members import MAX_NAME
from core.rest.fields import INT64_MAX, BooleanField, DateTimeField, IntegerField, TextField
from core.rest.names import to_wire
from core.rest.serializers import WireSerializer

Field = serializers.Field[Any, Any, Any, Any]
DATE_TIME = r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$"
# Valid days only: months with 31 and 30 days, February, and February 29 in leap years.
_DAY_OF_YEAR = r"((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8]))"
_LEAP = r"(0[48]|[2468][048]|[13579][26])"
_LEAP_DAY = rf"(\d\d{_LEAP}|{_LEAP}00)-02-29"
_DAY = rf"(\d{{4}}-{_DAY_OF_YEAR}|{_LEAP_DAY})"
_TIME = r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?"
_OFFSET = r"(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)"
_SENT_DATE_TIME = rf"{_DAY}([T ]{_TIME}{_OFFSET}?)?"
SENT_DATE_TIME = rf"^{_SENT_DATE_TIME}$"


def _ranges(letters: Iterable[str]) -> Iterator[str]:
    """Yield the parts of a class of a pattern, with escapes that Python and JavaScript's flag u both know."""
    for _, run in groupby(enumerate(sorted(map(ord, letters))), lambda pair: pair[1] - pair[0]):
        codes = [code for _, code in run]
        yield f"\\u{codes[0]:04x}" + (f"-\\u{codes[-1]:04x}" if codes[1:] else "")


# Above U+FFFF the two have no escape in common.
NOT_BLANK = "[^" + "".join(_ranges([chr(0), *(letter for letter in blanks() if letter <= chr(0xFFFF))])) + "]"


def in_any_case(word: str) -> str:
    """Return a pattern that matches an ASCII word in any letter case."""
    return "".join(f"[{letter.upper()}{letter.lower()}]" for letter in word)


def one_of(*words: str) -> Schema:
    """Return the schema of a choice of words; the service accepts them in any letter case."""
    return {"type": "string", "enum": list(words)}


_TRUE_OR_FALSE = rf"\s*({in_any_case('true')}|{in_any_case('false')})\s*"
TRUE_OR_FALSE = f"^{_TRUE_OR_FALSE}$"
# For parameters; an empty value counts as not sent.
ASKED_FLAG: Schema = {"type": ["boolean", "string"], "pattern": f"^({_TRUE_OR_FALSE})?$"}
ASKED_NUMBER: Schema = {"type": ["integer", "string"], "format": "int64", "pattern": r"^(\s*[+-]?\d{1,18}\s*)?$"}
ASKED_DATE: Schema = {"type": "string", "pattern": rf"^({_SENT_DATE_TIME})?$"}
# Stricter than the service: it accepts more than a client should send.
# The limits are in characters; the request line, or a header with its name, has at most as many bytes.
TEXT: Schema = {"type": "string", "maxLength": 8190}
HEADER_TEXT: Schema = {"type": "string", "maxLength": 8000}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "format": "int32", "minimum": 0}
ID: Schema = {"type": "integer", "format": "int64"}
ASKED_ID: Schema = ID | {"minimum": -INT64_MAX - 1, "maximum": INT64_MAX}
CUSTOM_NAMES: Schema = {"maxLength": MAX_NAME}  # of undeclared members


# ---- responses


def answered(serializer: type[WireSerializer], *, without: Iterable[str] = (), **further: Schema) -> Schema:
    """Return the schema of a record in a response, where every member is present."""
    left_out = set(without)
    properties = {
        to_wire(name): {"description": help_of(field)} | answered_value(field)
        for name, field in serializer.field_table().items()
        if to_wire(name) not in left_out
    } | further
    return record(properties)


def without_defaults(schema: Schema) -> Schema:
    """Return the schema of a record for responses only, without the defaults, which apply to requests."""
    properties = {
        name: member | ({"description": without_default(member["description"])} if "$ref" not in member else {})
        for name, member in schema["properties"].items()
    }
    return schema | {"properties": properties}


def answered_value(field: Field) -> Schema:
    """Return the type of a member in a response."""
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
    """Return the schema of a time in a response; with `never` it may be null."""
    return {"type": ["string", "null"] if never else "string", "pattern": DATE_TIME, "description": description}


def number(description: str) -> Schema:
    """Return the schema of an integer in a response."""
    return ID | {"description": description}


# ---- requests


def sent(
    serializer: type[WireSerializer],
    *,
    require: Iterable[str] = (),
    is_change: bool = False,
    further: dict[str, Schema] | None = None,
) -> Schema:
    """Return the schema of a request body: all members not in `require` may be omitted, and null counts as omitted.

    Members that a change omits keep their values. The schema allows undeclared members, since the service ignores or
    stores them.
    """
    required = list(require)
    properties = {
        to_wire(name): sent_member(field, is_required=to_wire(name) in required, is_change=is_change)
        for name, field in serializer.field_table().items()
        if not field.read_only
    } | (further or {})
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def sent_member(field: Field, *, is_required: bool = False, is_change: bool = False) -> Schema:
    """Return the schema of a member of a request body; its description includes the range."""
    schema = sent_value(field)
    if not is_required:
        schema = or_null(schema)
    words = unchanged(help_of(field)) if is_change else help_of(field)
    return {"description": f"{words}{_range_of(field)}"} | schema


def sent_value(field: Field) -> Schema:
    """Return the schema of the values that a request may send for a member."""
    if isinstance(field, IntegerField):
        return sent_number(field.min_value, field.max_value)
    if isinstance(field, BooleanField):
        return {"type": ["boolean", "string"], "pattern": TRUE_OR_FALSE}
    if isinstance(field, DateTimeField):
        return {"type": "string", "pattern": SENT_DATE_TIME}
    if isinstance(field, serializers.ChoiceField):
        return _words_of(field)
    if isinstance(field, serializers.ListField):
        rule: type[WireSerializer] | None = getattr(field, "rule", None)
        items = ref(rule.__name__.removesuffix("Serializer")) if rule else sent_value(field.child)
        return {"type": "array", "items": items}
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
    """Return a reference to the choices of a field, named after its class: LinkType for LinkTypeField."""
    return ref(type(field).__name__.removesuffix("Field"))


def sent_number(least: int | None, most: int | None) -> Schema:
    """Return the schema of an integer in a request, as a number or a string; the default range has 64 bits.

    `least` must be 0 or less. The pattern limits the digits of a string so that every match is in range.
    """
    least = -INT64_MAX - 1 if least is None else least
    most = INT64_MAX if most is None else most
    sign = "[+-]" if least < 0 else r"\+"
    digits = len(str((min(most, -least) if least < 0 else most) + 1)) - 1
    pattern = rf"^\s*{sign}?\d{{1,{digits}}}\s*$"
    return {"type": ["integer", "string"], "format": "int64", "pattern": pattern, "minimum": least, "maximum": most}


def or_null(schema: Schema) -> Schema:
    """Return a schema that also allows null, which counts as not sent."""
    if schema.keys() & {"$ref", "enum"}:
        return nullable(schema)
    if "type" not in schema:
        return schema
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return schema | {"type": [*types, "null"]}


# ---- words

_DEFAULT = re.compile(r" Default: .*$")


def help_of(field: Field) -> str:
    """Return the meaning of the member."""
    return str(field.help_text or "")


def unchanged(description: str) -> str:
    """Return the description for a change, where an omitted member does not change instead of getting a default."""
    return f"{without_default(description)} Default: unchanged."


def without_default(description: str) -> str:
    """Return the description without its last sentence, which states the default of a new record."""
    return _DEFAULT.sub("", description)


def _range_of(field: Field) -> str:
    """Return the accepted range as a sentence that follows the meaning."""
    if isinstance(field, TextField):
        if field.max_length:
            return f" At most {field.max_length:,} characters."
        return "" if field.words or field.pattern else " Of any length."
    if not isinstance(field, IntegerField) or (field.min_value is None and field.max_value is None):
        return ""
    if field.max_value is None:
        return f" {field.min_value:,} or more."
    return f" From {field.min_value:,} to {field.max_value:,}."
