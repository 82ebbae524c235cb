"""Binds queries: relations, common tables, items, groups, order, set operations."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.catalogue import Catalogue, Kind
from cms_api.lib.sql_sandbox.compiling import bound, grouping, kinds
from cms_api.lib.sql_sandbox.compiling.bound import Constant, Expression, Offer, QueryUse, Reference, SortKey, ViewUse
from cms_api.lib.sql_sandbox.compiling.expressions import Place
from cms_api.lib.sql_sandbox.compiling.scopes import NamedCommon, NamedRelation, Scope, Views, offers_of
from cms_api.lib.sql_sandbox.refusals import NotAllowed
from cms_api.lib.sql_sandbox.wording import nearest, shown

_Commons = Mapping[str, NamedCommon]
_Keys = tuple[tuple[int, bool], ...]  # the place of a column to sort by, and whether descending
_NO_LIMIT = 999_999_999_999
_TRUE = Constant(True, Kind.BOOLEAN)


@dataclass(frozen=True)
class Core:
    """A query without its order and limit. Columns from `visible` on are there to sort by only."""

    query: bound.Query
    visible: int
    keys: _Keys


@dataclass(frozen=True)
class _Item:
    """A bound item, with the alias that the client gave it, if any."""

    name: str
    alias: str
    value: Expression


class Queries:
    """Binds the queries of one statement, and keeps what they have in common."""

    def __init__(self, catalogue: Catalogue, now: datetime) -> None:
        self.views = Views(catalogue)
        self._now = now
        self._aliases = (f"t{number}" for number in count(1))
        self._common_names = (f"q{number}" for number in count(1))

    def core(self, query: tree.Query, outer: Scope | None = None, commons: _Commons | None = None) -> Core:
        """The query without its order and limit, which are the caller's. Raises NotAllowed."""
        named, defined = self._commons(query.tables, outer, commons or {})
        if isinstance(query, tree.Select):
            core = self._select(query, outer, named)
        else:
            core = self._compound(query, outer, named)
        return replace(core, query=replace(core.query, commons=defined))

    def bind(self, query: tree.Query, outer: Scope | None, commons: _Commons) -> bound.Query:
        """The query; its order matters only where it has a limit."""
        core = self.core(query, outer, commons)
        if query.limit is None and not query.offset:
            return self._without_keys(core)
        return self.window(core, core.keys, query.limit, query.offset or 0)

    def inside(self, query: tree.Query, scope: Scope) -> bound.Query:
        """A query inside an expression, which may use columns of the scope."""
        return self.bind(query, scope, scope.commons)

    def window(self, core: Core, keys: _Keys, limit: int | None, offset: int) -> bound.Select:
        """Some rows of a query in an order, its visible columns only."""
        relation = QueryUse(self.new_alias(), core.query)
        offers = offers_of(core.query, is_passed=True)
        references = [NamedRelation("", relation, offers).reference(offer) for offer in offers]
        return bound.Select(
            names=core.query.names[: core.visible],
            items=tuple(references[: core.visible]),
            relation=relation,
            order=tuple(SortKey(kinds.in_order(references[place]), descending) for place, descending in keys),
            limit=_NO_LIMIT if limit is None else min(limit, _NO_LIMIT),
            offset=min(offset, _NO_LIMIT),
        )

    def with_kinds(self, query: bound.Query, wanted: tuple[Kind, ...]) -> bound.Query:
        """The query with its columns brought to these kinds. Raises NotAllowed where there is no way."""
        if query.kinds == wanted:
            return query
        plain = _plain(query) or self.window(Core(query, len(wanted), ()), (), None, 0)
        items = tuple(kinds.convert(*pair) for pair in zip(plain.items, wanted, strict=True))
        return replace(plain, items=items)

    def new_alias(self) -> str:
        return next(self._aliases)

    def _without_keys(self, core: Core) -> bound.Query:
        query = core.query
        if isinstance(query, bound.Compound) or len(query.items) == core.visible:
            return query
        return replace(query, names=query.names[: core.visible], items=query.items[: core.visible])

    # ---- Common tables and relations

    def _commons(
        self, tables: tuple[tree.CommonTable, ...], outer: Scope | None, around: _Commons
    ) -> tuple[_Commons, tuple[bound.Common, ...]]:
        """The common tables in scope, and those defined here; each sees those before it."""
        named, defined = dict(around), []
        names = [table.name.casefold() for table in tables]
        for table in tables:
            if not table.name:
                raise NotAllowed("A common table needs a name.")
            if names.count(table.name.casefold()) > 1:
                raise NotAllowed(f"Two common tables are named {shown(table.name)}.")
            query = self.bind(table.query, outer, dict(named))
            common = bound.Common(next(self._common_names), query)
            named[table.name.casefold()] = NamedCommon(common, _renamed(table.name, query, table.columns))
            defined.append(common)
        return named, tuple(defined)

    def _relation(self, relation: tree.Relation, scope: Scope) -> NamedRelation:
        if isinstance(relation, tree.TableName):
            return self._table(relation, scope)
        # A relation does not see those beside it, but the queries around.
        query = self.bind(relation.query, scope.outer, scope.commons)
        names = _renamed(relation.alias, query, relation.columns)
        return NamedRelation(relation.alias, QueryUse(self.new_alias(), query), offers_of(query, names))

    def _table(self, table: tree.TableName, scope: Scope) -> NamedRelation:
        alias = table.alias or table.name
        if not table.has_schema and (named := scope.commons.get(table.name.casefold())):
            query = named.common.query
            use = QueryUse(self.new_alias(), query, named.common.name)
            return NamedRelation(alias, use, offers_of(query, named.columns))
        view = self.views.use(table.name)
        if view is None:
            known = (one.name for one in self.views.catalogue.tables.values())
            match = nearest(table.name, known, 0.9)
            hint = f"; {shown(match)} is" if match else ""
            raise NotAllowed(f"Table {shown(table.name)} is not open to statements{hint}.")
        return NamedRelation(alias, ViewUse(self.new_alias(), view.name), view.offers(), view)

    def _join(self, join: tree.Join, scope: Scope) -> bound.Joined:
        added = self._relation(join.relation, scope)
        on = self._using(join, added, scope) if join.using else None
        scope.add(added)
        if join.on is not None:
            on = self._place(scope, "cannot stand in ON").condition(join.on)
        if on is None and join.kind in ("LEFT", "RIGHT", "FULL"):
            raise NotAllowed(f"A {join.kind} JOIN needs a condition.")
        if join.kind == "FULL" and on is not None and not _is_full(on, added.relation.alias):
            raise NotAllowed("A FULL JOIN needs a condition that a column of one side equals one of the other.")
        # Without one, every row meets every row. CROSS would keep SQLite from choosing the order of loops.
        kind = "INNER" if join.kind == "CROSS" else join.kind
        return bound.Joined(kind, added.relation, on or _TRUE)

    def _using(self, join: tree.Join, added: NamedRelation, scope: Scope) -> Expression:
        conditions = []
        for name in join.using:
            left, right = Scope(None, {}, scope.relations, scope.merged).find(name), added.find(name)
            if left is None or right is None:
                raise NotAllowed(f"Column {shown(name)} of USING is not on both sides of the join.")
            conditions.append(kinds.compare("=", left, right))
            scope.merged[name.casefold()] = _merged(join.kind, left, right)
        return kinds.all_of(conditions)

    def _place(self, scope: Scope, reason: str) -> Place:
        return Place(scope, self, self._now, no_aggregates=reason, no_windows=reason)

    # ---- SELECT

    def _select(self, query: tree.Select, outer: Scope | None, commons: _Commons) -> Core:
        scope = Scope(outer, commons)
        relation: bound.Relation | None = None
        joins: tuple[bound.Joined, ...] = ()
        if query.relation is not None:
            first = self._relation(query.relation, scope)
            scope.add(first)
            relation, joins = first.relation, tuple(self._join(join, scope) for join in query.joins)
        where = _optional(query.where, self._place(scope, "cannot stand in WHERE"))
        named = self._items(query.items, scope)
        items = tuple(item.value for item in named)
        # Of items with the same alias the first one counts.
        aliases = {item.alias.casefold(): item.value for item in reversed(named) if item.alias}
        place = Place(scope, self, self._now, aliases=aliases)
        group = tuple(self._group(one, items, place) for one in query.group)
        having = _optional(query.having, replace(place, no_windows="cannot stand in HAVING"))
        keys, hidden = _Order(place, items, query.distinct).bind(query.order)
        bound_items = (*items, *hidden)
        shown_ones = (*bound_items, *((having,) if having is not None else ()))
        if group or having is not None or any(map(grouping.has_aggregates, shown_ones)):
            grouping.check(shown_ones, group, scope.aliases)
        all_names = (*(item.name for item in named), *("" for _ in hidden))
        select = bound.Select(all_names, bound_items, relation, joins, where, group, having, query.distinct)
        return Core(select, len(items), keys)

    def _items(self, items: tuple[tree.Item, ...], scope: Scope) -> list["_Item"]:
        place, bound_items = Place(scope, self, self._now), []
        for item in items:
            if isinstance(item.expression, tree.Star):
                bound_items += [_Item(name, "", value) for name, value in scope.star(item.expression.relation)]
            else:
                value = place.bind(item.expression)
                bound_items.append(_Item(_name(item, value), item.alias, value))
        return bound_items

    def _group(self, expression: tree.Expression, items: tuple[Expression, ...], place: Place) -> Expression:
        reason = "cannot stand in GROUP BY"
        place_number = _position(expression)
        if place_number is None:
            value = replace(place, no_aggregates=reason, no_windows=reason).bind(expression)
        else:
            value = items[_checked(place_number, len(items), "GROUP BY")]
        if bound.holds(value, (bound.Aggregated, bound.Windowed)):
            raise NotAllowed(f"An aggregate {reason}.")
        aliases = {one.relation for one in bound.references(value)}
        if aliases and not aliases & place.scope.aliases:
            raise NotAllowed("GROUP BY takes columns of its own query, not of the one around it alone.")
        return value

    # ---- Set operations

    def _compound(self, query: tree.Compound, outer: Scope | None, commons: _Commons) -> Core:
        sides = [self.bind(side, outer, commons) for side in (query.left, query.right)]
        widths = [len(side.kinds) for side in sides]
        if widths[0] != widths[1]:
            raise NotAllowed(f"The queries of {query.operator} have {widths[0]} and {widths[1]} columns.")
        columns = zip(*(_column_values(side) for side in sides), strict=True)
        wanted = tuple(kinds.merge(column)[0] for column in columns)
        left, right = (self.with_kinds(side, wanted) for side in sides)
        compound = bound.Compound(query.operator, left, right)
        keys = tuple((_compound_place(item.expression, compound.names), item.descending) for item in query.order)
        return Core(compound, widths[0], keys)


