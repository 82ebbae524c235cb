"""Which members of contents an answer has, what is read for them, and the records of what was read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import connection

from channels_app.pages import content_pages
from contents.lists.request import refuse_many
from contents.navigation.addresses import add_addresses
from contents.rules.writer import Rules
from contents.wire.columns import BY_FOLDED_WIRE, STORED, Column, unknown_column
from contents.wire.records import Record, partial_record_maker, record_maker, select_list, select_of

_MAX_FIELDS = 1000  # more than a content can have
_ADDRESS = "navigationUrl"
_SETTINGS = "settingsXml"
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Selection:
    """The members that each content has in an answer; without names all of them."""

    names: frozenset[str] | None = None

    @classmethod
    def of(cls, rules: Rules, names: Sequence[str], name: str = "fields") -> "Selection":
        """The selection of these names, in any letter case. Raises InvalidInput for one that the site does not know."""
        if not names:
            return ALL
        refuse_many(name, len(names), _MAX_FIELDS)
        rules.look_up(names)
        wires = []
        for sent in names:
            if (column := rules.find(sent)) is None:
                raise unknown_column(name, sent, member=name)
            wires.append(column.wire)
        return cls(frozenset(wires))

    @property
    def reads_body(self) -> bool:
        return self.names is None or "content" in self.names

    @property
    def has_addresses(self) -> bool:
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

    def record_maker(self) -> Callable[[Sequence[Any], str], Record]:
        """The function that makes a record of a row of the columns and the site's web address."""
        if self.names is None:
            return record_maker(connection)
        return partial_record_maker(self.columns, connection, has_custom=self._has_custom or self.has_addresses)


ALL = Selection()


class ContentRows:
    """Rows of a selection's columns with the version after them; each begins with `before` other values.

    `number` is that of the site's TreeVersion and `web_url` its address, both read with the rows.
    """

    def __init__(
        self, selection: Selection, rows: Sequence[Row], number: int | None, web_url: str, before: int
    ) -> None:
        self._selection, self._rows, self._number, self._web_url = selection, rows, number, web_url
        self._first, self._end = before, before + len(selection.columns)

    @cached_property
    def records(self) -> list[Record]:
        """The contents as they are answered."""
        names, make = self._selection.names, self._selection.record_maker()
        first, end, web_url = self._first, self._end, self._web_url
        records = [make(row[first:end], web_url) for row in self._rows]
        if self._selection.has_addresses:
            add_addresses(records, self._number, web_url)
        if names is None:
            return records
        return [{name: value for name, value in record.items() if name in names} for record in records]

    @property
    def parts(self) -> tuple[Any, ...]:
        """What decides every byte of the records, without the bodies: the version stands for them."""
        first, body, end = self._first, self._first + self._selection.place_of_body, self._end + 1
        rows = [row[first:body] + row[body + 1 : end] for row in self._rows]
        return (self._selection.shown, self._number, self._web_url, rows, self._addresses())

    def _addresses(self) -> list[str] | None:
        """The addresses, where they follow from other contents than these."""
        if not self._rows or not self._selection.has_addresses or not self._depend_on_others():
            return None
        return [record["navigationUrl"] for record in self.records]

    def _depend_on_others(self) -> bool:
        place = self._first + self._selection.place_of("reference_id")
        if any(row[place] > 0 for row in self._rows):
            return True
        site_id = self._rows[0][self._first + self._selection.place_of("site_id")]
        pages = content_pages(site_id, self._number)
        return pages is not None and pages.wants("sequence")
