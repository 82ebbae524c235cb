from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count

from sql_sandbox import tree
from sql_sandbox.catalogue import Catalogue, ValueKind
from sql_sandbox.compiling import kinds, resolved
from sql_sandbox.compiling.expressions import ExpressionBinder
from sql_sandbox.compiling.resolved import Common, Constant, Expression, Operation, QueryUse, Reference
from sql_sandbox.compiling.scopes import NamedRelation, Scope, Views, offers_of
from sql_sandbox.refusals import NotAllowed, nearest, shown

_Commons = Mapping[str, Common]
_Keys = tuple[tuple[int, bool], ...]  # place of a column to sort by, and whether it descends
_NO_LIMIT = 999_999_999_999


@dataclass(frozen=True)
class Core:
    """A query without its order and limit. Columns from `visible` on are only for sorting."""

    query: resolved.Query
    visible: int
    keys: _Keys


class Queries:
    def __init__(self, catalogue: Catalogue, now: datetime) -> None:
        self.views = Views(catalogue)
        self._now = now
        self.aliases = (f"t{number}" for number in count(1))
        self._common_names = (f"q{number}" for number in count(1))

    def core(self, query: tree.Query, outer: Scope | None = None, commons: _Commons | None = None) -> Core:
        """Bind a query without its order and limit, which are up to the caller. Raise NotAllowed."""
        named, defined = self._commons(query.tables, outer, commons or {})
        if isinstance(query, tree.Select):
            core = self._select(query, outer, named)
        else:
            core = self._compound(query, outer, named)
        return replace(core, query=replace(core.query, commons=defined))

    def bind(self, query: tree.Query, outer: Scope | None, commons: _Commons) -> resolved.Query:
        """Bind a query; its order matters only with a limit."""
        core = self.core(query, outer, commons)
        if query.limit is not None or query.offset:
            return self.window(core, core.keys, query.limit, query.offset or 0)
        if isinstance(core.query, resolved.Compound) or len(core.query.items) == core.visible:
            return core.query
        return replace(core.query, names=core.query.names[: core.visible], items=core.query.items[: core.visible])

    def window(self, core: Core, keys: _Keys, limit: int | None, offset: int) -> resolved.Select:
        relation = QueryUse(next(self.aliases), core.query)
        offers = offers_of(core.query, is_passed=True)
        references = [NamedRelation("", relation, offers).reference(offer) for offer in offers]
        return resolved.Select(
            names=core.query.names[: core.visible],
            items=tuple(references[: core.visible]),
            relation=relation,
            order=tuple(resolved.SortKey(kinds.in_order(references[place]), descending) for place, descending in keys),
            limit=_NO_LIMIT if limit is None else min(limit, _NO_LIMIT),
            offset=min(offset, _NO_LIMIT),
        )

    def with_kinds(self, query: resolved.Query, wanted: tuple[ValueKind, ...]) -> resolved.Query:
        if query.kinds == wanted:
            return query
        plain = _plain(query) or self.window(Core(query, len(wanted), ()), (), None, 0)
        items = tuple(kinds.convert(*pair) for pair in zip(plain.items, wanted, strict=True))
        return replace(plain, items=items)

    def _commons(
        self, tables: tuple[tree.CommonTable, ...], outer: Scope | None, around: _Commons
    ) -> tuple[_Commons, tuple[Common, ...]]:
        named, defined = dict(around), []
        names = [table.name.casefold() for table in tables]
        for table in tables:
            if not table.name:
                raise NotAllowed("A common table needs a name.")
            if names.count(table.name.casefold()) > 1:
                raise NotAllowed(f"Two common tables are named {shown(table.name)}.")
            query = self.bind(table.query, outer, dict(named))
            common = Common(next(self._common_names), query, _renamed(table.name, query, table.columns))
            named[table.name.casefold()] = common
            defined.append(common)
        return named, tuple(defined)

    def _relation(self, relation: tree.Relation, scope: Scope) -> NamedRelation:
        if isinstance(relation, tree.Derived):
            # A relation sees the outer queries, but not its siblings.
            query = self.bind(relation.query, scope.outer, scope.commons)
            names = _renamed(relation.alias, query, relation.columns)
            return NamedRelation(relation.alias, QueryUse(next(self.aliases), query), offers_of(query, names))
        alias = relation.alias or relation.name
        if not relation.has_schema and (common := scope.commons.get(relation.name.casefold())):
            use = QueryUse(next(self.aliases), common.query, common.name)
            return NamedRelation(alias, use, offers_of(common.query, common.columns))
        view = self.views.use(relation.name)
        if view is None:
            match = nearest(relation.name, (one.name for one in self.views.catalogue.tables.values()), 0.9)
            hint = f"; {shown(match)} is" if match else ""
            raise NotAllowed(f"Table {shown(relation.name)} is not open to statements{hint}.")
        return NamedRelation(alias, resolved.ViewUse(next(self.aliases), view.name), view.offers(), view)

    def _join(self, join: tree.Join, scope: Scope) -> resolved.Joined:
        added = self._relation(join.relation, scope)
        on = self._using(join, added, scope) if join.using else None
        scope.add(added)
        if join.on is not None:
            on = self._place(scope, "is not allowed in ON").condition(join.on)
        if on is None and join.kind in ("LEFT", "RIGHT", "FULL"):
            raise NotAllowed(f"A {join.kind} JOIN needs a condition.")
        if join.kind == "FULL" and on is not None and not _is_full(on, added.relation.alias):
            raise NotAllowed("A FULL JOIN needs a condition that a column of one side equals one of the other.")
        # Without a condition, all rows are combined. CROSS would keep SQLite from choosing the order of loops.
        kind = "INNER" if join.kind == "CROSS" else join.kind
        return resolved.Joined(kind, added.relation, on or Constant(True, ValueKind.BOOLEAN))

    def _using(self, join: tree.Join, added: NamedRelation, scope: Scope) -> Expression:
        conditions = []
        for name in join.using:
            left, right = Scope(None, {}, scope.relations, scope.merged).find(name), added.find(name)
            if left is None or right is None:
                raise NotAllowed(f"Column {shown(name)} of USING is not on both sides of the join.")
            conditions.append(kinds.compare("=", left, right))
            if join.kind == "FULL":
                kind, both = kinds.merge((left, right))
                scope.merged[name.casefold()] = Operation("coalesce", both, kind)
            else:
                scope.merged[name.casefold()] = right if join.kind == "RIGHT" else left
        return kinds.all_of(conditions)

    def _place(self, scope: Scope, reason: str) -> ExpressionBinder:
        return ExpressionBinder(scope, self, self._now, no_aggregates=reason, no_windows=reason)

    def _select(self, query: tree.Select, outer: Scope | None, commons: _Commons) -> Core:
        scope = Scope(outer, commons)
        relation: resolved.Relation | None = None
        joins: tuple[resolved.Joined, ...] = ()
        if query.relation is not None:
            first = self._relation(query.relation, scope)
            scope.add(first)
            relation, joins = first.relation, tuple(self._join(join, scope) for join in query.joins)
        where = None if query.where is None else self._place(scope, "is not allowed in WHERE").condition(query.where)
        names, items, aliases = self._items(query.items, scope)
        place = ExpressionBinder(scope, self, self._now, aliases=aliases)
        group = tuple(self._group(one, items, place) for one in query.group)
        having = None
        if query.having is not None:
            having = replace(place, no_windows="is not allowed in HAVING").condition(query.having)
        keys, hidden = self._order(query, items, place)
        values = (*items, *hidden)
        shown_ones = (*values, having) if having else values
        if group or having or any(map(resolved.has_aggregates, shown_ones)):
            _check_grouping(shown_ones, group, scope.aliases)
        names += [""] * len(hidden)
        select = resolved.Select(tuple(names), values, relation, joins, where, group, having, query.distinct)
        return Core(select, len(items), keys)

    def _items(
        self, items: tuple[tree.Item, ...], scope: Scope
    ) -> tuple[list[str], tuple[Expression, ...], dict[str, Expression]]:
        """Return names and values of the items, and the values of those with an alias by casefolded alias."""
        place = ExpressionBinder(scope, self, self._now)
        named: list[tuple[str, Expression]] = []
        aliases: dict[str, Expression] = {}
        for item in items:
            expression = item.expression
            if isinstance(expression, tree.Star):
                named += scope.star(expression.relation)
                continue
            value = place.bind(expression)
            # Without an alias, a column is named in the catalogue's spelling, any other item by its text.
            name = item.alias or item.text
            if not item.alias and isinstance(expression, tree.ColumnName):
                name = value.offer.name if isinstance(value, Reference) else expression.name
            named.append((name, value))
            if item.alias:
                aliases.setdefault(item.alias.casefold(), value)
        return [name for name, _ in named], tuple(value for _, value in named), aliases

    def _group(self, expression: tree.Expression, items: tuple[Expression, ...], place: ExpressionBinder) -> Expression:
        reason = "is not allowed in GROUP BY"
        number = _numbered_place(expression, len(items), "GROUP BY")
        if number is None:
            value = replace(place, no_aggregates=reason, no_windows=reason).bind(expression)
        else:
            value = items[number]
        if resolved.holds(value, (resolved.Aggregated, resolved.Windowed)):
            raise NotAllowed(f"An aggregate {reason}.")
        aliases = {one.relation for one in resolved.references(value)}
        if aliases and not aliases & place.scope.aliases:
            raise NotAllowed("GROUP BY must use columns of its own query, not only of the outer one.")
        return value

    def _order(
        self, query: tree.Select, items: tuple[Expression, ...], place: ExpressionBinder
    ) -> tuple[_Keys, tuple[Expression, ...]]:
        values, keys = list(items), []
        for item in query.order:
            expression = item.expression
            number = _numbered_place(expression, len(items), "ORDER BY")
            if number is not None:
                keys.append((number, item.descending))
                continue
            value: Expression | None = None
            if expression == tree.Call("random"):
                value = Operation("random", (), ValueKind.NUMBER)
            elif isinstance(expression, tree.ColumnName) and not expression.relation:
                # Here an alias takes precedence over a column, unlike inside expressions.
                value = place.aliases.get(expression.name.casefold())
            value = value or place.bind(expression)
            if value not in values:
                if query.distinct:
                    raise NotAllowed("With DISTINCT, ORDER BY may use only items of the SELECT.")
                values.append(value)
            keys.append((values.index(value), item.descending))
        return tuple(keys), tuple(values[len(items) :])

    def _compound(self, query: tree.Compound, outer: Scope | None, commons: _Commons) -> Core:
        sides = [self.bind(side, outer, commons) for side in (query.left, query.right)]
        widths = [len(side.kinds) for side in sides]
        if widths[0] != widths[1]:
            raise NotAllowed(f"The queries of {query.operator} have {widths[0]} and {widths[1]} columns.")
        columns = zip(*(_column_values(side) for side in sides), strict=True)
        wanted = tuple(kinds.merge(column)[0] for column in columns)
        left, right = (self.with_kinds(side, wanted) for side in sides)
        compound = resolved.Compound(query.operator, left, right)
        names, keys = [name.casefold() for name in compound.names], []
        for item in query.order:
            column, place = item.expression, _numbered_place(item.expression, widths[0], "ORDER BY")
            if place is None:
                if not isinstance(column, tree.ColumnName) or column.name.casefold() not in names:
                    raise NotAllowed(
                        "ORDER BY of a set operation may use only names or positions of the first query's items."
                    )
                place = names.index(column.name.casefold())
            keys.append((place, item.descending))
        return Core(compound, widths[0], tuple(keys))


