"""Contents of one site as they were read: their records, and what tells one state of them from another."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from channels_app.pages import content_pages
from contents.lists.selection import Selection
from contents.wire.records import Record

Row = tuple[Any, ...]


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
        rows = (row[self._first : self._end] for row in self._rows)
        return self._selection.make_records(rows, self._number, self._web_url)

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
