"""Binds expressions: names to columns, operators and functions to operations, everything to a kind."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol, assert_never

from sql_sandbox import tree
from sql_sandbox.catalogue import ValueKind
from sql_sandbox.compiling import functions, kinds, resolved
from sql_sandbox.compiling.resolved import Aggregated, Choice, Constant, Expression, Nested, Operation
from sql_sandbox.compiling.scopes import Scope
from sql_sandbox.refusals import NotAllowed, shown

_MAX_ROWS = 1_000_000  # distance of LAG and LEAD, and parts of NTILE
WINDOW_FUNCTIONS = frozenset({"row_number", "rank", "dense_rank", "first_value", "last_value", "ntile", "lag", "lead"})


class QueryBinder(Protocol):  # compiling.queries.Queries
    def bind(
        self, query: tree.Query, outer: Scope | None, commons: Mapping[str, resolved.Common]
    ) -> resolved.Query: ...

    def with_kinds(self, query: resolved.Query, wanted: tuple[ValueKind, ...]) -> resolved.Query: ...


@dataclass(frozen=True)
class ExpressionBinder:
    """Binds expressions at one place of a query; each `no_…` gives the reason why something is not allowed there."""

    scope: Scope
    queries: QueryBinder
    now: datetime
    no_aggregates: str = ""
    no_windows: str = ""
    aliases: Mapping[str, Expression] = field(default_factory=dict)  # items, by casefolded alias

    def bind(self, expression: tree.Expression) -> Expression:
        """Bind an expression. Raise NotAllowed for an unknown or ambiguous name, or an unsuitable kind."""
        match expression:
            case tree.Literal():
                return _literal(expression)
            case tree.ColumnName():
                return self._column(expression)
            case tree.Unary(operator="not"):
                return _negated(self.condition(expression.operand), True)
            case tree.Unary():
                return functions.negative(self.bind(expression.operand))
            case tree.Binary():
                return self._binary(expression)
            case tree.IsNull():
                name = "is not null" if expression.negated else "is null"
                return Operation(name, (self.bind(expression.operand),), ValueKind.BOOLEAN)
            case tree.Between():
                return self._between(expression)
            case tree.Like():
                return self._like(expression)
            case tree.InList():
                return self._in_list(expression)
            case tree.InQuery():
                return self._in_query(expression)
            case tree.Exists():
                return Nested("exists", self._query(expression.query), ValueKind.BOOLEAN)
            case tree.Scalar():
                query, kind = self._column_query(_first_row(expression.query))
                return Nested("scalar", query, ValueKind.TEXT if kind is ValueKind.NULL else kind)
            case tree.Case():
                return self._case(expression)
            case tree.Cast():
                return self._cast(expression)
            case tree.Call(name=name, arguments=arguments):
                if name in WINDOW_FUNCTIONS:
                    raise NotAllowed(f"Function {name} needs OVER (…).")
                return functions.call(name, self._all(arguments), self.now)
            case tree.Aggregate():
                return self._aggregate(expression)
            case tree.Window():
                return self._window(expression)
        assert_never(expression)

    def _all(self, expressions: tuple[tree.Expression, ...]) -> tuple[Expression, ...]:
        return tuple(self.bind(one) for one in expressions)

    def condition(self, expression: tree.Expression) -> Expression:
        return kinds.condition(self.bind(expression))

    def _column(self, column: tree.ColumnName) -> Expression:
        scope = self.scope
        found = scope.find(column.name, column.relation)
        if found is None and not column.relation:
            found = self.aliases.get(column.name.casefold())
        if found is None:
            raise scope.unknown(column.name, column.relation, is_quoted=column.is_quoted)
        return found

    def _binary(self, binary: tree.Binary) -> Expression:
        left, right = self.bind(binary.left), self.bind(binary.right)
        if binary.operator in ("and", "or"):
            return kinds.all_of((kinds.condition(left), kinds.condition(right)), binary.operator)
        if binary.operator == "||":
            return functions.joined(left, right)
        if binary.operator in ("=", "<>", "<", "<=", ">", ">="):
            return kinds.compare(binary.operator, left, right)
        return functions.arithmetic(binary.operator, left, right)

    def _between(self, between: tree.Between) -> Expression:
        value, low, high = self._all((between.operand, between.low, between.high))
        first, least = kinds.comparable(value, low, ordered=True)
        second, most = kinds.comparable(value, high, ordered=True)
        if first == second:
            test: Expression = Operation("between", (kinds.in_order(first), least, most), ValueKind.BOOLEAN)
        else:
            test = kinds.all_of((kinds.compare(">=", value, low), kinds.compare("<=", value, high)))
        return _negated(test, between.negated)

    def _like(self, like: tree.Like) -> Expression:
        value = kinds.convert(self.bind(like.operand), ValueKind.TEXT)
        pattern = ""
        for part in like.pattern:
            wildcard = "%" if part is None else "_"
            pattern += re.sub("([%_!])", r"!\1", part) if isinstance(part, str) else wildcard
        if not pattern.isascii() and pattern.lower() != pattern.upper():
            # SQLite's LIKE ignores the case of ASCII letters only.
            value, pattern = Operation("lower", (value,), ValueKind.TEXT), pattern.lower()
        test = Operation("like", (value, Constant(pattern, ValueKind.TEXT)), ValueKind.BOOLEAN)
        return _negated(test, like.negated)

    def _in_list(self, test: tree.InList) -> Expression:
        if not test.items:
            raise NotAllowed("IN needs at least one value.")
        value = self.bind(test.operand)
        pairs = [kinds.comparable(value, item) for item in self._all(test.items)]
        firsts = {first for first, _ in pairs}
        if len(firsts) == 1:
            values = (pairs[0][0], *(second for _, second in pairs))
            return _negated(Operation("in", values, ValueKind.BOOLEAN), test.negated)
        tests = [Operation("=", pair, ValueKind.BOOLEAN) for pair in pairs]
        return _negated(kinds.all_of(tests, "or"), test.negated)

    def _in_query(self, test: tree.InQuery) -> Expression:
        value, (query, column_kind) = self.bind(test.operand), self._column_query(test.query)
        found = kinds.read(value, column_kind) if isinstance(value, Constant) else None
        kind = kinds.common((found or value).kind, column_kind)
        kind = ValueKind.TEXT if kind in (ValueKind.JSON, ValueKind.NULL) else kind
        query = self.queries.with_kinds(query, (kind,))
        return _negated(_hoist(Nested("in", query, ValueKind.BOOLEAN, kinds.convert(value, kind))), test.negated)

    def _query(self, query: tree.Query) -> resolved.Query:
        return self.queries.bind(query, self.scope, self.scope.commons)

    def _column_query(self, query: tree.Query) -> tuple[resolved.Query, ValueKind]:
        inside = self._query(query)
        if len(inside.kinds) != 1:
            raise NotAllowed(f"A query used as a value must have one column, not {len(inside.kinds)}.")
        return inside, inside.kinds[0]

    def _case(self, case: tree.Case) -> Expression:
        conditions = [self.condition(condition) for condition, _ in case.branches]
        values = self._all(tuple(value for _, value in case.branches))
        otherwise = self.bind(case.otherwise) if case.otherwise is not None else Constant(None, ValueKind.NULL)
        kind, (*merged, last) = kinds.merge((*values, otherwise))
        return Choice(tuple(zip(conditions, merged, strict=True)), last, kind)

    def _cast(self, cast: tree.Cast) -> Expression:
        value = self.bind(cast.operand)
        if cast.kind is ValueKind.TEXT and cast.length is not None:
            return functions.cut(value, Constant(cast.length, ValueKind.INTEGER))
        if cast.kind is ValueKind.TEXT and value.kind is ValueKind.JSON:
            return value
        try:
            converted = kinds.convert(value, cast.kind)
        except NotAllowed:
            if not (cast.may_fail and isinstance(value, Constant)):
                raise
            return Constant(None, cast.kind)
        return Operation("midnight", (converted,), ValueKind.DATE) if cast.day_only else converted

    def _aggregate(self, aggregate: tree.Aggregate) -> Aggregated:
        name = aggregate.name.upper()
        if self.no_aggregates:
            raise NotAllowed(f"{name} {self.no_aggregates}.")
        reason = f"is not allowed inside {name}"
        return self._aggregated(aggregate, replace(self, no_aggregates=reason, no_windows=reason))

    def _aggregated(self, aggregate: tree.Aggregate, inside: "ExpressionBinder") -> Aggregated:
        name, distinct = aggregate.name, aggregate.distinct
        if aggregate.operand is None:
            if name != "count" or distinct:
                raise NotAllowed(f"{name.upper()} needs a value, not *.")
            return Aggregated("count rows", None, False, ValueKind.INTEGER)
        operand = inside.bind(aggregate.operand)
        # An aggregate of only an outer query's columns would belong to that query.
        used = {one.relation for one in resolved.references(operand)}
        if used and not used & self.scope.aliases:
            raise NotAllowed(f"{name.upper()} must use columns of its own query, not only of an outer one.")
        if name == "count":
            return Aggregated("count", operand, distinct, ValueKind.INTEGER)
        if name == "avg":
            return Aggregated("avg", kinds.numeric(operand), distinct, ValueKind.NUMBER)
        if name == "sum":
            value = kinds.numeric(operand)
            whole = "distinct " if distinct and value.kind is ValueKind.INTEGER else ""
            return Aggregated(f"sum {whole}{value.kind.value}", value, distinct, value.kind)
        if operand.kind is ValueKind.BOOLEAN:
            raise NotAllowed(f"{name.upper()} does not take conditions.")
        value = kinds.in_order(
            operand if operand.kind is not ValueKind.NULL else kinds.convert(operand, ValueKind.TEXT)
        )
        return Aggregated(name, value, distinct, value.kind)

    def _window(self, window: tree.Window) -> resolved.Windowed:
        if self.no_windows:
            raise NotAllowed(f"A window function {self.no_windows}.")
        inside = replace(self, no_windows="is not allowed inside another")
        function = inside._windowed(window.function)
        partition = inside._all(window.partition)
        keys = tuple(
            resolved.SortKey(kinds.in_order(inside.bind(key.expression)), key.descending) for key in window.order
        )
        frame, edge = window.frame, tree.Edge
        if frame and (frame.start is edge.UNBOUNDED_FOLLOWING or frame.end is edge.UNBOUNDED_PRECEDING):
            raise NotAllowed("The frame of a window begins after its end.")
        return resolved.Windowed(function, partition, keys, window.frame, function.kind)

    def _windowed(self, function: tree.Aggregate | tree.Call) -> Aggregated | Operation:
        if isinstance(function, tree.Aggregate):
            if function.distinct:
                raise NotAllowed("DISTINCT is not supported in a window.")
            # A window may go over an aggregate of groups: SUM(COUNT(*)) OVER ().
            return self._aggregated(function, self)
        name, arguments = function.name, self._all(function.arguments)
        match name, arguments:
            case "row_number" | "rank" | "dense_rank", ():
                return Operation(name, (), ValueKind.INTEGER)
            case "first_value" | "last_value", (value,):
                return Operation(name, arguments, value.kind)
            case "ntile", (parts,):
                number = parts.value if isinstance(parts, Constant) else None
                if not isinstance(number, int) or number is True or not 1 <= number <= _MAX_ROWS:
                    raise NotAllowed("The number of groups of NTILE must be an integer literal.")
                return Operation(name, arguments, ValueKind.INTEGER)
            case "lag" | "lead", (value, *rest) if len(rest) < 3:
                distance = rest[0] if rest else Constant(1, ValueKind.INTEGER)
                number = distance.value if isinstance(distance, Constant) else None
                if not isinstance(number, int) or not 0 <= number <= _MAX_ROWS:
                    raise NotAllowed(f"The offset of {name} must be an integer literal.")
                kind, merged = kinds.merge((value, rest[1] if len(rest) == 2 else Constant(None, ValueKind.NULL)))
                return Operation(name, (merged[0], Constant(number, ValueKind.INTEGER), merged[1]), kind)
        raise NotAllowed(f"{shown(name)} with {len(arguments)} arguments is not a supported window function.")


def _literal(literal: tree.Literal) -> Constant:
    value = literal.value
    if value is None:
        return Constant(None, ValueKind.NULL)
    if isinstance(value, bool):
        return Constant(value, ValueKind.BOOLEAN)
    return Constant(value, ValueKind.TEXT) if isinstance(value, str) else kinds.number(value)


def _negated(test: Expression, negated: bool) -> Expression:
    return Operation("not", (test,), ValueKind.BOOLEAN) if negated else test


def _first_row(query: tree.Query) -> tree.Query:
    if isinstance(query, tree.Select) and not query.group and isinstance(query.items[0].expression, tree.Aggregate):
        return query
    return replace(query, limit=1 if query.limit is None else min(query.limit, 1))


def _hoist(test: Nested) -> Expression:
    """Move conditions only on outer columns out of `x IN (SELECT id FROM t WHERE outer.ChannelId = 5)`."""
    # Engines would reread `t` for each outer row. Integrators write it unknowingly if a derived table hides a column.
    query = test.query
    if not isinstance(query, resolved.Select) or query.where is None or query.relation is None:
        return test
    if query.group or query.having is not None or any(map(resolved.has_aggregates, query.items)):
        return test  # such a query, a count for instance, may return a row although no row meets its condition
    inside = {one.alias for one in query.relations}
    conditions = list(resolved.conjuncts(query.where))
    outer = []
    for condition in conditions:
        aliases = {one.relation for one in resolved.references(condition)}
        if aliases and not aliases & inside and not resolved.holds(condition, Nested):
            outer.append(condition)
    if not outer:
        return test
    rest = [one for one in conditions if one not in outer]
    inner = replace(test, query=replace(query, where=kinds.all_of(rest) if rest else None))
    # CASE instead of AND: if a condition is NULL, no row matches, which is false and not unknown.
    return Choice(((kinds.all_of(outer), inner),), Constant(False, ValueKind.BOOLEAN), ValueKind.BOOLEAN)