class _Order:
    """Binds the sort keys of a SELECT: items by place, alias or equality, and further values."""

    def __init__(self, place: Place, items: tuple[Expression, ...], distinct: bool) -> None:
        self._place = place
        self._values = list(items)
        self._visible = len(items)
        self._distinct = distinct

    def bind(self, order: tuple[tree.OrderItem, ...]) -> tuple[_Keys, tuple[Expression, ...]]:
        """The places of the values to sort by, and those values that are not items."""
        keys = tuple((self._find(item.expression), item.descending) for item in order)
        return keys, tuple(self._values[self._visible :])

    def _find(self, expression: tree.Expression) -> int:
        place_number = _position(expression)
        if place_number is not None:
            return _checked(place_number, self._visible, "ORDER BY")
        value = self._bind(expression)
        if value in self._values:
            return self._values.index(value)
        if self._distinct:
            raise NotAllowed("With DISTINCT, ORDER BY takes items of the SELECT only.")
        self._values.append(value)
        return len(self._values) - 1

    def _bind(self, expression: tree.Expression) -> Expression:
        if expression == tree.Call("random"):
            return bound.Operation("random", (), Kind.NUMBER)
        # An alias goes before a column of its name here, unlike inside expressions.
        if isinstance(expression, tree.ColumnName) and not expression.relation:
            item = self._place.aliases.get(expression.name.casefold())
            if item is not None:
                return item
        return self._place.bind(expression)


