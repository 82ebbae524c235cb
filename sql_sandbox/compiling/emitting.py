"""Writes a bound statement as SQL of one engine. Every value is a parameter, every name is ours."""

from collections.abc import Iterable, Iterator, Mapping
from string import Formatter
from typing import cast

from sql_sandbox.catalogue import ValueKind
from sql_sandbox.compiling import resolved
from sql_sandbox.compiling.functions import postgresql_format, postgresql_path
from sql_sandbox.compiling.operations import CONSTANTS, Engine
from sql_sandbox.compiling.resolved import Aggregated, Constant, Expression, Nested, Operation, Query

_Value = str | int | float
_TYPES = {
    ValueKind.INTEGER: "bigint",
    ValueKind.NUMBER: "double precision",
    ValueKind.DATE: "timestamp",
    ValueKind.BOOLEAN: "boolean",
    **dict.fromkeys((ValueKind.TEXT, ValueKind.FLAG, ValueKind.JSON, ValueKind.NULL), "text"),
}
_KINDS: dict[type, ValueKind] = {str: ValueKind.TEXT, int: ValueKind.INTEGER, float: ValueKind.NUMBER}
_FORMATTER = Formatter()
# Second arguments with a form of PostgreSQL's own, and their type.
_POSTGRESQL_FORMS = {"format_date": (postgresql_format, "text"), "json_value": (postgresql_path, "text[]")}


