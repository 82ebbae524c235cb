"""What a statement would cost if every common table and derived table were written out where it is used.

Engines do write them out, while planning, where no time limit looks: n levels that use the one below k times
are kⁿ expressions. Everything is counted once and kept, never written out.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.compiling import bound, work
from cms_api.lib.sql_sandbox.compiling.bound import (
    Aggregated,
    Constant,
    Expression,
    Nested,
    Operation,
    Query,
    Reference,
    ViewUse,
    Windowed,
)
from cms_api.lib.sql_sandbox.compiling.operations import Engine
from cms_api.lib.sql_sandbox.refusals import TooLarge

MOST_NODES = 3000
MOST_TABLES = 16
MOST_LONG_TEXTS = 16
MOST_GROWTH = 32
MOST_JOINED = 4  # long texts in one value
MOST_WORK = 48
MEMORY = 32 * 1024 * 1024  # bytes for the long texts of one row

_SHORT = 1 / 64  # of a long text
_SMALL = 1 / 32  # a number or date as a text, in columns
_CHARACTERS = 1000  # of a literal that weigh as much as a column


@dataclass(frozen=True)
class Weight:
    """What an expression weighs, written out."""

    nodes: int = 1
    tables: int = 0
    growth: float = _SMALL  # the length of the text, in columns
    long_texts: float = _SHORT  # the share of it that has no limit
    work: float = 0  # what is done with long texts for one row
    made: float = 0  # the share of long texts that are not stored ones, so that rows hold them whole


@dataclass(frozen=True)
class Size:
    """What a query weighs, and each of its columns."""

    nodes: int
    tables: int
    work: float
    columns: tuple[Weight, ...]


def check(query: Query, engine: Engine) -> int:
    """The bytes that a long text may have for the statement. Raises TooLarge where the statement is over a limit."""
    size = _Measure(engine).query(query)
    if size.nodes > MOST_NODES:
        raise TooLarge("The statement is too long when its common tables and sub-queries are written out.")
    if size.tables > MOST_TABLES:
        raise TooLarge(f"The statement reads more than {MOST_TABLES} tables when its sub-queries are written out.")
    # No time limit of an engine looks at a row before all of its values are there.
    if size.work > MOST_WORK:
        raise TooLarge("The statement goes through long texts, such as bodies, too many times for each row.")
    return int(MEMORY / max(size.work, 1))


class _Measure:
    """Measures each query once. Growth and width are refused where they occur."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        # The query is kept with its size, so that its id stays its own.
        self._sizes: dict[int, tuple[Query, Size]] = {}

    def query(self, query: Query) -> Size:
        if id(query) not in self._sizes:
            size = self._compound(query) if isinstance(query, bound.Compound) else self._select(query)
            self._sizes[id(query)] = query, size
        return self._sizes[id(query)][1]

    def _compound(self, query: bound.Compound) -> Size:
        left, right = self.query(query.left), self.query(query.right)
        pairs = zip(left.columns, right.columns, strict=True)
        columns = tuple(_combined(pair, max) for pair in pairs)
        nodes, tables = left.nodes + right.nodes + 1, left.tables + right.tables
        return Size(nodes, tables, left.work + right.work, columns)

    def _select(self, query: bound.Select) -> Size:
        for common in query.commons:
            self.query(common.query)
        relations = [query.relation, *(join.relation for join in query.joins)]
        sizes = [self._relation(one) for one in relations if one is not None]
        weights = [self.expression(one) for one in bound.expressions(query)]
        columns = tuple(weights[: len(query.items)])
        kept = sum(column.long_texts for column in columns) + sum(map(self._kept, bound.expressions(query)))
        kept += sum(self.expression(one).long_texts for one in query.group)
        if kept > MOST_LONG_TEXTS:
            raise TooLarge(f"A row would have, or be sorted and grouped by, more than {MOST_LONG_TEXTS} long texts.")
        parts: list[Size | Weight] = [*sizes, *weights]
        nodes, tables = 1 + sum(one.nodes for one in parts), sum(one.tables for one in parts)
        made = sum(one.made for one in weights) if _keeps_rows(query) else 0
        return Size(nodes, tables, sum(one.work for one in parts) + made * work.SORTED, columns)

    def _kept(self, expression: Expression) -> float:
        """The long texts that an engine keeps beside the row for aggregates and windows."""
        below = list(bound.parts(expression))
        own = below if isinstance(expression, Aggregated | Windowed) else []
        return sum(self.expression(one).long_texts for one in own) + sum(map(self._kept, below))

    def _relation(self, relation: bound.Relation) -> Size:
        return Size(1, 1, 0, ()) if isinstance(relation, ViewUse) else self.query(relation.query)

    # ---- Expressions

    def expression(self, expression: Expression) -> Weight:
        """The weight of an expression. Raises TooLarge where it makes too long a text."""
        weight = self._weigh(expression)
        if expression.kind is not Kind.TEXT and expression.kind is not Kind.JSON:
            return Weight(weight.nodes, weight.tables, work=weight.work)
        if weight.growth > MOST_GROWTH or weight.long_texts > MOST_JOINED:
            raise TooLarge("The statement makes too long a text out of many or repeated parts.")
        return weight

    def _weigh(self, expression: Expression) -> Weight:
        match expression:
            case Constant(value=value):
                growth = len(value) / _CHARACTERS if isinstance(value, str) else _SMALL
                return Weight(growth=growth, long_texts=growth / MOST_LONG_TEXTS)
            case Reference():
                return self._reference(expression)
            case Nested():
                return self._nested(expression)
            case Operation():
                return self._operation(expression)
        weights = [self.expression(part) for part in bound.parts(expression)]
        uses = [self._uses(expression, place) for place in range(len(weights))]
        weight = _added(weights, uses, _combined(weights, max))
        if isinstance(expression, Windowed):
            return replace(weight, work=weight.work + sum(one.made for one in weights) * work.SORTED)
        return _aggregated(weight, weights[0]) if isinstance(expression, Aggregated) and weights else weight

    def _reference(self, reference: Reference) -> Weight:
        offer = reference.offer
        if offer.query is None:
            is_long = offer.column is not None and offer.column.is_long
            return Weight(growth=1, long_texts=1 if is_long else _SHORT)
        column = self.query(offer.query).columns[offer.place]
        if offer.is_passed:
            return Weight(1, 0, column.growth, column.long_texts, made=column.made)
        return column

    def _nested(self, nested: Nested) -> Weight:
        size = self.query(nested.query)
        operand = self.expression(nested.operand) if nested.operand is not None else Weight(0)
        column = size.columns[0]
        nodes, tables = size.nodes + operand.nodes + 1, size.tables + operand.tables
        return Weight(nodes, tables, column.growth, column.long_texts, size.work + operand.work, column.made)

    def _operation(self, operation: Operation) -> Weight:
        weights = [self.expression(argument) for argument in operation.arguments]
        weight = self._written(operation, weights)
        made = weight.long_texts if work.makes_text(operation) else weight.made
        copies = work.copies(operation, *_lengths(weights))
        return replace(weight, work=weight.work + copies, made=work.long_part(made))

    def _written(self, operation: Operation, weights: list[Weight]) -> Weight:
        """The weight of an operation without its own work."""
        uses = [self._uses(operation, place) for place in range(len(weights))]
        if any(work.long_part(weights[place].long_texts) for place in _SEARCHED.get(operation.name, ())):
            raise TooLarge("The statement searches for, or puts in, a text that may be long.")
        if operation.name == "joined":
            return _added(weights, uses, _combined(weights, sum))
        combined = _combined(weights[:1] if operation.name in _FIRST else weights, max)
        if operation.name in _CUT:
            combined = _cut(combined, operation.arguments[_CUT[operation.name]])
        if operation.name == "replace":
            times = work.replaced(operation, *_lengths(weights))
            combined = Weight(0, 0, combined.growth * times, combined.long_texts * times)
        return _added(weights, uses, combined)

    def _uses(self, expression: Expression, place: int) -> int:
        """How often the SQL of an operation or aggregate names its argument."""
        name = expression.name if isinstance(expression, Operation) else getattr(expression, "template", "")
        return max(1, self._engine.templates.get(name, "").count(f"{{{place}}}"))


