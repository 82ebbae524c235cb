import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sql_sandbox.catalogue import Catalogue, Table, ValueKind, View
from sql_sandbox.compiling.resolved import Common, Expression, Offer, Query, Reference, Relation, ViewUse
from sql_sandbox.refusals import NotAllowed, nearest, shown

_COLUMN_NAME = re.compile("[A-Za-z][A-Za-z0-9_]{0,62}")


@dataclass
class UsedView:
    name: str
    table: Table
    site_ids: tuple[int, ...] | None
    used: set[str] = field(default_factory=set)  # columns

    def offers(self) -> tuple[Offer, ...]:
        """Return the table's columns. Raise ValueError for a name that SQL would not take, a fault of ours."""
        for column in self.table.columns:
            if not _COLUMN_NAME.fullmatch(column.name):
                raise ValueError(f"A column of the catalogue is named {column.name!r}.")
        return tuple(Offer(one.name, one.kind, one.name.lower(), column=one) for one in self.table.columns)


class Views:
    """The views of one statement, named `v1`, `v2`, … in the order of their first use."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._by_part: dict[tuple[str, tuple[int, ...] | None], UsedView] = {}

    def use(self, name: str) -> UsedView | None:
        found = self.catalogue.find(name)
        if found is None:
            return None
        table, site_ids = found
        part = (table.name.casefold(), site_ids)
        if part not in self._by_part:
            self._by_part[part] = UsedView(f"v{len(self._by_part) + 1}", table, site_ids)
        return self._by_part[part]

    def key(self, use: ViewUse) -> Reference | None:
        """Return the column that identifies a view's rows and mark it as read; None if there is none."""
        used = next(one for one in self._by_part.values() if one.name == use.view)
        key = used.table.key
        offer = next((one for one in used.offers() if one.column is key), None) if key else None
        if offer is None:
            return None
        used.used.add(offer.name)
        return Reference(use.alias, offer.sql_name, offer.kind, offer)

    def used(self) -> dict[str, View]:
        """Return the views with the columns used; with the first column if rows are only counted."""
        views = {}
        for one in self._by_part.values():
            columns = tuple(column for column in one.table.columns if column.name in one.used)
            views[one.name] = View(one.table, columns or one.table.columns[:1], one.site_ids)
        return views


def offers_of(query: Query, names: tuple[str, ...] = (), is_passed: bool = False) -> tuple[Offer, ...]:
    """Return the columns of a query in place of a relation; A bare NULL counts as a text."""
    return tuple(
        Offer(name, ValueKind.TEXT if kind is ValueKind.NULL else kind, f"c{place + 1}", None, query, place, is_passed)
        for place, (name, kind) in enumerate(zip(names or query.names, query.kinds, strict=True))
    )


@dataclass
class NamedRelation:
    name: str  # in the statement
    relation: Relation
    offers: tuple[Offer, ...]
    view: UsedView | None = None

    def find(self, name: str) -> Reference | None:
        found = [offer for offer in self.offers if offer.name.casefold() == name.casefold()]
        if len(found) > 1:
            raise NotAllowed(f"{shown(self.name or 'The query')} has more than one column {shown(name)}.")
        return self.reference(found[0]) if found else None

    def reference(self, offer: Offer) -> Reference:
        """Return the column as an expression and mark it as read."""
        if self.view is not None:
            self.view.used.add(offer.name)
        return Reference(self.relation.alias, offer.sql_name, offer.kind, offer)

    def shown_by_star(self) -> Iterator[Offer]:
        return (offer for offer in self.offers if offer.column is None or offer.column.in_star)


@dataclass
class Scope:
    outer: "Scope | None" = None
    commons: Mapping[str, Common] = field(default_factory=dict)  # by casefolded name
    relations: list[NamedRelation] = field(default_factory=list)
    merged: dict[str, Expression] = field(default_factory=dict)  # by USING, by casefolded name

    def add(self, relation: NamedRelation) -> None:
        if relation.name and any(one.name.casefold() == relation.name.casefold() for one in self.relations):
            raise NotAllowed(f"Two relations are named {shown(relation.name)}; give them different aliases.")
        self.relations.append(relation)

    @property
    def aliases(self) -> frozenset[str]:
        return frozenset(one.relation.alias for one in self.relations)

    def find(self, name: str, relation: str = "") -> Expression | None:
        """Return the column of that name from this or an outer query, or None."""
        named = self._named(relation) if relation else None
        if relation:
            found: Expression | None = named.find(name) if named else None
        else:
            found = self._bare(name)
        if found is not None or named is not None or self.outer is None:
            return found
        return self.outer.find(name, relation)

    def unknown(self, name: str, relation: str = "", *, is_quoted: bool = False) -> NotAllowed:
        """Return the refusal of an unknown column; a quoted name may be meant as a text."""
        candidates = [one for one in self._all() if not relation or one.name.casefold() == relation.casefold()]
        if not candidates and relation:
            return NotAllowed(f"{shown(relation)} is not a table or an alias of the query.")
        if not candidates:
            return NotAllowed(f"Column {shown(name)} is not known; the query reads no table.")
        match = nearest(name, (offer.name for one in candidates for offer in one.offers))
        where = " or ".join(dict.fromkeys(shown(one.name or "the query in brackets") for one in candidates[:3]))
        hint = f"; {shown(match)} is" if match else ""
        if is_quoted and not match:
            hint = "; put texts in single quotes"
        elif not match and any(offer.kind is ValueKind.JSON for one in candidates for offer in one.offers):
            hint = "; JSON_VALUE reads custom fields"
        return NotAllowed(f"Column {shown(name)} is not in {where}{hint}.")

    def star(self, relation: str = "") -> list[tuple[str, Expression]]:
        if relation:
            named = self._named(relation)
            if named is None:
                raise NotAllowed(f"{shown(relation)} is not a table or an alias of the query.")
            return [(offer.name, named.reference(offer)) for offer in named.shown_by_star()]
        if not self.relations:
            raise NotAllowed("* needs a table in FROM.")
        columns: list[tuple[str, Expression]] = []
        for folded, column in self.merged.items():
            names = (offer.name for one in self.relations for offer in one.offers)
            columns.append((next(name for name in names if name.casefold() == folded), column))
        for one in self.relations:
            offers = (offer for offer in one.shown_by_star() if offer.name.casefold() not in self.merged)
            columns += [(offer.name, one.reference(offer)) for offer in offers]
        return columns

    def _bare(self, name: str) -> Expression | None:
        if merged := self.merged.get(name.casefold()):
            return merged
        found = [(one, column) for one in self.relations if (column := one.find(name)) is not None]
        if len(found) > 1:
            where = " and ".join(shown(one.name or "the query in brackets") for one, _ in found[:2])
            raise NotAllowed(f"Column {shown(name)} is in both {where}; qualify it with one of them.")
        return found[0][1] if found else None

    def _named(self, name: str) -> NamedRelation | None:
        return next((one for one in self.relations if one.name and one.name.casefold() == name.casefold()), None)

    def _all(self) -> list[NamedRelation]:
        return self.relations + (self.outer._all() if self.outer else [])
