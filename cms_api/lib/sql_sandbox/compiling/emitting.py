"""Writes a bound statement as SQL of one engine. Every value is a parameter, every name one of ours."""

import json
from collections.abc import Iterable, Mapping
from string import Formatter

from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.compiling import functions
from cms_api.lib.sql_sandbox.compiling.bound import (
    Aggregated,
    Choice,
    Compound,
    Constant,
    Expression,
    Joined,
    Nested,
    Operation,
    Query,
    Reference,
    Relation,
    Select,
    SortKey,
    ViewUse,
    Windowed,
)
from cms_api.lib.sql_sandbox.compiling.hoisting import queries_to_join
from cms_api.lib.sql_sandbox.compiling.operations import Engine

_Value = str | int | float
_TYPES = {
    Kind.INTEGER: "bigint",
    Kind.NUMBER: "double precision",
    Kind.TEXT: "text",
    Kind.FLAG: "text",
    Kind.JSON: "text",
    Kind.DATE: "timestamp",
    Kind.BOOLEAN: "boolean",
    Kind.NULL: "text",
}
_KINDS: dict[type, Kind] = {str: Kind.TEXT, int: Kind.INTEGER, float: Kind.NUMBER}
_FORMATTER = Formatter()


class Emitter:
    """Writes one statement for an engine, and collects its parameters."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._names: dict[tuple[str, Kind, str], str] = {}
        self._joins: set[int] = set()  # ids of queries in conditions that become joins
        self.parameters: dict[str, _Value] = {}

    # ---- Values

    def _bind(self, value: _Value, kind: Kind, type_name: str = "") -> str:
        """The placeholder of a value; equal values of one kind share it, so that equal expressions stay equal."""
        type_name = type_name or _TYPES[kind]
        key = (repr(value), kind, type_name)
        if key not in self._names:
            self._names[key] = f"p{len(self._names) + 1}"
            self.parameters[self._names[key]] = value
        placeholder = self._engine.placeholder.format(self._names[key])
        return f"CAST({placeholder} AS {type_name})" if self._engine.has_types else placeholder

    def _constant(self, constant: Constant) -> str:
        if constant.value is None:
            return f"CAST(NULL AS {_TYPES[constant.kind]})" if self._engine.has_types else "NULL"
        if isinstance(constant.value, bool):
            return "TRUE" if constant.value else "FALSE"
        return self._bind(constant.value, constant.kind)

    # ---- Expressions

    def expression(self, expression: Expression) -> str:
        match expression:
            case Constant():
                return self._constant(expression)
            case Reference():
                return f'"{expression.relation}"."{expression.column}"'
            case Operation():
                return self._operation(expression)
            case Choice():
                return self._choice(expression)
            case Nested():
                return self._nested(expression)
            case Aggregated():
                return self._aggregated(expression)
            case Windowed():
                return self._windowed(expression)

    def _operation(self, operation: Operation, over: str = "") -> str:
        own_form = _POSTGRESQL_ARGUMENTS.get(operation.name) if self._engine.has_types else None
        first, *rest = operation.arguments or (None,)
        arguments = [] if first is None else [self.expression(first)]
        arguments += [own_form(self, one) if own_form else self.expression(one) for one in rest]
        return self._filled(operation.name, arguments, {"over": over})

    def _filled(self, template: str, arguments: list[str], names: Mapping[str, str]) -> str:
        pieces = _Names(self, arguments, names)
        return _FORMATTER.vformat(self._engine.templates[template], arguments, pieces)

    def named_constant(self, name: str) -> str:
        """The placeholder of a constant of the engine."""
        value = self._engine.constants[name]
        return self._bind(value, _KINDS[type(value)])

    def format_of_dates(self, pattern: Expression) -> str:
        """The placeholder of PostgreSQL's own form of a pattern."""
        return self._bind(functions.postgresql_format(_text(pattern)), Kind.TEXT)

    def path_of_json(self, path: Expression) -> str:
        """The placeholder of PostgreSQL's own form of a path."""
        return self._bind(functions.postgresql_path(_text(path)), Kind.TEXT, "text[]")

    def _choice(self, choice: Choice) -> str:
        branches = (
            f"WHEN {self.expression(condition)} THEN {self.expression(value)}" for condition, value in choice.branches
        )
        return f"CASE {' '.join(branches)} ELSE {self.expression(choice.otherwise)} END"

    def _nested(self, nested: Nested) -> str:
        query, is_join = self.query(nested.query), id(nested) in self._joins
        if nested.form == "scalar":
            return f"({query})"
        if nested.operand is None:
            return self._filled("exists" if is_join else "exists for each row", [query], {})
        operand = self.expression(nested.operand)
        return self._filled("in query" if is_join else "in kept query", [operand, query], {})

    def _aggregated(self, aggregated: Aggregated, over: str = "") -> str:
        arguments = [] if aggregated.operand is None else [self.expression(aggregated.operand)]
        distinct = "DISTINCT " if aggregated.distinct else ""
        return self._filled(aggregated.template, arguments, {"over": over, "distinct": distinct})

    def _windowed(self, windowed: Windowed) -> str:
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

    def _order(self, keys: Iterable[SortKey]) -> str:
        ways = {False: "ASC NULLS FIRST", True: "DESC NULLS LAST"}
        return "ORDER BY " + ", ".join(f"{self.expression(key.expression)} {ways[key.descending]}" for key in keys)

    # ---- Queries

    def query(self, query: Query) -> str:
        """The SQL of a query, without brackets around it."""
        commons = ", ".join(f'"{one.name}" AS ({self.query(one.query)})' for one in query.commons)
        body = self._compound(query) if isinstance(query, Compound) else self._select(query)
        return f"WITH {commons} {body}" if commons else body

    def _compound(self, query: Compound) -> str:
        return f"{self._operand(query.left)} {query.operator} {self._operand(query.right)}"

    def _operand(self, query: Query) -> str:
        """One side of a set operation; SQLite takes no brackets there, and engines differ in what binds stronger."""
        text = self.query(query)
        if isinstance(query, Select) and query.limit is None and not query.commons:
            return text
        return f'SELECT * FROM ({text}) AS "t0"'

    def _select(self, query: Select) -> str:
        items = ", ".join(f'{self.expression(item)} AS "c{place + 1}"' for place, item in enumerate(query.items))
        clauses = [f"SELECT {'DISTINCT ' if query.distinct else ''}{items}"]
        if query.relation is not None:
            clauses.append(f"FROM {self._relation(query.relation)}")
        clauses += [self._join(join) for join in query.joins]
        if query.where is not None:
            self._joins.update(map(id, queries_to_join(query)))
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

    def _relation(self, relation: Relation) -> str:
        if isinstance(relation, ViewUse):
            return f'"{relation.view}" AS "{relation.alias}"'
        source = f'"{relation.common}"' if relation.common else f"({self.query(relation.query)})"
        return f'{source} AS "{relation.alias}"'

    def _join(self, join: Joined) -> str:
        return f"{join.kind} JOIN {self._relation(join.relation)} ON {self.expression(join.on)}"


class _Names(dict[str, str]):
    """The named pieces of a template; a constant is bound when a template asks for it."""

    def __init__(self, emitter: Emitter, arguments: list[str], names: Mapping[str, str]) -> None:
        joined = {"list": ", ".join(arguments), "rest": ", ".join(arguments[1:]), "joined": " || ".join(arguments)}
        super().__init__(joined | dict(names))
        self._emitter = emitter

    def __missing__(self, name: str) -> str:
        return self._emitter.named_constant(name)


# Arguments that PostgreSQL writes differently.
_POSTGRESQL_ARGUMENTS = {"format_date": Emitter.format_of_dates, "json_value": Emitter.path_of_json}


def _text(expression: Expression) -> str:
    if isinstance(expression, Constant) and isinstance(expression.value, str):
        return expression.value
    raise TypeError(f"A text was expected, not {json.dumps(str(expression)[:50])}.")
