"""What a statement would cost if every common table and derived table were written out where it is used.

Engines do write them out, while planning, where no time limit looks: n levels that use the one below k times
are kⁿ expressions. Everything is counted once and kept, never written out.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.compiling import bound
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
MOST_WORK = 32

_SHORT = 1 / 64  # of a long text
_LONGEST_PART = 1 / 8  # of a long text, for what is searched in another
_SMALL = 1 / 32  # a number or date as a text, in columns
_CHARACTERS = 1000  # of a literal that weigh as much as a column
_REPLACEMENT = 16  # how much longer another column makes a short text when it replaces a part of it
# How many passes through a text a further wildcard costs, and a text of a column that is searched for.
_WILDCARD = 2
_NEEDLE = 15
_PIECE = 10  # characters of a pattern's text that cost a pass
_SEARCHED_TEXT = 50  # characters of a text that is searched for
_LIKE = 2  # PostgreSQL keeps a copy of the text for each pattern until the row is done
_JSON = 4  # and, of a JSON text, one that is many times as long


@dataclass(frozen=True)
class Weight:
    """What an expression weighs, written out."""

    nodes: int = 1
    tables: int = 0
    growth: float = _SMALL  # the length of the text, in columns
    long_texts: float = _SHORT  # the share of it that has no limit
    work: float = 0  # how often long texts are gone through for one row


@dataclass(frozen=True)
class Size:
    """What a query weighs, and each of its columns."""

    nodes: int
    tables: int
    work: float
    columns: tuple[Weight, ...]


def check(query: Query, engine: Engine) -> None:
    """Raises TooLarge where the statement is over a limit."""
    size = _Measure(engine).query(query)
    if size.nodes > MOST_NODES:
        raise TooLarge("The statement is too long when its common tables and sub-queries are written out.")
    if size.tables > MOST_TABLES:
        raise TooLarge(f"The statement reads more than {MOST_TABLES} tables when its sub-queries are written out.")
    # No time limit of an engine looks at a row before all of its values are there.
    if size.work > MOST_WORK:
        raise TooLarge("The statement goes through long texts, such as bodies, too many times for each row.")


class _Measure:
    """Measures each query once. Growth and width are refused where they occur."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        # The query is kept with its size, so that its id stays its own.
        self._sizes: dict[int, tuple[Query, Size]] = {}

    def query(self, query: Query) -> Size:
        """The size of a query."""
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
        return Size(nodes, tables, sum(one.work for one in parts), columns)

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
        return _added(weights, uses, _combined(weights, max))

    def _reference(self, reference: Reference) -> Weight:
        offer = reference.offer
        if offer.query is None:
            is_long = offer.column is not None and offer.column.is_long
            return Weight(growth=1, long_texts=1 if is_long else _SHORT)
        column = self.query(offer.query).columns[offer.place]
        if offer.is_passed:
            return Weight(1, 0, column.growth, column.long_texts)
        return column

    def _nested(self, nested: Nested) -> Weight:
        size = self.query(nested.query)
        operand = self.expression(nested.operand) if nested.operand is not None else Weight(0)
        column = size.columns[0]
        nodes, tables = size.nodes + operand.nodes + 1, size.tables + operand.tables
        return Weight(nodes, tables, column.growth, column.long_texts, size.work + operand.work)

    def _operation(self, operation: Operation) -> Weight:
        weights = [self.expression(argument) for argument in operation.arguments]
        weight = self._written(operation, weights)
        return replace(weight, work=weight.work + _passes(operation, weights))

    def _written(self, operation: Operation, weights: list[Weight]) -> Weight:
        """The weight of an operation without its own work."""
        uses = [self._uses(operation, place) for place in range(len(weights))]
        if any(weights[place].long_texts > _LONGEST_PART for place in _SEARCHED.get(operation.name, ())):
            raise TooLarge("The statement searches for, or puts in, a text that may be long.")
        if operation.name == "joined":
            return _added(weights, uses, _combined(weights, sum))
        combined = _combined(weights[:1] if operation.name in _FIRST else weights, max)
        if operation.name in _CUT:
            combined = _cut(combined, operation.arguments[_CUT[operation.name]])
        if operation.name == "replace":
            times = _replaced(operation, weights[0], weights[2])
            combined = Weight(0, 0, combined.growth * times, combined.long_texts * times)
        return _added(weights, uses, combined)

    def _uses(self, expression: Expression, place: int) -> int:
        """How often the SQL of an operation or aggregate names its argument."""
        name = expression.name if isinstance(expression, Operation) else getattr(expression, "template", "")
        return max(1, self._engine.templates.get(name, "").count(f"{{{place}}}"))


# Arguments that no long text may be: what is searched for is compared at every place of the other text, and
# what replaces it stands at each.
_SEARCHED = {"position": (0,), "replace": (1, 2)}
# The argument with the length of the part that an operation takes.
_CUT = {"substring": 2, "right": 1}
# Operations whose text is that of their first argument, or a part of it.
_FIRST = frozenset({"replace", "substring", "right"})


def _combined(weights: Iterable[Weight], combine: Callable[[Iterable[float]], float]) -> Weight:
    listed = list(weights) or [Weight()]
    nodes, tables = sum(one.nodes for one in listed), sum(one.tables for one in listed)
    growth, long_texts = combine([one.growth for one in listed]), combine([one.long_texts for one in listed])
    return Weight(nodes, tables, growth, long_texts)


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
    work = sum(weight.work * times for weight, times in zip(weights, uses, strict=True))
    return Weight(nodes, tables, text.growth, text.long_texts, work)


def _passes(operation: Operation, weights: list[Weight]) -> float:
    """How often an operation goes through long texts; for a search, as often as it may begin anew."""
    length = sum(weight.long_texts for weight in weights if weight.long_texts > _LONGEST_PART)
    return length * _TIMES.get(operation.name, _once)(operation) if length else 0


def _once(_: Operation) -> float:
    return 1


def _like(operation: Operation) -> float:
    texts = (_constant_text(operation.arguments[1]) or "").strip("%").split("%")
    return max(_LIKE, (len(texts) - 1) * _WILDCARD, max(map(len, texts)) / _PIECE)


def _search(needle: int) -> Callable[[Operation], float]:
    def times(operation: Operation) -> float:
        text = _constant_text(operation.arguments[needle])
        return _NEEDLE if text is None else max(1, len(text) / _SEARCHED_TEXT)

    return times


_TIMES: dict[str, Callable[[Operation], float]] = {
    "like": _like,
    "position": _search(0),
    "replace": _search(1),
    "json_value": lambda _: _JSON,
}


def _replaced(operation: Operation, text: Weight, new: Weight) -> float:
    """How many times longer replace() makes a text at most."""
    old_text, new_text = (_constant_text(one) for one in operation.arguments[1:])
    if new_text is None:
        return max(1.0, (_REPLACEMENT if text.long_texts <= _LONGEST_PART else _CHARACTERS) * new.growth)
    return max(1.0, len(new_text) / max(1, len(old_text or "")))


def _constant_text(expression: Expression) -> str | None:
    if not isinstance(expression, Constant):
        return None
    return expression.value if isinstance(expression.value, str) else ""
