"""Values of columns as JSON, the same whichever engine they come from or go to."""

import base64
import json
from typing import Any

from django.db import models

from cms_api.operation.backup.faults import BackupFault

# What stands in a row: whole numbers, true and false, texts, times as ISO text, JSON as text, bytes as Base64.
INTEGER, BOOLEAN, TEXT, TIME, DATE, FLOAT, JSON, BYTES = (
    *("integer", "boolean", "text", "time", "date"),
    *("float", "json", "bytes"),
)
_KINDS = {
    "AutoField": INTEGER,
    "BigAutoField": INTEGER,
    "SmallAutoField": INTEGER,
    "IntegerField": INTEGER,
    "BigIntegerField": INTEGER,
    "SmallIntegerField": INTEGER,
    "PositiveIntegerField": INTEGER,
    "PositiveBigIntegerField": INTEGER,
    "PositiveSmallIntegerField": INTEGER,
    "BooleanField": BOOLEAN,
    "CharField": TEXT,
    "TextField": TEXT,
    "SlugField": TEXT,
    "DateTimeField": TIME,
    "DateField": DATE,
    "FloatField": FLOAT,
    "JSONField": JSON,
    "BinaryField": BYTES,
}
_TYPES: dict[str, tuple[type, ...]] = {INTEGER: (int,), BOOLEAN: (bool,), FLOAT: (float, int)}


def kind_of(field: Any) -> str:
    """The kind of a model's column. Raises BackupFault for one that no row could hold."""
    while isinstance(field, models.ForeignKey):
        field = field.target_field
    try:
        return _KINDS[field.get_internal_type()]
    except KeyError:
        raise BackupFault(f"Columns like {field} are not known to backups (cms_api.operation.backup.kinds).") from None


def types_of(kind: str) -> tuple[type, ...]:
    """Of which types a value that is not null is in JSON; exactly, since true is a number to Python."""
    return _TYPES.get(kind, (str,))


def is_kind(text: str) -> bool:
    return text in _KINDS.values()


def encode(value: Any) -> str:
    """What JSON has no word for: the bytes of a value."""
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode("ascii")
    raise TypeError(type(value))


def for_database(kind: str, value: Any, vendor: str) -> Any:
    """The value of a row as the engine stores it."""
    if value is None:
        return None
    if kind == BYTES:
        return base64.b64decode(value)
    # As Django writes it on SQLite, where times are compared as texts.
    return value.replace("T", " ") if kind == TIME and vendor == "sqlite" else value


def comparable(kind: str, value: Any) -> Any:
    """A value that equals another where the two mean the same: PostgreSQL sorts the members of JSON."""
    return json.loads(value) if kind == JSON and value is not None else value
