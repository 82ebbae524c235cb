"""The cost of a statement with common and derived tables written out at each use, as engines do while planning."""
# No time limit covers planning: n levels that use the one below k times are kⁿ expressions.

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from sql_sandbox.catalogue import ValueKind
from sql_sandbox.compiling import resolved
from sql_sandbox.compiling.operations import Engine
from sql_sandbox.compiling.resolved import Aggregated, Constant, Expression, Nested, Operation, Query, Windowed
from sql_sandbox.refusals import TooLarge

MAX_NODES = 3000
MAX_TABLES = 16
MAX_LONG_TEXTS = 16
MAX_GROWTH = 32
MAX_JOINED = 4  # long texts in one value
MAX_WORK = 48
MAX_SORTS = 200
MEMORY = 32 * 1024 * 1024  # bytes for the long texts of one row

_SHORT = 1 / 64  # of a long text
_LONGEST_PART = 1 / 8  # of a long text, for a text that is searched in another or replaces a part of it
_SMALL = 1 / 32  # a number or date as a text, in columns
_CHARACTERS = 1000  # of a literal that weigh as much as a column

# Arguments that must be short: a searched text is compared at every place of the other, a replacement repeats.
_SEARCHED = {"position": (0,), "replace": (1, 2), "split_part": (1,)}
_CUT = {"substring": 2, "right": 1}
# Operations that return their first argument or a part of it.
_FIRST = frozenset({"replace", "substring", "right", "split_part"})


@dataclass(frozen=True)
class Weight:
    nodes: int = 1
    tables: int = 0
    growth: float = _SMALL  # the length of the text, in columns
    long_texts: float = _SHORT  # its share without a limit
    work: float = 0  # on long texts for one row, in copies of them
    made: float = 0  # share of long texts that are computed, which rows hold whole


@dataclass(frozen=True)
class Size:
    nodes: int
    tables: int
    work: float
    columns: tuple[Weight, ...]


def check(query: Query, engine: Engine) -> int:
    """Return the bytes that a long text may have. Raise TooLarge if the statement is over a limit."""
    size = _Measure(engine).query(query)
    if size.nodes > MAX_NODES:
        raise TooLarge("The statement is too long when its common tables and subqueries are expanded.")
    if size.tables > MAX_TABLES:
        raise TooLarge(f"The statement reads more than {MAX_TABLES} tables when its subqueries are expanded.")
    # Engines check their time limit only between rows, after all values of one are there.
    if size.work > MAX_WORK:
        raise TooLarge("The statement processes long texts, such as bodies, too many times per row.")
    return int(MEMORY / max(size.work, 1))


