"""A statement whose names and kinds are settled: what the cost is counted on and SQL is emitted from.

Relations are named `t1`, `t2`, …, columns of queries `c1`, `c2`, … by their place, and every operation is one of
the table in `operations`. Expressions compare by what they say, queries by identity.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, cast
from typing import Literal as OneOf

from cms_api.lib.sql_sandbox.catalogue import Column, Kind
from cms_api.lib.sql_sandbox.refusals import TooLarge
from cms_api.lib.sql_sandbox.tree import Frame

# The most parts of one expression. The same part may stand in several places of it, and in each of those in
# several others; nothing that goes through an expression may take longer than it took to read the statement.
_MOST_PARTS = 6000


@dataclass(frozen=True)
class Offer:
    """A column that a relation offers: the name people use, and where its value comes from."""

    name: str
    kind: Kind
    sql_name: str
    column: Column | None = None  # of the catalogue
    query: "Query | None" = None  # or the item of a query
    place: int = 0
    is_passed: bool = False  # handed on by a query of our own making, not one of the client's


# ---- Expressions


class _Composed:
    """An expression with others inside it, which knows how many. Raises TooLarge where they are too many."""

    size: int

    def __post_init__(self) -> None:
        inside = sum(part.size for part in parts(cast("Expression", self)))
        query = getattr(self, "query", None)
        size = 1 + inside + (query.size if query is not None else 0)
        if size > _MOST_PARTS:
            raise TooLarge("The statement has an expression that is too long when its parts are written out.")
        object.__setattr__(self, "size", size)


@dataclass(frozen=True)
class Constant:
    """A bound value; None is NULL of a kind, True and False are conditions."""

    size: ClassVar[int] = 1
    value: str | int | float | bool | None
    kind: Kind


@dataclass(frozen=True)
class Reference:
    size: ClassVar[int] = 1
    relation: str
    column: str
    kind: Kind
    offer: Offer = field(compare=False)


@dataclass(frozen=True)
class Operation(_Composed):
    """An operation of the table in `operations`, its arguments already of the kinds that it takes."""

    name: str
    arguments: tuple["Expression", ...]
    kind: Kind


@dataclass(frozen=True)
class Choice(_Composed):
    """The value of the first condition that holds."""

    branches: tuple[tuple["Expression", "Expression"], ...]
    otherwise: "Expression"
    kind: Kind


@dataclass(frozen=True)
class Nested(_Composed):
    """A query inside an expression: its value, whether it has rows, or whether the operand is among them."""

    form: OneOf["scalar", "exists", "in"]
    query: "Query"
    kind: Kind
    operand: "Expression | None" = None


@dataclass(frozen=True)
class Aggregated(_Composed):
    """One value for a group of rows; without an operand it counts them. `template` is its row in `operations`."""

    template: str
    operand: "Expression | None"
    distinct: bool
    kind: Kind


@dataclass(frozen=True)
class SortKey:
    """A value to sort by. NULL comes before all others."""

    expression: "Expression"
    descending: bool


@dataclass(frozen=True)
class Windowed(_Composed):
    """A function over the rows around a row."""

    function: "Aggregated | Operation"
    partition: tuple["Expression", ...]
    order: tuple[SortKey, ...]
    frame: Frame | None
    kind: Kind


Expression = Constant | Reference | Operation | Choice | Nested | Aggregated | Windowed

# ---- Relations and queries


@dataclass(frozen=True)
class ViewUse:
    """A view `v1`, read under an alias."""

    alias: str
    view: str


@dataclass(frozen=True)
class QueryUse:
    """A query in the place of a relation; with a name, the common table `q1` that is written elsewhere."""

    alias: str
    query: "Query"
    common: str = ""


Relation = ViewUse | QueryUse


@dataclass(frozen=True)
class Joined:
    """A further relation; every kind of join has a condition."""

    kind: OneOf["INNER", "LEFT", "RIGHT", "FULL"]
    relation: Relation
    on: Expression


@dataclass(frozen=True)
class Common:
    name: str
    query: "Query"


@dataclass(frozen=True, eq=False)
class Select:
    """One SELECT; its sort keys are columns of its relation."""

    names: tuple[str, ...]
    items: tuple[Expression, ...]
    relation: Relation | None = None
    joins: tuple[Joined, ...] = ()
    where: Expression | None = None
    group: tuple[Expression, ...] = ()
    having: Expression | None = None
    distinct: bool = False
    order: tuple[SortKey, ...] = ()
    limit: int | None = None
    offset: int = 0
    commons: tuple[Common, ...] = ()

    @cached_property
    def size(self) -> int:
        relations = [self.relation, *(join.relation for join in self.joins)]
        queries = sum(one.query.size for one in relations if isinstance(one, QueryUse))
        return 1 + queries + sum(one.size for one in expressions(self))

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple(item.kind for item in self.items)


@dataclass(frozen=True, eq=False)
class Compound:
    """Two queries of equal kinds and a set operation."""

    operator: str
    left: "Query"
    right: "Query"
    commons: tuple[Common, ...] = ()

    @cached_property
    def size(self) -> int:
        return 1 + self.left.size + self.right.size

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the first query."""
        return self.left.names

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return self.left.kinds


Query = Select | Compound

# ---- Walking


def parts(expression: Expression) -> Iterator[Expression]:
    """The expressions directly inside one; those of a query inside it are not."""
    match expression:
        case Operation(arguments=arguments):
            yield from arguments
        case Choice(branches=branches, otherwise=otherwise):
            for condition, value in branches:
                yield condition
                yield value
            yield otherwise
        case Nested(operand=operand) | Aggregated(operand=operand):
            if operand is not None:
                yield operand
        case Windowed(function=function, partition=partition, order=order):
            yield function
            yield from partition
            yield from (key.expression for key in order)


def expressions(query: Select) -> Iterator[Expression]:
    """The expressions that stand directly in a SELECT."""
    yield from query.items
    yield from query.group
    yield from (join.on for join in query.joins)
    yield from (key.expression for key in query.order)
    yield from (one for one in (query.where, query.having) if one is not None)


def inner_queries(query: Query) -> Iterator[Query]:
    """The queries that a query names as relations, operands or common tables."""
    yield from (common.query for common in query.commons)
    if isinstance(query, Compound):
        yield from (query.left, query.right)
        return
    relations = [query.relation, *(join.relation for join in query.joins)]
    yield from (one.query for one in relations if isinstance(one, QueryUse) and not one.common)


def references(expression: Expression) -> Iterator[Reference]:
    """The columns in an expression, those in queries inside it included."""
    if isinstance(expression, Reference):
        yield expression
    if isinstance(expression, Nested):
        yield from references_of_query(expression.query)
    for part in parts(expression):
        yield from references(part)


def references_of_query(query: Query) -> Iterator[Reference]:
    """The columns in a query, at any depth."""
    if isinstance(query, Select):
        for expression in expressions(query):
            yield from references(expression)
    for inner in inner_queries(query):
        yield from references_of_query(inner)


def holds(expression: Expression, kinds: type[Expression] | tuple[type[Expression], ...]) -> bool:
    """Whether an expression is or has inside it one of these; queries inside it are not looked into."""
    return isinstance(expression, kinds) or any(holds(part, kinds) for part in parts(expression))
