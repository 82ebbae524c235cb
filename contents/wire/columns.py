"""Members of a content as database columns: one table for responses and Where/Order rules."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from django.db import connection

from contents.wire.serializers import ContentSerializer, JoinedNamesField
from core.lib.clock import date_text
from core.lib.errors import InvalidInput
from core.rest import fields
from core.rest.names import to_wire

_MAX_MISSPELT = 40
Read = Callable[[Any, str], Any]


@dataclass(frozen=True)
class Column:
    """A member as SQL over `c` (content), `b` (body) and `s` (site); `read` parses the values of rules."""

    name: str
    wire: str
    sql: str
    read: Read

    @cached_property
    def is_nullable(self) -> bool:
        """Return whether the column may be null; only the date of the last hit may."""
        return self.wire == "lastHitsDate"

    @cached_property
    def is_custom(self) -> bool:
        return self.wire.casefold() not in BY_FOLDED_WIRE

    @cached_property
    def is_text(self) -> bool:
        return self.read is fields.read_text

    @cached_property
    def is_date(self) -> bool:
        return self.read is fields.read_date_time

    @cached_property
    def is_boolean(self) -> bool:
        return self.read is fields.read_boolean

    @cached_property
    def text(self) -> str:
        if self.is_boolean:
            return f"(CASE WHEN {self.sql} THEN 'True' ELSE 'False' END)"
        if self.is_date:
            return date_text(self.sql, connection)
        return self.sql if self.is_text else f"CAST({self.sql} AS text)"

    @cached_property
    def comparable(self) -> str:
        # Compare by code point, as SQLite and Python do, regardless of the database's locale.
        return f'{self.sql} COLLATE "C"' if self.is_text and connection.vendor == "postgresql" else self.sql

    def value(self, text: str, name: str) -> Any:
        """Convert a rule's value for the database; raises InvalidInput, which calls the value `name`."""
        value = self.read(text, name)
        if not self.is_date:
            return value
        # "Never" sorts before every date.
        return connection.ops.adapt_datetimefield_value(value or datetime(1, 1, 1))


_READERS: dict[type, Read] = {
    fields.IntegerField: fields.read_integer,
    fields.BooleanField: fields.read_boolean,
    fields.DateTimeField: fields.read_date_time,
    fields.TextField: fields.read_text,
    fields.AddressField: fields.read_text,
    JoinedNamesField: fields.read_text,
}
# contents.rules.sql fills in the address, which depends on the site's rules.
_COMPUTED = {"navigation_url": "", "content": "COALESCE(b.text, '')"}

COLUMNS = tuple(
    Column(name, to_wire(name), _COMPUTED.get(name, f"c.{name}"), _READERS[type(field)])
    for name, field in ContentSerializer.field_table().items()
)
BY_NAME = {column.name: column for column in COLUMNS}
WIRE_NAMES = frozenset(column.wire for column in COLUMNS)
BY_FOLDED_WIRE = {column.wire.casefold(): column for column in COLUMNS}
STORED = tuple(column for column in COLUMNS if column.name != "navigation_url")


def unknown_column(name: str, wire: str) -> InvalidInput:
    """Error for a member `wire` that no content of the site has, sent at `name`."""
    # No member is longer, and the cost of a match grows with both lengths.
    near = get_close_matches(wire.strip().casefold(), BY_FOLDED_WIRE, n=1) if len(wire) <= _MAX_MISSPELT else []
    perhaps = f" (did you mean {BY_FOLDED_WIRE[near[0]].wire}?)" if near else ""
    message = f"{name} has the unknown column {wire}{perhaps}; no content of the site has such a member."
    return InvalidInput("unknown_column", message, member=name)