# Arguments that no long text may be: what is searched for is compared at every place of the other text, and
# what replaces it stands at each.
_SEARCHED = {"position": (0,), "replace": (1, 2), "split_part": (1,)}
# The argument with the length of the part that an operation takes.
_CUT = {"substring": 2, "right": 1}
# Operations whose text is that of their first argument, or a part of it.
_FIRST = frozenset({"replace", "substring", "right", "split_part"})


def _combined(weights: Iterable[Weight], combine: Callable[[Iterable[float]], float]) -> Weight:
    listed = list(weights) or [Weight()]
    nodes, tables = sum(one.nodes for one in listed), sum(one.tables for one in listed)
    growth, long_texts = combine([one.growth for one in listed]), combine([one.long_texts for one in listed])
    return Weight(nodes, tables, growth, long_texts, made=combine([one.made for one in listed]))


def _cut(text: Weight, length: Expression) -> Weight:
    """The weight of a part of a text, where its length is written in the statement."""
    if not isinstance(length, Constant) or not isinstance(length.value, int):
        return text
    growth = length.value / _CHARACTERS
    return Weight(0, 0, min(text.growth, growth), min(text.long_texts, growth / MOST_LONG_TEXTS))


def _added(weights: list[Weight], uses: list[int], text: Weight) -> Weight:
    """The weight of an expression with these parts, whose text is as heavy as `text`."""
    nodes = 1 + sum(weight.nodes * times for weight, times in zip(weights, uses, strict=True))
    tables = sum(weight.tables * times for weight, times in zip(weights, uses, strict=True))
    done = sum(weight.work * times for weight, times in zip(weights, uses, strict=True))
    return Weight(nodes, tables, text.growth, text.long_texts, done, text.made)


def _aggregated(weight: Weight, operand: Weight) -> Weight:
    """The weight of an aggregate, which keeps its value beside the row."""
    length = work.long_part(operand.long_texts)
    return replace(weight, work=weight.work + length * work.AGGREGATED + operand.made * work.SORTED, made=length)


def _keeps_rows(query: bound.Select) -> bool:
    """Return whether the query may hold rows in a sort or a temporary table."""
    sorts = query.order or query.group or query.distinct or query.joins
    return bool(sorts) or any(bound.holds(one, Windowed) for one in query.items)


def _lengths(weights: list[Weight]) -> tuple[list[float], list[float]]:
    """The shares of long texts, and the lengths in columns."""
    return [one.long_texts for one in weights], [one.growth for one in weights]
