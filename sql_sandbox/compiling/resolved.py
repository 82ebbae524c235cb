"""A statement with resolved names and kinds: relations `t1`, `t2`, …, columns of queries `c1`, `c2`, … by place."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, cast
from typing import Literal as OneOf

from sql_sandbox.catalogue import Column, ValueKind
from sql_sandbox.refusals import TooLarge
from sql_sandbox.tree import Frame

# Parts of one expression, repeats included: processing it must not take longer than reading the statement took.
_MAX_PARTS = 6000


@dataclass(frozen=True)
class Offer:
    """A column that a relation offers, by its name in the statement, and the source of its value."""

    name: str
    kind: ValueKind
    sql_name: str
    column: Column | None = None  # of the catalogue
    query: "Query | None" = None  # or item of a query
    place: int = 0
    is_passed: bool = False  # passed on by a query of ours, not the client's


class _Composed:
    """An expression that knows its size, nested parts included. Raises TooLarge above _MAX_PARTS."""

    size: int

    def __post_init__(self) -> None:
        inside = sum(part.size for part in parts(cast("Expression", self)))
        query = getattr(self, "query", None)
        size = 1 + inside + (query.size if query is not None else 0)
        if size > _MAX_PARTS:
            raise TooLarge("The statement has an expression that is too long when expanded.")
        object.__setattr__(self, "size", size)


@dataclass(frozen=True)
class Constant:
    """A bound value; None is NULL of a kind, True and False are conditions."""

    size: ClassVar[int] = 1
    value: str | int | float | bool | None
    kind: ValueKind


@dataclass(frozen=True)
class Reference:
    size: ClassVar[int] = 1
    relation: str
    column: str
    kind: ValueKind
    offer: Offer = field(compare=False)


@dataclass(frozen=True)
class Operation(_Composed):
    """An entry of `operations`; its arguments already have the kinds that it takes."""

    name: str
    arguments: tuple["Expression", ...]
    kind: ValueKind


@dataclass(frozen=True)
class Choice(_Composed):
    branches: tuple[tuple["Expression", "Expression"], ...]
    otherwise: "Expression"
    kind: ValueKind


@dataclass(frozen=True)
class Nested(_Composed):
    """A query inside an expression: its value, whether it has rows, or whether it contains the operand."""

    form: OneOf["scalar", "exists", "in"]
    query: "Query"
    kind: ValueKind
    operand: "Expression | None" = None


@dataclass(frozen=True)
class Aggregated(_Composed):
    """An aggregate of a group of rows; without an operand it counts them. `template` is its key in `operations`."""

    template: str
    operand: "Expression | None"
    distinct: bool
    kind: ValueKind


@dataclass(frozen=True)
class SortKey:
    """A value to sort by; NULL is the lowest."""

    expression: "Expression"
    descending: bool


@dataclass(frozen=True)
class Windowed(_Composed):
    function: "Aggregated | Operation"
    partition: tuple["Expression", ...]
    order: tuple[SortKey, ...]
    frame: Frame | None
    kind: ValueKind


Expression = Constant | Reference | Operation | Choice | Nested | Aggregated | Windowed


@dataclass(frozen=True)
class ViewUse:
    alias: str
    view: str  # `v1`


@dataclass(frozen=True)
class QueryUse:
    """A query in place of a relation; `common` names the common table, such as `q1`, that is written elsewhere."""

    alias: str
    query: "Query"
    common: str = ""


Relation = ViewUse | QueryUse


@dataclass(frozen=True)
class Joined:
    kind: OneOf["INNER", "LEFT", "RIGHT", "FULL"]
    relation: Relation
    on: Expression


@dataclass(frozen=True)
class Common:
    name: str
    query: "Query"
    columns: tuple[str, ...]  # by their names in the statement


@dataclass(frozen=True, eq=False)
class Select:
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
        queries = sum(one.query.size for one in self.relations if isinstance(one, QueryUse))
        return 1 + queries + sum(one.size for one in expressions(self))

    @property
    def relations(self) -> list[Relation]:
        return [one for one in (self.relation, *(join.relation for join in self.joins)) if one is not None]

    @property
    def kinds(self) -> tuple[ValueKind, ...]:
        return tuple(item.kind for item in self.items)


@dataclass(frozen=True, eq=False)
class Compound:
    operator: str
    left: "Query"
    right: "Query"
    commons: tuple[Common, ...] = ()

    @cached_property
    def size(self) -> int:
        return 1 + self.left.size + self.right.size

    @property
    def names(self) -> tuple[str, ...]:
        return self.left.names

    @property
    def kinds(self) -> tuple[ValueKind, ...]:
        return self.left.kinds


Query = Select | Compound


def parts(expression: Expression) -> Iterator[Expression]:
    """Yield the direct parts of an expression, except parts of a query inside it."""
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
    yield from query.items
    yield from query.group
    yield from (join.on for join in query.joins)
    yield from (key.expression for key in query.order)
    yield from (one for one in (query.where, query.having) if one is not None)


def inner_queries(query: Query) -> Iterator[Query]:
    yield from (common.query for common in query.commons)
    if isinstance(query, Compound):
        yield from (query.left, query.right)
        return
    yield from (one.query for one in query.relations if isinstance(one, QueryUse) and not one.common)


def references(part: Expression | Query) -> Iterator[Reference]:
    if isinstance(part, Select | Compound):
        inside = [*(expressions(part) if isinstance(part, Select) else ()), *inner_queries(part)]
    else:
        inside = [*([part.query] if isinstance(part, Nested) else ()), *parts(part)]
    if isinstance(part, Reference):
        yield part
    for one in inside:
        yield from references(one)


def holds(expression: Expression, kinds: type[Expression] | tuple[type[Expression], ...]) -> bool:
    """Return whether an expression is or contains one of these, nested queries excluded."""
    return isinstance(expression, kinds) or any(holds(part, kinds) for part in parts(expression))


def parts_in_groups(expression: Expression) -> Iterable[Expression]:
    """Return the parts computed for a group: an aggregate over a window is not one of the group."""
    if isinstance(expression, Windowed):
        return [*list(parts(expression))[1:], *parts(expression.function)]
    return parts(expression)


def has_aggregates(expression: Expression) -> bool:
    return isinstance(expression, Aggregated) or any(map(has_aggregates, parts_in_groups(expression)))


def conjuncts(condition: Expression) -> Iterator[Expression]:
    if isinstance(condition, Operation) and condition.name == "and":
        for part in condition.arguments:
            yield from conjuncts(part)
    else:
        yield condition
