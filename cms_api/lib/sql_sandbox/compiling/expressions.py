"""Binds expressions: names to columns, operators and functions to operations, everything to a kind."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol, assert_never

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.compiling import bound, functions, kinds, literals
from cms_api.lib.sql_sandbox.compiling.bound import (
    Aggregated,
    Choice,
    Constant,
    Expression,
    Nested,
    Operation,
    SortKey,
    Windowed,
)
from cms_api.lib.sql_sandbox.compiling.hoisting import hoist
from cms_api.lib.sql_sandbox.compiling.scopes import Scope
from cms_api.lib.sql_sandbox.refusals import NotAllowed
from cms_api.lib.sql_sandbox.wording import shown

_ESCAPE = "!"
_MOST_ROWS = 1_000_000  # away, and parts of a window
_RANKS = frozenset({"row_number", "rank", "dense_rank"})
_NEIGHBOURS = frozenset({"lag", "lead"})
_ENDS = frozenset({"first_value", "last_value"})
WINDOW_FUNCTIONS = _RANKS | _NEIGHBOURS | _ENDS | {"ntile"}


class QueryBinder(Protocol):
    """Binds the queries inside expressions."""

    def inside(self, query: tree.Query, scope: Scope) -> bound.Query:
        """The bound query, which may use columns of the scope."""

    def with_kinds(self, query: bound.Query, wanted: tuple[Kind, ...]) -> bound.Query:
        """The query with its columns brought to these kinds."""


@dataclass(frozen=True)
class Place:
    """Binds the expressions that stand at one place; a reason says why something is not allowed there."""

    scope: Scope
    queries: QueryBinder
    now: datetime
    no_aggregates: str = ""
    no_windows: str = ""
    # The items that have an alias, by casefolded alias.
    aliases: Mapping[str, Expression] = field(default_factory=dict)

    def bind(self, expression: tree.Expression) -> Expression:
        """The bound expression. Raises NotAllowed for what is unknown, ambiguous or of a kind that does not fit."""
        match expression:
            case tree.Literal():
                return _literal(expression)
            case tree.ColumnName():
                return self._column(expression)
            case tree.Unary():
                return self._unary(expression)
            case tree.Binary():
                return self._binary(expression)
            case tree.IsNull():
                return self._is_null(expression)
            case tree.Between():
                return self._between(expression)
            case tree.Like():
                return self._like(expression)
            case tree.InList():
                return self._in_list(expression)
            case tree.InQuery():
                return self._in_query(expression)
            case tree.Exists():
                return Nested("exists", self._query(expression.query), Kind.BOOLEAN)
            case tree.Scalar():
                return self._scalar(expression)
            case tree.Case():
                return self._case(expression)
            case tree.Cast():
                return self._cast(expression)
            case tree.Call():
                return self._call(expression)
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

    # ---- Operators

    def _unary(self, unary: tree.Unary) -> Expression:
        if unary.operator == "not":
            return _negated(self.condition(unary.operand), True)
        return functions.negative(self.bind(unary.operand))

    def _binary(self, binary: tree.Binary) -> Expression:
        left, right = self.bind(binary.left), self.bind(binary.right)
        if binary.operator in ("and", "or"):
            return kinds.all_of((kinds.condition(left), kinds.condition(right)), binary.operator)
        if binary.operator == "||":
            return functions.joined(left, right)
        if binary.operator in ("=", "<>", "<", "<=", ">", ">="):
            return kinds.compare(binary.operator, left, right)
        return functions.arithmetic(binary.operator, left, right)

    def _is_null(self, test: tree.IsNull) -> Expression:
        name = "is not null" if test.negated else "is null"
        return Operation(name, (self.bind(test.operand),), Kind.BOOLEAN)

    def _between(self, between: tree.Between) -> Expression:
        value, low, high = self._all((between.operand, between.low, between.high))
        first, least = kinds.comparable(value, low, ordered=True)
        second, most = kinds.comparable(value, high, ordered=True)
        if first == second:
            test: Expression = Operation("between", (kinds.in_order(first), least, most), Kind.BOOLEAN)
        else:
            test = kinds.all_of((kinds.compare(">=", value, low), kinds.compare("<=", value, high)))
        return _negated(test, between.negated)

    def _like(self, like: tree.Like) -> Expression:
        value = kinds.convert(self.bind(like.operand), Kind.TEXT)
        pattern = "".join(map(_pattern_part, like.pattern))
        if not pattern.isascii() and pattern.lower() != pattern.upper():
            # SQLite's LIKE ignores the letter case of ASCII alone.
            value, pattern = Operation("lower", (value,), Kind.TEXT), pattern.lower()
        test = Operation("like", (value, Constant(pattern, Kind.TEXT)), Kind.BOOLEAN)
        return _negated(test, like.negated)

    def _in_list(self, test: tree.InList) -> Expression:
        if not test.items:
            raise NotAllowed("IN needs at least one value.")
        value = self.bind(test.operand)
        pairs = [kinds.comparable(value, item) for item in self._all(test.items)]
        firsts = {first for first, _ in pairs}
        if len(firsts) == 1:
            values = (pairs[0][0], *(second for _, second in pairs))
            return _negated(Operation("in", values, Kind.BOOLEAN), test.negated)
        tests = [Operation("=", pair, Kind.BOOLEAN) for pair in pairs]
        return _negated(kinds.all_of(tests, "or"), test.negated)

    def _in_query(self, test: tree.InQuery) -> Expression:
        value, query = self.bind(test.operand), self._query(test.query)
        _expect_one_column(query)
        column_kind = query.kinds[0]
        read = literals.read(value, column_kind) if isinstance(value, Constant) else None
        kind = kinds.common((read or value).kind, column_kind)
        kind = Kind.TEXT if kind in (Kind.JSON, Kind.NULL) else kind
        query = self.queries.with_kinds(query, (kind,))
        found = hoist(Nested("in", query, Kind.BOOLEAN, kinds.convert(value, kind)))
        return _negated(found, test.negated)

    # ---- Choices, casts, calls

    def _scalar(self, scalar: tree.Scalar) -> Expression:
        query = self._query(_first_row(scalar.query))
        _expect_one_column(query)
        return Nested("scalar", query, Kind.TEXT if query.kinds[0] is Kind.NULL else query.kinds[0])

    def _query(self, query: tree.Query) -> bound.Query:
        return self.queries.inside(query, self.scope)

    def _case(self, case: tree.Case) -> Expression:
        conditions = [self.condition(condition) for condition, _ in case.branches]
        values = self._all(tuple(value for _, value in case.branches))
        otherwise = self.bind(case.otherwise) if case.otherwise is not None else Constant(None, Kind.NULL)
        kind, (*merged, last) = kinds.merge((*values, otherwise))
        return Choice(tuple(zip(conditions, merged, strict=True)), last, kind)

    def _cast(self, cast: tree.Cast) -> Expression:
        value = self.bind(cast.operand)
        if cast.kind is Kind.TEXT and cast.length is not None:
            return functions.cut(value, Constant(cast.length, Kind.INTEGER))
        if cast.kind is Kind.TEXT and value.kind is Kind.JSON:
            return value
        try:
            converted = kinds.convert(value, cast.kind)
        except NotAllowed:
            if not (cast.may_fail and isinstance(value, Constant)):
                raise
            return Constant(None, cast.kind)
        return Operation("midnight", (converted,), Kind.DATE) if cast.day_only else converted

    def _call(self, call: tree.Call) -> Expression:
        if call.name in WINDOW_FUNCTIONS:
            raise NotAllowed(f"Function {call.name} needs OVER (…).")
        return functions.call(call.name, self._all(call.arguments), self.now)

    # ---- Aggregates and windows

    def _aggregate(self, aggregate: tree.Aggregate) -> Aggregated:
        if self.no_aggregates:
            raise NotAllowed(f"{aggregate.name.upper()} {self.no_aggregates}.")
        reason = f"cannot stand inside {aggregate.name.upper()}"
        return self._aggregated(aggregate, replace(self, no_aggregates=reason, no_windows=reason))

    def _aggregated(self, aggregate: tree.Aggregate, inside: "Place") -> Aggregated:
        if aggregate.operand is None:
            if aggregate.name != "count" or aggregate.distinct:
                raise NotAllowed(f"{aggregate.name.upper()} needs a value, not *.")
            return Aggregated("count rows", None, False, Kind.INTEGER)
        operand = inside.bind(aggregate.operand)
        # An aggregate of an outer query's columns alone would belong to that query.
        used = {one.relation for one in bound.references(operand)}
        if used and not used & self.scope.aliases:
            name = aggregate.name.upper()
            raise NotAllowed(f"{name} takes columns of its own query, not of one around it alone.")
        return _aggregate(aggregate.name, operand, aggregate.distinct)

    def _window(self, window: tree.Window) -> Windowed:
        if self.no_windows:
            raise NotAllowed(f"A window function {self.no_windows}.")
        inside = replace(self, no_windows="cannot stand inside another")
        function = inside._windowed(window.function)
        partition = inside._all(window.partition)
        keys = tuple(SortKey(kinds.in_order(inside.bind(key.expression)), key.descending) for key in window.order)
        if (frame := window.frame) and (
            frame.start is tree.Edge.UNBOUNDED_FOLLOWING or frame.end is tree.Edge.UNBOUNDED_PRECEDING
        ):
            raise NotAllowed("A window's frame begins after its end.")
        return Windowed(function, partition, keys, window.frame, function.kind)

    def _windowed(self, function: tree.Aggregate | tree.Call) -> Aggregated | Operation:
        if isinstance(function, tree.Aggregate):
            if function.distinct:
                raise NotAllowed("DISTINCT is not possible in a window.")
            # An aggregate of groups may be what a window goes over: SUM(COUNT(*)) OVER ().
            return self._aggregated(function, self)
        arguments = self._all(function.arguments)
        if function.name in _RANKS and not arguments:
            return Operation(function.name, (), Kind.INTEGER)
        if function.name in _ENDS and len(arguments) == 1:
            return Operation(function.name, arguments, arguments[0].kind)
        if function.name == "ntile" and len(arguments) == 1:
            return _tile(arguments[0])
        if function.name in _NEIGHBOURS and 1 <= len(arguments) <= 3:
            return _neighbour(function.name, arguments)
        raise NotAllowed(f"{shown(function.name)} with {len(arguments)} arguments is not a window function here.")


def _literal(literal: tree.Literal) -> Constant:
    value = literal.value
    if value is None:
        return Constant(None, Kind.NULL)
    if isinstance(value, bool):
        return Constant(value, Kind.BOOLEAN)
    return Constant(value, Kind.TEXT) if isinstance(value, str) else literals.number(value)


def _negated(test: Expression, negated: bool) -> Expression:
    return Operation("not", (test,), Kind.BOOLEAN) if negated else test


def _pattern_part(part: str | bool | None) -> str:
    if part is None:
        return "%"
    if isinstance(part, bool):
        return "_"
    return "".join(_ESCAPE + one if one in "%_!" else one for one in part)


def _expect_one_column(query: bound.Query) -> None:
    if len(query.kinds) != 1:
        raise NotAllowed(f"A query that stands for a value has one column, not {len(query.kinds)}.")


def _first_row(query: tree.Query) -> tree.Query:
    """The query limited to one row, unless it cannot have more."""
    if isinstance(query, tree.Select) and not query.group and isinstance(query.items[0].expression, tree.Aggregate):
        return query
    return replace(query, limit=1 if query.limit is None else min(query.limit, 1))


# ---- Aggregates and windows


def _aggregate(name: str, operand: Expression, distinct: bool) -> Aggregated:
    if name == "count":
        return Aggregated("count", operand, distinct, Kind.INTEGER)
    if name == "avg":
        return Aggregated("avg", kinds.numeric(operand), distinct, Kind.NUMBER)
    if name == "sum":
        value = kinds.numeric(operand)
        whole = "distinct " if distinct and value.kind is Kind.INTEGER else ""
        return Aggregated(f"sum {whole}{value.kind.value}", value, distinct, value.kind)
    if operand.kind is Kind.BOOLEAN:
        raise NotAllowed(f"{name.upper()} does not take conditions.")
    value = kinds.in_order(operand if operand.kind is not Kind.NULL else kinds.convert(operand, Kind.TEXT))
    return Aggregated(name, value, distinct, value.kind)


def _neighbour(name: str, arguments: tuple[Expression, ...]) -> Operation:
    value, *rest = arguments
    distance = rest[0] if rest else Constant(1, Kind.INTEGER)
    number = distance.value if isinstance(distance, Constant) else None
    if not isinstance(number, int) or not 0 <= number <= _MOST_ROWS:
        raise NotAllowed(f"The distance of {name} must be a whole number written in the statement.")
    kind, merged = kinds.merge((value, rest[1] if len(rest) == 2 else Constant(None, Kind.NULL)))
    return Operation(name, (merged[0], Constant(number, Kind.INTEGER), merged[1]), kind)


def _tile(count: Expression) -> Operation:
    number = count.value if isinstance(count, Constant) else None
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= _MOST_ROWS:
        raise NotAllowed("The number of parts of NTILE must be a whole number written in the statement.")
    return Operation("ntile", (count,), Kind.INTEGER)