def _check_grouping(expressions: Iterable[Expression], group: tuple[Expression, ...], own: frozenset[str]) -> None:
    """Raise NotAllowed for a column of the relations `own` that has no single value in a group."""
    for expression in expressions:
        if expression in group or isinstance(expression, resolved.Aggregated):
            continue
        columns: Iterable[Reference] = ()
        if isinstance(expression, Reference):
            columns = (expression,)
        elif isinstance(expression, resolved.Nested):
            columns = resolved.references(expression.query)
        for column in columns:
            if column.relation in own and column not in group:
                name = shown(column.offer.name)
                raise NotAllowed(f"Column {name} is neither in GROUP BY nor inside an aggregate such as MAX.")
        _check_grouping(resolved.parts_in_groups(expression), group, own)


def _renamed(name: str, query: resolved.Query, columns: tuple[str, ...]) -> tuple[str, ...]:
    if columns and len(columns) != len(query.kinds):
        raise NotAllowed(f"{shown(name)} names {len(columns)} columns, but its query has {len(query.kinds)}.")
    return columns or query.names


def _is_full(condition: Expression, alias: str) -> bool:
    """Return whether PostgreSQL takes the condition in a FULL JOIN: it equates the sides, or has only constants."""
    for test in resolved.conjuncts(condition):
        if isinstance(test, Operation) and test.name == "=":
            sides = [{one.relation for one in resolved.references(side)} for side in test.arguments]
            if all(sides) and {alias} in sides and any(alias not in side for side in sides):
                return True
    return not list(resolved.references(condition)) and not resolved.holds(condition, resolved.Nested)


def _numbered_place(expression: tree.Expression, width: int, clause: str) -> int | None:
    number = expression.value if isinstance(expression, tree.Literal) else None
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    if not 1 <= number <= width:
        raise NotAllowed(f"{clause} names position {shown(str(number))}, but the query has {width} items.")
    return number - 1


def _plain(query: resolved.Query) -> resolved.Select | None:
    return query if isinstance(query, resolved.Select) and not query.distinct and query.limit is None else None


def _column_values(query: resolved.Query) -> tuple[Expression, ...]:
    """Return a value of each column's kind; constants as such, since they may be read as another kind."""
    if plain := _plain(query):
        return plain.items
    return tuple(Reference("", "", kind, resolved.Offer("", kind, "")) for kind in query.kinds)
