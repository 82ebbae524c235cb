"""The views that a statement reads: one for each part of the catalogue, with the columns used."""

import re
from dataclasses import dataclass, field

from cms_api.lib.sql_sandbox.catalogue import Catalogue, Column, Table, View
from cms_api.lib.sql_sandbox.compiling.bound import Offer, Reference, ViewUse

_COLUMN_NAME = re.compile("[A-Za-z][A-Za-z0-9_]{0,62}")


@dataclass
class UsedView:
    """A view, and the columns used so far."""

    name: str
    table: Table
    site_ids: tuple[int, ...] | None
    used: set[str] = field(default_factory=set)

    def offers(self) -> tuple[Offer, ...]:
        """Every column of the table."""
        return tuple(Offer(one.name, one.kind, _checked(one).lower(), column=one) for one in self.table.columns)

    def view(self) -> View:
        """The view with the columns used; with the first one where only rows are counted."""
        columns = tuple(one for one in self.table.columns if one.name in self.used) or self.table.columns[:1]
        return View(self.table, columns, self.site_ids)


def _checked(column: Column) -> str:
    """The name of a column; raises ValueError for one that SQL would not take as it is, a fault of the catalogue."""
    if not _COLUMN_NAME.fullmatch(column.name):
        raise ValueError(f"A column of the catalogue is named {column.name!r}.")
    return column.name


class Views:
    """The views of one statement, named `v1`, `v2`, … as their tables first occur."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._by_part: dict[tuple[str, tuple[int, ...] | None], UsedView] = {}

    def use(self, name: str) -> UsedView | None:
        """The view of the table of that name, or None for an unknown one."""
        found = self.catalogue.find(name)
        if found is None:
            return None
        table, site_ids = found
        part = (table.name.casefold(), site_ids)
        if part not in self._by_part:
            self._by_part[part] = UsedView(f"v{len(self._by_part) + 1}", table, site_ids)
        return self._by_part[part]

    def key(self, use: ViewUse) -> Reference | None:
        """The column that tells the rows of a view in use apart, which is then read; None if there is none."""
        used = next(one for one in self._by_part.values() if one.name == use.view)
        key = used.table.key
        offer = next((one for one in used.offers() if one.column is key), None) if key else None
        if offer is None:
            return None
        used.used.add(offer.name)
        return Reference(use.alias, offer.sql_name, offer.kind, offer)

    def used(self) -> dict[str, View]:
        """The views by name."""
        return {one.name: one.view() for one in self._by_part.values()}