class Emitter:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._names: dict[tuple[str, ValueKind, str], str] = {}
        self._joins: set[int] = set()  # ids of queries in conditions that become joins
        self.parameters: dict[str, _Value] = {}

    def bind(self, value: _Value, kind: ValueKind, type_name: str = "") -> str:
        """Return the placeholder that equal values of one kind share, so that equal expressions stay equal."""
        type_name = type_name or _TYPES[kind]
        key = (repr(value), kind, type_name)
        if key not in self._names:
            self._names[key] = f"p{len(self._names) + 1}"
            self.parameters[self._names[key]] = value
        placeholder = self._engine.placeholder.format(self._names[key])
        return f"CAST({placeholder} AS {type_name})" if self._engine.has_types else placeholder

    def expression(self, expression: Expression) -> str:
        match expression:
            case Constant(value=value, kind=kind):
                if value is None:
                    return f"CAST(NULL AS {_TYPES[kind]})" if self._engine.has_types else "NULL"
                if isinstance(value, bool):
                    return "TRUE" if value else "FALSE"
                return self.bind(value, kind)
            case resolved.Reference():
                return f'"{expression.relation}"."{expression.column}"'
            case Operation():
                return self._operation(expression)
            case resolved.Choice(branches=branches, otherwise=otherwise):
                whens = (f"WHEN {self.expression(test)} THEN {self.expression(value)}" for test, value in branches)
                return f"CASE {' '.join(whens)} ELSE {self.expression(otherwise)} END"
            case Nested(form="scalar"):
                return f"({self.query(expression.query)})"
            case Nested():
                query, is_join = self.query(expression.query), id(expression) in self._joins
                if expression.operand is None:
                    return self._filled("exists" if is_join else "exists for each row", [query], {})
                operand = self.expression(expression.operand)
                return self._filled("in query" if is_join else "in kept query", [operand, query], {})
            case Aggregated():
                return self._aggregated(expression)
            case resolved.Windowed():
                return self._windowed(expression)

    def _operation(self, operation: Operation, over: str = "") -> str:
        if self._engine.has_types and operation.name in _POSTGRESQL_FORMS:
            write, type_name = _POSTGRESQL_FORMS[operation.name]
            value, literal = operation.arguments
            text = str(cast(Constant, literal).value)
            arguments = [self.expression(value), self.bind(write(text), ValueKind.TEXT, type_name)]
        else:
            arguments = [self.expression(one) for one in operation.arguments]
        return self._filled(operation.name, arguments, {"over": over})

    def _filled(self, template: str, arguments: list[str], names: Mapping[str, str]) -> str:
        pieces = _Names(self, arguments, names)
        return _FORMATTER.vformat(self._engine.templates[template], arguments, pieces)

    def _aggregated(self, aggregated: Aggregated, over: str = "") -> str:
        arguments = [] if aggregated.operand is None else [self.expression(aggregated.operand)]
        distinct = "DISTINCT " if aggregated.distinct else ""
        return self._filled(aggregated.template, arguments, {"over": over, "distinct": distinct})

    def _windowed(self, windowed: resolved.Windowed) -> str:
        pieces = []
        if windowed.partition:
            pieces.append(f"PARTITION BY {self._list(windowed.partition)}")
        if windowed.order:
            pieces.append(self._order(windowed.order))
        if frame := windowed.frame:
            pieces.append(f"{frame.unit} BETWEEN {frame.start.value} AND {frame.end.value}")
        over = f" OVER ({' '.join(pieces)})"
        if isinstance(windowed.function, Aggregated):
            return self._aggregated(windowed.function, over)
        return self._operation(windowed.function, over)

    def _list(self, expressions: Iterable[Expression]) -> str:
        return ", ".join(self.expression(one) for one in expressions)

    def _order(self, keys: Iterable[resolved.SortKey]) -> str:
        ways = {False: "ASC NULLS FIRST", True: "DESC NULLS LAST"}
        return "ORDER BY " + ", ".join(f"{self.expression(key.expression)} {ways[key.descending]}" for key in keys)

    def query(self, query: Query) -> str:
        commons = ", ".join(f'"{one.name}" AS ({self.query(one.query)})' for one in query.commons)
        if isinstance(query, resolved.Compound):
            body = f"{self._operand(query.left)} {query.operator} {self._operand(query.right)}"
        else:
            body = self._select(query)
        return f"WITH {commons} {body}" if commons else body

    def _operand(self, query: Query) -> str:
        # SQLite takes no brackets around a side of a set operation, and precedence differs between engines.
        text = self.query(query)
        if isinstance(query, resolved.Select) and query.limit is None and not query.commons:
            return text
        return f'SELECT * FROM ({text}) AS "t0"'

    def _select(self, query: resolved.Select) -> str:
        items = ", ".join(f'{self.expression(item)} AS "c{place + 1}"' for place, item in enumerate(query.items))
        clauses = [f"SELECT {'DISTINCT ' if query.distinct else ''}{items}"]
        if query.relation is not None:
            clauses.append(f"FROM {self._relation(query.relation)}")
        for join in query.joins:
            clauses.append(f"{join.kind} JOIN {self._relation(join.relation)} ON {self.expression(join.on)}")
        if query.where is not None:
            self._joins.update(map(id, _queries_to_join(query)))
            clauses.append(f"WHERE {self.expression(query.where)}")
        if query.group:
            clauses.append(f"GROUP BY {self._list(query.group)}")
        if query.having is not None:
            clauses.append(f"HAVING {self.expression(query.having)}")
        if query.order:
            clauses.append(self._order(query.order))
        if query.limit is not None:
            clauses.append(f"LIMIT {query.limit} OFFSET {query.offset}")
        return " ".join(clauses)

    def _relation(self, relation: resolved.Relation) -> str:
        if isinstance(relation, resolved.ViewUse):
            return f'"{relation.view}" AS "{relation.alias}"'
        source = f'"{relation.common}"' if relation.common else f"({self.query(relation.query)})"
        return f'{source} AS "{relation.alias}"'


class _Names(dict[str, str]):
    """The named pieces of a template; a constant is bound when a template uses it."""

    def __init__(self, emitter: Emitter, arguments: list[str], names: Mapping[str, str]) -> None:
        joined = {"list": ", ".join(arguments), "rest": ", ".join(arguments[1:]), "joined": " || ".join(arguments)}
        super().__init__(joined | dict(names))
        self._emitter = emitter

    def __missing__(self, name: str) -> str:
        value = CONSTANTS[name]
        return self._emitter.bind(value, _KINDS[type(value)])


def _queries_to_join(query: resolved.Select) -> Iterator[Nested]:
    inside = {one.alias for one in query.relations}
    for condition in resolved.conjuncts(query.where) if query.where is not None else ():
        test = condition
        if isinstance(test, Operation) and test.name == "not":
            (test,) = test.arguments
        if not isinstance(test, Nested):
            continue
        operand = test.operand if test is condition else None
        columns = resolved.references(operand) if operand and not resolved.holds(operand, Nested) else ()
        if test.form == "exists" or any(one.relation in inside for one in columns):
            yield test