# ---- Names and places


def _optional(condition: tree.Expression | None, place: Place) -> Expression | None:
    return None if condition is None else place.condition(condition)


def _name(item: tree.Item, expression: Expression) -> str:
    """The name that an item has: its alias, else the column's in the catalogue's spelling, else its text."""
    if item.alias:
        return item.alias
    if isinstance(item.expression, tree.ColumnName):
        return expression.offer.name if isinstance(expression, Reference) else item.expression.name
    return item.text


def _renamed(name: str, query: bound.Query, columns: tuple[str, ...]) -> tuple[str, ...]:
    if columns and len(columns) != len(query.kinds):
        raise NotAllowed(f"{shown(name)} names {len(columns)} columns of a query that has {len(query.kinds)}.")
    return columns or query.names


def _merged(kind: str, left: Expression, right: Expression) -> Expression:
    """The one column that USING makes of two."""
    if kind != "FULL":
        return right if kind == "RIGHT" else left
    merged_kind, both = kinds.merge((left, right))
    return bound.Operation("coalesce", both, merged_kind)


def _is_full(condition: Expression, alias: str) -> bool:
    """Whether PostgreSQL takes the condition in a FULL JOIN: it equates the two sides, or is of constants alone."""
    is_constant = not list(bound.references(condition)) and not bound.holds(condition, bound.Nested)
    return _has_equality(condition, alias) or is_constant


