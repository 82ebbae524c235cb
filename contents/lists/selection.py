"""Which members of contents an answer has, and what is read for them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import connection

from contents.lists.request import refuse_many
from contents.models import CustomField
from contents.navigation.addresses import add_addresses
from contents.wire.columns import BY_FOLDED_WIRE, STORED, Column, unknown_column
from contents.wire.records import Record, partial_record_maker, record_maker, select_list, select_of

_MAX_FIELDS = 1000  # more than a content can have
_ADDRESS = "navigationUrl"
_SETTINGS = "settingsXml"


@dataclass(frozen=True)
class Selection:
    """The members that each content has in an answer; without names all of them."""

    names: frozenset[str] | None = None

    @classmethod
    def of(cls, site_id: int, names: Sequence[str], name: str = "fields") -> "Selection":
        """The selection of these names, in any letter case. Raises BadRequest for one that the site does not know."""
        if not names:
            return ALL
        refuse_many(name, len(names), _MAX_FIELDS)
        by_folded = {one.strip().casefold(): one for one in names}
        known = {folded: BY_FOLDED_WIRE[folded].wire for folded in by_folded.keys() & BY_FOLDED_WIRE.keys()}
        known |= _custom_names(site_id, by_folded.keys() - known.keys())
        for folded, sent in by_folded.items():
            if folded not in known:
                raise unknown_column(name, sent, member=name)
        return cls(frozenset(known.values()))

    @property
    def reads_body(self) -> bool:
        """Whether the body is read."""
        return self.names is None or "content" in self.names

    @property
    def has_addresses(self) -> bool:
        """Whether addresses of pages are computed."""
        return self.names is None or _ADDRESS in self.names

    @cached_property
    def _has_custom(self) -> bool:
        return self.names is None or not all(name.casefold() in BY_FOLDED_WIRE for name in self.names)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """What is read of each content, in the order of the answer."""
        if self.names is None:
            return STORED
        if self.has_addresses:
            # Rules of addresses may name any member but the body.
            return tuple(one for one in STORED if one.name != "content" or self.reads_body)
        return tuple(one for one in STORED if one.wire in self.names or (self._has_custom and one.wire == _SETTINGS))

    def place_of(self, name: str) -> int:
        """Where the column stands in a row."""
        return next(place for place, column in enumerate(self.columns) if column.name == name)

    @cached_property
    def place_of_body(self) -> int:
        """Where the body stands in a row; after its end where it is not read."""
        return self.place_of("content") if self.reads_body else len(self.columns) + 1

    @property
    def shown(self) -> list[str] | None:
        """The names in an order of their own, None for all."""
        return None if self.names is None else sorted(self.names)

    @property
    def select(self) -> str:
        """The columns as SQL over `c` and, where the body is read, `b`."""
        return select_list(connection) if self.names is None else select_of(self.columns, connection)

    def make_records(self, rows: Iterable[Sequence[Any]], number: int | None, web_url: str) -> list[Record]:
        """The records of rows of the columns; `number` is that of the site's TreeVersion."""
        if self.names is None:
            make = record_maker(connection)
            records = [make(row, web_url) for row in rows]
            add_addresses(records, number, web_url)
            return records
        has_custom = self._has_custom or self.has_addresses
        make = partial_record_maker(self.columns, connection, has_custom=has_custom)
        records = [make(row, web_url) for row in rows]
        if self.has_addresses:
            add_addresses(records, number, web_url)
        return [{name: value for name, value in record.items() if name in self.names} for record in records]


def _custom_names(site_id: int, folded: Iterable[str]) -> dict[str, str]:
    sought = [name for name in folded if name and "\0" not in name]
    if not sought:
        return {}
    rows = CustomField.objects.filter(site_id=site_id, folded_name__in=sought)
    return dict(rows.values_list("folded_name", "name"))


ALL = Selection()
