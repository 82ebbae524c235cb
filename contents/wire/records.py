"""Rows as wire records, in one pass and without a serializer per record."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import orjson
from django.db import connection

from contents.wire.columns import BY_FOLDED_WIRE, STORED
from core.lib.clock import date_text
from sites.addresses import resolve

Record = dict[str, Any]


class Selection:
    """The members to return (None: all), the columns they need, and records from rows. Use `selection_of`."""

    def __init__(self, names: frozenset[str] | None) -> None:
        self.names = names
        self.reads_body = names is None or "content" in names
        self.has_addresses = names is None or "navigationUrl" in names
        self._has_custom = self.has_addresses or any(name.casefold() not in BY_FOLDED_WIRE for name in names or ())
        wanted = {column.wire for column in STORED} if self.has_addresses else {*(names or ())}
        wanted |= {"settingsXml"} if self._has_custom else set()
        # Address rules may use any member except the body.
        self.columns = tuple(
            column for column in STORED if column.wire in wanted and (column.wire != "content" or self.reads_body)
        )
        self.select = ", ".join(date_text(one.sql, connection) if one.is_date else one.sql for one in self.columns)
        self.places = {column.wire: place for place, column in enumerate(self.columns)}
        self._empty: Record = dict.fromkeys(self.places)
        is_postgresql = connection.vendor == "postgresql"
        self._numbers = [one.wire for one in self.columns if one.is_boolean and not is_postgresql]
        self._addresses = [name for name in ("imageUrl", "videoUrl", "fileUrl") if name in self.places]

    def make_records(self, rows: Iterable[Sequence[Any]], web_url: str, first: int) -> list[Record]:
        """Records from rows whose columns begin at `first`; they have extra members, but no `navigationUrl` yet."""
        names, end, records = tuple(self.places), first + len(self.columns), []
        for row in rows:
            record = self._empty.copy()  # copying a dict of final size takes half the time
            record.update(zip(names, row[first:end], strict=False))
            for name in self._numbers:
                record[name] = record[name] == 1
            for name in self._addresses:
                if record[name]:
                    record[name] = resolve(record[name], web_url)
            if self._has_custom and (further := record["settingsXml"]) != "{}":
                for name, value in orjson.loads(further).items():
                    record.setdefault(name, value)  # a setting never hides a standard member
            records.append(record)
        return records


@lru_cache(64)  # an stl element has a selection for each standard member
def selection_of(names: frozenset[str] | None = None) -> Selection:
    return Selection(names)