def _has_equality(condition: Expression, alias: str) -> bool:
    """Whether a join's condition equates something of its relation with something of another."""
    if not isinstance(condition, bound.Operation):
        return False
    if condition.name == "and":
        return any(_has_equality(part, alias) for part in condition.arguments)
    sides = [{one.relation for one in bound.references(side)} for side in condition.arguments]
    return condition.name == "=" and all(sides) and {alias} in sides and any(alias not in side for side in sides)


def _position(expression: tree.Expression) -> int | None:
    """The number of a place in the items, which a whole number alone means."""
    value = expression.value if isinstance(expression, tree.Literal) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _checked(number: int, width: int, clause: str) -> int:
    if not 1 <= number <= width:
        raise NotAllowed(f"{clause} names place {shown(str(number))}, but the query has {width} items.")
    return number - 1


def _compound_place(expression: tree.Expression, names: tuple[str, ...]) -> int:
    number = _position(expression)
    if number is not None:
        return _checked(number, len(names), "ORDER BY")
    folded = [name.casefold() for name in names]
    if isinstance(expression, tree.ColumnName) and expression.name.casefold() in folded:
        return folded.index(expression.name.casefold())
    raise NotAllowed("ORDER BY of a set operation takes names or places of the first query's items.")


def _plain(query: bound.Query) -> bound.Select | None:
    """The query if its items may be changed without changing which rows there are."""
    return query if isinstance(query, bound.Select) and not query.distinct and query.limit is None else None


def _column_values(query: bound.Query) -> tuple[Expression, ...]:
    """Something of the kind of each column; constants as such, since they can be read as another kind."""
    if plain := _plain(query):
        return plain.items
    return tuple(Reference("", "", kind, Offer("", kind, "")) for kind in query.kinds)
