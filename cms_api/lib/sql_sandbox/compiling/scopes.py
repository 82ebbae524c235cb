"""What the names in a SELECT mean: views of the catalogue, relations, those of queries around it, common tables."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cms_api.lib.sql_sandbox.catalogue import Catalogue, Kind, Table, View
from cms_api.lib.sql_sandbox.compiling.bound import Common, Expression, Offer, Query, Reference, Relation, ViewUse
from cms_api.lib.sql_sandbox.refusals import NotAllowed
from cms_api.lib.sql_sandbox.wording import nearest, shown

_COLUMN_NAME = re.compile("[A-Za-z][A-Za-z0-9_]{0,62}")


@dataclass
class UsedView:
    """A view, and the columns used so far."""

    name: str
    table: Table
    site_ids: tuple[int, ...] | None
    used: set[str] = field(default_factory=set)

    def offers(self) -> tuple[Offer, ...]:
        """Every column of the table. Raises ValueError for a name that SQL would not take as it is, a fault of ours."""
        for column in self.table.columns:
            if not _COLUMN_NAME.fullmatch(column.name):
                raise ValueError(f"A column of the catalogue is named {column.name!r}.")
        return tuple(Offer(one.name, one.kind, one.name.lower(), column=one) for one in self.table.columns)

    def view(self) -> View:
        """The view with the columns used; with the first one where only rows are counted."""
        columns = tuple(one for one in self.table.columns if one.name in self.used) or self.table.columns[:1]
        return View(self.table, columns, self.site_ids)


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
        return {one.name: one.view() for one in self._by_part.values()}


def offers_of(query: Query, names: tuple[str, ...] = (), is_passed: bool = False) -> tuple[Offer, ...]:
    """The columns of a query that stands as a relation; NULL alone counts as a text."""
    return tuple(
        Offer(name, Kind.TEXT if kind is Kind.NULL else kind, f"c{place + 1}", None, query, place, is_passed)
        for place, (name, kind) in enumerate(zip(names or query.names, query.kinds, strict=True))
    )


@dataclass
class NamedRelation:
    """A relation under the name by which the statement speaks of it."""

    name: str
    relation: Relation
    offers: tuple[Offer, ...]
    view: UsedView | None = None

    def find(self, name: str) -> Reference | None:
        """The column of the name in any letter case; None if there is none. Raises NotAllowed if there are two."""
        found = [offer for offer in self.offers if offer.name.casefold() == name.casefold()]
        if len(found) > 1:
            raise NotAllowed(f"{shown(self.name or 'The query')} has more than one column {shown(name)}.")
        return self.reference(found[0]) if found else None

    def reference(self, offer: Offer) -> Reference:
        """The column as an expression; it is then one that the statement reads."""
        if self.view is not None:
            self.view.used.add(offer.name)
        return Reference(self.relation.alias, offer.sql_name, offer.kind, offer)

    def shown_by_star(self) -> Iterator[Offer]:
        """The columns that `*` stands for."""
        return (offer for offer in self.offers if offer.column is None or offer.column.in_star)


@dataclass(frozen=True)
class NamedCommon:
    common: Common
    columns: tuple[str, ...]


@dataclass
class Scope:
    """The relations of one SELECT; `outer` is that of the query around it."""

    outer: "Scope | None" = None
    commons: Mapping[str, NamedCommon] = field(default_factory=dict)  # by casefolded name
    relations: list[NamedRelation] = field(default_factory=list)
    # Columns that USING has made one of, by casefolded name.
    merged: dict[str, Expression] = field(default_factory=dict)

    def add(self, relation: NamedRelation) -> None:
        """One more relation. Raises NotAllowed where another has its name."""
        if relation.name and any(one.name.casefold() == relation.name.casefold() for one in self.relations):
            raise NotAllowed(f"Two relations are named {shown(relation.name)}; give them different aliases.")
        self.relations.append(relation)

    @property
    def aliases(self) -> frozenset[str]:
        return frozenset(one.relation.alias for one in self.relations)

    def find(self, name: str, relation: str = "") -> Expression | None:
        """What a column name means here or in a query around; None if nothing."""
        found = self._qualified(name, relation) if relation else self._bare(name)
        if found is not None or self.outer is None or (relation and self._named(relation)):
            return found
        return self.outer.find(name, relation)

    def unknown(self, name: str, relation: str = "", *, is_quoted: bool = False) -> NotAllowed:
        """The refusal of a column name that `find` does not know; one in quotes may be meant as a text."""
        if relation and not self._is_known(relation):
            return NotAllowed(f"{shown(relation)} is not a table or an alias of the query.")
        candidates = [one for one in self._all() if not relation or one.name.casefold() == relation.casefold()]
        if not candidates:
            return NotAllowed(f"Column {shown(name)} is not known; the query reads no table.")
        match = nearest(name, (offer.name for one in candidates for offer in one.offers))
        where = " or ".join(dict.fromkeys(shown(one.name or "the query in brackets") for one in candidates[:3]))
        hint = f"; {shown(match)} is" if match else ""
        if is_quoted and not match:
            hint = "; texts stand in single quotes"
        elif not match and any(offer.kind is Kind.JSON for one in candidates for offer in one.offers):
            hint = "; JSON_VALUE reads custom fields"
        return NotAllowed(f"Column {shown(name)} is not in {where}{hint}.")

    def star(self, relation: str = "") -> list[tuple[str, Expression]]:
        """The names and columns that `*` or `relation.*` stands for. Raises NotAllowed for an unknown relation."""
        if relation:
            named = self._named(relation)
            if named is None:
                raise NotAllowed(f"{shown(relation)} is not a table or an alias of the query.")
            return [(offer.name, named.reference(offer)) for offer in named.shown_by_star()]
        if not self.relations:
            raise NotAllowed("* needs a table to take its columns from.")
        shared = [(self._spelling(name), one) for name, one in self.merged.items()]
        return shared + [
            (offer.name, one.reference(offer))
            for one in self.relations
            for offer in one.shown_by_star()
            if offer.name.casefold() not in self.merged
        ]

    def _spelling(self, folded: str) -> str:
        names = (offer.name for one in self.relations for offer in one.offers)
        return next(name for name in names if name.casefold() == folded)

    def _bare(self, name: str) -> Expression | None:
        if merged := self.merged.get(name.casefold()):
            return merged
        found = [(one, column) for one in self.relations if (column := one.find(name)) is not None]
        if len(found) > 1:
            where = " and ".join(shown(one.name or "the query in brackets") for one, _ in found[:2])
            raise NotAllowed(f"Column {shown(name)} is in both {where}; put one of them before it.")
        return found[0][1] if found else None

    def _qualified(self, name: str, relation: str) -> Reference | None:
        named = self._named(relation)
        return named.find(name) if named else None

    def _named(self, name: str) -> NamedRelation | None:
        return next((one for one in self.relations if one.name and one.name.casefold() == name.casefold()), None)

    def _is_known(self, relation: str) -> bool:
        return self._named(relation) is not None or (self.outer is not None and self.outer._is_known(relation))

    def _all(self) -> list[NamedRelation]:
        return self.relations + (self.outer._all() if self.outer else [])
