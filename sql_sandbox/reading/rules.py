"""Turns sqlglot's tree into ours: anything outside the tables of rules is refused, and everything is counted."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from typing import Literal as OneOf

from sqlglot import exp

from sql_sandbox import tree
from sql_sandbox.refusals import BadSyntax, NotAllowed, TooLarge

MAX_NODES = 1200
MAX_DEPTH = 60
MAX_LEVELS = 8
MAX_SELECTS = 12
MAX_RELATIONS = 12

# The node arguments that may be filled, and the function that reads the node.
Rule = tuple[tuple[str, ...], Callable[["Reading", Any], Any]]
Rules = Mapping[type[exp.Expr], Rule]

# Arguments that are False if NOT was written before their word.
DENIALS = frozenset({"indexed", "materialized"})

# Familiar names for sqlglot's classes and arguments.
WORDS = {
    "attimezone": "AT TIME ZONE",
    "nullsafeeq": "IS NOT DISTINCT FROM",
    "nullsafeneq": "IS DISTINCT FROM",
    "bitwiseleftshift": "<<",
    "bitwiserightshift": ">>",
    "dot": "A qualified name of this kind",
    "aliases": "A list of aliases",
    "tuple": "A list in brackets",
    "distinct": "DISTINCT",
    "star": "*",
    "interval": "INTERVAL without a date to add it to",
    "respectnulls": "RESPECT NULLS",
    "ignorenulls": "IGNORE NULLS",
    "table": "A table",
    "subquery": "A query",
    "concat": "Texts that follow each other",
    "hints": "WITH (…) after a table",
    "limit_options": "WITH TIES or PERCENT",
    "with_ties": "WITH TIES",
    "recursive": "RECURSIVE",
    "materialized": "MATERIALIZED",
    "on": "DISTINCT ON",
    "by_name": "BY NAME",
    "kind": "A word in this place",
    "alias": "A name in this place",
    "first": "FIRST",
    "rows_from": "ROWS FROM",
    "exclude": "EXCLUDE",
    "except_": "* EXCEPT",
    "symmetric": "BETWEEN SYMMETRIC",
    "all": "GROUP BY ALL",
    "totals": "TOTALS",
    "expressions": "BY in this place",
    "field": "IN without brackets",
    "with_fill": "WITH FILL",
    "catalog": "A database's name",
    "order": "ORDER BY in this place",
    "limit": "LIMIT in this place",
    "with_": "WITH in this place",
    "joins": "A join in brackets",
}


def rule(read: Callable[["Reading", Any], Any], arguments: str = "this") -> Rule:
    return tuple(arguments.split()), read


def not_possible(key: str) -> NotAllowed:
    return NotAllowed(f"{WORDS.get(key, key.strip('_').upper().replace('_', ' '))} is not supported here.")


def check_filled(node: exp.Expr, *arguments: str) -> None:
    """Raise NotAllowed if the node has any other filled argument."""
    for name, value in node.args.items():
        is_filled = value is not None and value != [] and (value is not False or name in DENIALS)
        if is_filled and name not in arguments:
            raise not_possible(name)


_COUNTED = {
    "parts": (MAX_NODES, f"The statement has more than {MAX_NODES} parts."),
    "selects": (MAX_SELECTS, f"The statement has more than {MAX_SELECTS} SELECTs."),
    "relations": (MAX_RELATIONS, f"The statement reads from more than {MAX_RELATIONS} tables and queries."),
}


@dataclass
class Reading:
    expressions: Rules
    queries: Rules
    counts: Counter[str] = field(default_factory=Counter)
    depth: int = 0
    levels: int = 0

    def expression(self, node: exp.Expr | None) -> tree.Expression:
        expression: tree.Expression = self._read(node, self.expressions)
        return expression

    def query(self, node: exp.Expr | None) -> tree.Query:
        """Read a query one level deeper; raise Refused."""
        self.levels += 1
        if self.levels > MAX_LEVELS:
            raise TooLarge(f"Queries are nested more than {MAX_LEVELS} deep.")
        query = self.operand(node)
        self.levels -= 1
        return query

    def operand(self, node: exp.Expr | None) -> tree.Query:
        """Read a query on the same level, in brackets or of a set operation; raise Refused."""
        query: tree.Query = self._read(node, self.queries)
        return query

    def _read(self, node: exp.Expr | None, rules: Rules) -> Any:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooLarge(f"An expression is nested more than {MAX_DEPTH} deep; long chains of operators count too.")
        if node is None:
            raise BadSyntax("Something is missing in the statement, for example after a comma or an operator.")
        self.count()
        found = rules.get(type(node))
        if found is None:
            raise not_possible(node.key)
        arguments, read = found
        check_filled(node, *arguments)
        result = read(self, node)
        self.depth -= 1
        return result

    def count(self, what: OneOf["parts", "selects", "relations"] = "parts") -> None:
        self.counts[what] += 1
        most, message = _COUNTED[what]
        if self.counts[what] > most:
            raise TooLarge(message)