class _Measure:
    """Measures each query once; raises TooLarge for texts that grow too long and rows that are too wide."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        # The query is stored with its size, so that its id is not reused.
        self._sizes: dict[int, tuple[Query, Size]] = {}

    def query(self, query: Query) -> Size:
        if id(query) not in self._sizes:
            size = self._compound(query) if isinstance(query, resolved.Compound) else self._select(query)
            self._sizes[id(query)] = query, size
        return self._sizes[id(query)][1]

    def _compound(self, query: resolved.Compound) -> Size:
        left, right = self.query(query.left), self.query(query.right)
        columns = tuple(_combined(pair, max) for pair in zip(left.columns, right.columns, strict=True))
        return Size(left.nodes + right.nodes + 1, left.tables + right.tables, left.work + right.work, columns)

    def _select(self, query: resolved.Select) -> Size:
        for common in query.commons:
            self.query(common.query)
        sizes = [
            Size(1, 1, 0, ()) if isinstance(one, resolved.ViewUse) else self.query(one.query) for one in query.relations
        ]
        weights = [self.expression(one) for one in resolved.expressions(query)]
        columns = tuple(weights[: len(query.items)])
        kept = sum(column.long_texts for column in columns) + sum(map(self._kept, resolved.expressions(query)))
        kept += sum(self.expression(one).long_texts for one in query.group)
        if kept > MAX_LONG_TEXTS:
            raise TooLarge(f"A row would contain, or be sorted and grouped by, more than {MAX_LONG_TEXTS} long texts.")
        parts: list[Size | Weight] = [*sizes, *weights]
        nodes, tables = 1 + sum(one.nodes for one in parts), sum(one.tables for one in parts)
        sorts = query.order or query.group or query.distinct or query.joins
        keeps_rows = sorts or any(resolved.holds(one, Windowed) for one in query.items)
        made = sum(one.made for one in weights) if keeps_rows else 0
        return Size(nodes, tables, sum(one.work for one in parts) + made * _SORTED, columns)

    def _kept(self, expression: Expression) -> float:
        below = list(resolved.parts(expression))
        own = below if isinstance(expression, Aggregated | Windowed) else []
        return sum(self.expression(one).long_texts for one in own) + sum(map(self._kept, below))

    def expression(self, expression: Expression) -> Weight:
        weight = self._weigh(expression)
        if expression.kind is not ValueKind.TEXT and expression.kind is not ValueKind.JSON:
            return Weight(weight.nodes, weight.tables, work=weight.work)
        if weight.growth > MAX_GROWTH or weight.long_texts > MAX_JOINED:
            raise TooLarge("The statement builds too long a text from many or repeated parts.")
        return weight

    def _weigh(self, expression: Expression) -> Weight:
        match expression:
            case Constant(value=value):
                growth = len(value) / _CHARACTERS if isinstance(value, str) else _SMALL
                return Weight(growth=growth, long_texts=growth / MAX_LONG_TEXTS)
            case resolved.Reference(offer=offer):
                if offer.query is None:
                    is_long = offer.column is not None and offer.column.is_long
                    return Weight(growth=1, long_texts=1 if is_long else _SHORT)
                column = self.query(offer.query).columns[offer.place]
                if offer.is_passed:
                    return Weight(1, 0, column.growth, column.long_texts, made=column.made)
                return column
            case Nested(query=query, operand=operand):
                size, own = self.query(query), Weight(0) if operand is None else self.expression(operand)
                nodes, tables, work = size.nodes + own.nodes + 1, size.tables + own.tables, size.work + own.work
                column = size.columns[0]
                return Weight(nodes, tables, column.growth, column.long_texts, work, column.made)
            case Operation():
                return self._operation(expression)
        weights = [self.expression(part) for part in resolved.parts(expression)]
        uses = self._uses(getattr(expression, "template", ""), len(weights))
        weight = _added(weights, uses, _combined(weights, max))
        if isinstance(expression, Windowed):
            return replace(weight, work=weight.work + sum(one.made for one in weights) * _SORTED)
        if isinstance(expression, Aggregated) and weights:
            # Its value is stored beside the row.
            length = _long_part(weights[0].long_texts)
            return replace(weight, work=weight.work + length * _AGGREGATED + weights[0].made * _SORTED, made=length)
        return weight

    def _operation(self, operation: Operation) -> Weight:
        weights = [self.expression(argument) for argument in operation.arguments]
        if any(_long_part(weights[place].long_texts) for place in _SEARCHED.get(operation.name, ())):
            raise TooLarge("The statement searches for or inserts a text that may be long.")
        if operation.name == "joined":
            text = _combined(weights, sum)
        else:
            text = _combined(weights[:1] if operation.name in _FIRST else weights, max)
        if operation.name in _CUT:
            length = operation.arguments[_CUT[operation.name]]
            if isinstance(length, Constant) and isinstance(length.value, int):
                growth = length.value / _CHARACTERS
                text = Weight(0, 0, min(text.growth, growth), min(text.long_texts, growth / MAX_LONG_TEXTS))
        if operation.name == "replace":
            times = _replaced(operation, weights)
            text = Weight(0, 0, text.growth * times, text.long_texts * times)
        weight = _added(weights, self._uses(operation.name, len(weights)), text)
        makes_text = _TIMES.get(operation.name, _COPIES) > 1  # a new one instead of its argument's
        made = _long_part(weight.long_texts if makes_text else weight.made)
        return replace(weight, work=weight.work + _copies(operation, weights), made=made)

    def _uses(self, template: str, arguments: int) -> list[int]:
        sql = self._engine.templates.get(template, "")
        return [max(1, sql.count(f"{{{place}}}")) for place in range(arguments)]


def _combined(weights: Iterable[Weight], combine: Callable[[Iterable[float]], float]) -> Weight:
    listed = list(weights) or [Weight()]
    nodes, tables = sum(one.nodes for one in listed), sum(one.tables for one in listed)
    growth, long_texts = combine([one.growth for one in listed]), combine([one.long_texts for one in listed])
    return Weight(nodes, tables, growth, long_texts, made=combine([one.made for one in listed]))


def _added(weights: list[Weight], uses: list[int], text: Weight) -> Weight:
    nodes = 1 + sum(weight.nodes * times for weight, times in zip(weights, uses, strict=True))
    tables = sum(weight.tables * times for weight, times in zip(weights, uses, strict=True))
    done = sum(weight.work * times for weight, times in zip(weights, uses, strict=True))
    return Weight(nodes, tables, text.growth, text.long_texts, done, text.made)


# ---- Work on the long texts of a row, in copies of them
# PostgreSQL holds each copy until the row is done, and an operation cannot be interrupted. One copy also stands for
# other work of 6 ns per byte.

_AGGREGATED = 4  # copies: the value so far, and the row's
_SORTED = 8  # rows that a sort compares when it merges its files
_COPIES = 2  # for most operations: the text read, and the result
_LIKE = 3
_TIMES = {
    **dict.fromkeys(("as text", "sorted", "coalesce", "is null", "is not null"), 0),
    **dict.fromkeys(("text as integer", "text as number", "text as date"), 0),  # short texts only
    **dict.fromkeys(("length", "=", "<>", "<", "<=", ">", ">=", "between", "in", "nullif", "greatest", "least"), 1),
    **dict.fromkeys(("upper", "lower"), 7),  # characters of four bytes each
    **dict.fromkeys(("trim", "ltrim", "rtrim"), 13),  # a list of the text's characters
    "json_value": 6,
}
_WILDCARD = 2  # for each further wildcard of a pattern
_NEEDLE = 40  # for a search text from a column
# Prefixes of a word, each inside the next, that cost as much as a copy.
_LIKE_OVERLAP, _SEARCH_OVERLAP = 2, 8
_REPLACEMENT = 16  # how much longer a short text becomes if another column replaces a part of it


def _copies(operation: Operation, weights: list[Weight]) -> float:
    lengths = [_long_part(one.long_texts) for one in weights]
    if not any(lengths):
        return 0
    match operation.name:
        case "joined":
            # Each text is added to a copy of those before it.
            return sum(lengths) + sum(list(accumulate(lengths))[1:])
        case "like":
            times = _like(_constant_text(operation.arguments[1]) or "")
        case "position":
            times = 1 + _search(operation.arguments[0], weights[0].growth)
        case "replace":
            search = _search(operation.arguments[1], weights[1].growth)
            times = 1 + _COPIES * _replaced(operation, weights) + search
        case "split_part":
            # From the end, the parts are counted first.
            times = _COPIES + 2 * _search(operation.arguments[1], weights[1].growth)
        case name:
            times = _TIMES.get(name, _COPIES)
    return sum(lengths) * times


def _long_part(share: float) -> float:
    return share if share > _LONGEST_PART else 0


def _replaced(operation: Operation, weights: list[Weight]) -> float:
    old_text, new_text = (_constant_text(one) for one in operation.arguments[1:])
    if new_text is None:
        is_short = weights[0].long_texts <= _LONGEST_PART
        return max(1.0, (_REPLACEMENT if is_short else _CHARACTERS) * weights[2].growth)
    return max(1.0, len(new_text) / max(1, len(old_text or "")))


def _like(pattern: str) -> float:
    words = re.sub("!(.)", r"\1", pattern).strip("%").split("%")
    # The wildcard of any character overlaps with everything.
    overlaps = (len(word) if "_" in word else _overlap(word.lower()) for word in words)
    return max(_LIKE, (len(words) - 1) * _WILDCARD) + (max(overlaps) - 1) / _LIKE_OVERLAP


def _search(needle: Expression, growth: float) -> float:
    text = _constant_text(needle)
    if text is None:
        return min(_NEEDLE * max(1, growth), growth * _CHARACTERS / _SEARCH_OVERLAP)
    return max(_overlap(text), _overlap(text[::-1])) / _SEARCH_OVERLAP


def _overlap(word: str) -> int:
    """Return how many prefixes of the word may match at one place: comparisons per character of the worst text."""
    borders, depths = [0] * (len(word) + 1), [0] * (len(word) + 1)
    for end in range(1, len(word) + 1):
        border = borders[end - 1]
        while border and word[border] != word[end - 1]:
            border = borders[border]
        borders[end] = border + 1 if end > 1 and word[border] == word[end - 1] else 0
        depths[end] = depths[borders[end]] + 1
    return max(depths)


def _constant_text(expression: Expression) -> str | None:
    if not isinstance(expression, Constant):
        return None
    return expression.value if isinstance(expression.value, str) else ""


# ---- Memory: places where an engine may sort, hash or store rows, each with memory of its own


def count_sorts(query: Query) -> int:
    """Return the maximum number of places. Raise TooLarge above MAX_SORTS."""
    number = _count(query, {})
    if number > MAX_SORTS:
        raise TooLarge(f"The statement sorts, groups or joins in more than {MAX_SORTS} places.")
    return number


def _count(query: Query, counted: dict[int, tuple[Query, int]]) -> int:
    if id(query) in counted:
        return counted[id(query)][1]
    if isinstance(query, resolved.Compound):
        number = 0 if query.operator == "UNION ALL" else 2
        number += _count(query.left, counted) + _count(query.right, counted)
    else:
        number = 2 * len(query.joins) + sum(map(bool, (query.group, query.distinct, query.order)))
        for use in query.relations:
            if isinstance(use, resolved.QueryUse):
                # A common table that is used again stores its rows.
                number += 1 if use.common and id(use.query) in counted else 1 + _count(use.query, counted)
        for expression in set(_walk(resolved.expressions(query))):  # equal ones are computed once
            match expression:
                case Nested():
                    number += 1 + _count(expression.query, counted)
                case Windowed():
                    number += 2  # a sort, and the rows of the frame
                case Aggregated(distinct=True):
                    number += 1
    counted[id(query)] = query, number  # the query is stored, so that its id is not reused
    return number


def may_hash(query: Query) -> bool:
    """Return whether full hash tables spill to disk: not for EXCEPT, INTERSECT and texts that grow in them."""
    if isinstance(query, resolved.Compound):
        found: list[Expression] = []
        own = query.operator not in ("EXCEPT", "INTERSECT")
    else:
        found = list(_walk(resolved.expressions(query)))
        own = not any(isinstance(one, Aggregated) and one.kind in (ValueKind.TEXT, ValueKind.JSON) for one in found)
    inner = [*resolved.inner_queries(query), *(one.query for one in found if isinstance(one, Nested))]
    return own and all(map(may_hash, inner))


def _walk(expressions: Iterable[Expression]) -> Iterator[Expression]:
    for expression in expressions:
        if isinstance(expression, Nested | Windowed | Aggregated):
            yield expression
        yield from _walk(resolved.parts(expression))
