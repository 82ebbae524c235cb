import base64
import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import NoneType
from typing import Any

from django.db import models

from core.archive.errors import ArchiveError, Damaged

Row = list[Any]  # a row's values in JSON

# By kind of column: JSON types and their name. Times are ISO texts, JSON is a text, bytes are Base64; UUIDs have
# hyphens in archives from PostgreSQL only.
_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "integer": ((int,), "a whole number"),
    "boolean": ((bool,), "true or false"),
    "text": ((str,), "a text"),
    "time": ((str,), "a time as text"),
    "date": ((str,), "a date as text"),
    "float": ((float, int), "a number"),
    "json": ((str,), "JSON as text"),
    "bytes": ((str,), "Base64 text"),
    "uuid": ((str,), "a UUID as text"),
}
_KINDS_OF_FIELDS = {
    "BooleanField": "boolean",
    "CharField": "text",
    "TextField": "text",
    "SlugField": "text",
    "DateTimeField": "time",
    "DateField": "date",
    "FloatField": "float",
    "JSONField": "json",
    "BinaryField": "bytes",
    "UUIDField": "uuid",
}


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table by its database name; the first `keys` columns identify a row."""

    name: str
    label: str  # of its model: "contents.content"
    columns: tuple[Column, ...]
    keys: int  # number of integer columns that identify a row
    is_numbered: bool  # the database issues the ids

    def place_of(self, name: str) -> int:
        return next(place for place, column in enumerate(self.columns) if column.name == name)

    def are_columns_known(self) -> bool:
        names = [self.name, *(column.name for column in self.columns)]
        are_kinds_known = all(column.kind in _KINDS for column in self.columns)
        return are_kinds_known and 0 <= self.keys <= len(self.columns) and all(map(str.isidentifier, names))


def table_of(model: type[models.Model], left_out: Collection[str] = ()) -> Table:
    """Return a model's table without some columns. Raises `ArchiveError` if no archive can hold it."""
    key: Any = model._meta.pk
    keys: list[Any] = list(key.fields) if isinstance(key, models.CompositePrimaryKey) else [key]
    concrete: Any = model._meta.concrete_fields
    fields = [*keys, *(field for field in concrete if field not in keys)]
    columns = tuple(Column(field.column, _kind_of(field)) for field in fields if field.column not in left_out)
    count = sum(field.column not in left_out for field in keys)
    if any(column.kind != "integer" for column in columns[:count]):
        raise ArchiveError(f"Rows of {model._meta.label} have no integer keys, which archives need.")
    is_numbered = isinstance(key, models.AutoField)
    return Table(model._meta.db_table, model._meta.label_lower, columns, count, is_numbered)


def _kind_of(field: Any) -> str:
    while isinstance(field, models.ForeignKey):
        field = field.target_field
    if isinstance(field, models.IntegerField):
        return "integer"
    try:
        return _KINDS_OF_FIELDS[field.get_internal_type()]
    except KeyError:
        raise ArchiveError(f"Archives do not support columns like {field} (core.archive.tables).") from None


def row_checker(table: Table) -> Callable[[int, Any], None]:
    width = len(table.columns)
    # Exactly these types, since bool is a subclass of int.
    possible = [
        _KINDS[column.kind][0] if place < table.keys else (*_KINDS[column.kind][0], NoneType)
        for place, column in enumerate(table.columns)
    ]

    def check(number: int, row: Any) -> None:
        if type(row) is not list or len(row) != width:
            raise Damaged(f"{place_of_row(table, number)}: It must be a list of {width} values.")
        for place, (value, types) in enumerate(zip(row, possible, strict=True)):
            if type(value) not in types:
                column = table.columns[place]
                where = f"{place_of_row(table, number)}, field {column.name}"
                raise Damaged(f"{where}: It must be {_KINDS[column.kind][1]}.")

    return check


def place_of_row(table: Table, number: int) -> str:
    return f"Row {number} of {table.label}"


def encode(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode("ascii")
    raise TypeError(type(value))


def for_database(kind: str, value: Any, vendor: str) -> Any:
    if value is None:
        return None
    if kind == "bytes":
        return base64.b64decode(value)
    # Django's formats on SQLite, where both are compared as texts.
    if vendor == "sqlite" and kind == "time":
        return value.replace("T", " ")
    return value.replace("-", "") if vendor == "sqlite" and kind == "uuid" else value


def comparable(kind: str, value: Any) -> Any:
    """Normalise a value for comparison: PostgreSQL sorts the members of JSON, and has hyphens in UUIDs."""
    if kind == "uuid" and value is not None:
        return str(value).replace("-", "")
    return json.loads(value) if kind == "json" and value is not None else value
