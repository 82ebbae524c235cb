"""What a content's members are in the database: the one table behind answers and Where/Order rules."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from cms_api.lib.errors import InvalidInput
from cms_api.rest import fields
from cms_api.rest.names import to_wire
from contents.wire.serializers import ContentSerializer, JoinedNamesField

_MAX_MISSPELT = 40  # characters
Read = Callable[[Any, str], Any]


@dataclass(frozen=True)
class Column:
    """A member as SQL over `c` (content), `b` (its body) and `s` (its site).

    `read` turns a Where rule's value into one that can be compared, or refuses it.
    """

    name: str
    wire: str
    sql: str
    read: Read

    @cached_property
    def is_nullable(self) -> bool:
        """Whether a content may have no value, not even an empty one."""
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


_READERS: dict[type, Read] = {
    fields.IntegerField: fields.read_integer,
    fields.BooleanField: fields.read_boolean,
    fields.DateTimeField: fields.read_date_time,
    fields.TextField: fields.read_text,
    fields.AddressField: fields.read_text,
    JoinedNamesField: fields.read_text,
}
# The address follows from the rules of the site's channels: contents.rules.writer fills it in.
_COMPUTED = {"navigation_url": "", "content": "COALESCE(b.text, '')"}


def _column(name: str, field: object) -> Column:
    return Column(name, to_wire(name), _COMPUTED.get(name, f"c.{name}"), _READERS[type(field)])


COLUMNS = tuple(_column(name, field) for name, field in ContentSerializer.field_table().items())
BY_NAME = {column.name: column for column in COLUMNS}
BY_FOLDED_WIRE = {column.wire.casefold(): column for column in COLUMNS}
STORED = tuple(column for column in COLUMNS if column.name != "navigation_url")


def unknown_column(name: str, wire: str, **members: str) -> InvalidInput:
    """The refusal of a name, sent at the place `name`, that is no member of any content of the site."""
    # No member has a longer name, and likeness takes the time of both lengths.
    near = get_close_matches(wire.strip().casefold(), BY_FOLDED_WIRE, n=1) if len(wire) <= _MAX_MISSPELT else []
    perhaps = f" (perhaps {BY_FOLDED_WIRE[near[0]].wire})" if near else ""
    message = f"{name} has the unknown column {wire}{perhaps}; no content of the site has such a member."
    return InvalidInput("unknown_column", message, **members)
