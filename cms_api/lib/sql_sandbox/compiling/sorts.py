"""Where an engine may sort, hash or keep rows for a statement: each place has memory of its own."""

from collections.abc import Iterable, Iterator

from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.compiling import bound
from cms_api.lib.sql_sandbox.compiling.bound import Aggregated, Expression, Nested, Query, QueryUse, Select, Windowed
from cms_api.lib.sql_sandbox.refusals import TooLarge

MOST_SORTS = 200


def count_sorts(query: Query) -> int:
    """The places at most. Raises TooLarge above MOST_SORTS."""
    number = _Counter().query(query)
    if number > MOST_SORTS:
        raise TooLarge(f"The statement sorts, groups or joins at more than {MOST_SORTS} places.")
    return number


def may_hash(query: Query) -> bool:
    """Return whether the memory of the query's hash aggregation can be bounded.

    The database spills a full hash table to disk, except for EXCEPT and INTERSECT, and except for texts that grow
    while they are aggregated.
    """
    return all(_may_hash(one) for one in _queries(query))


class _Counter:
    """Counts each query once."""

    def __init__(self) -> None:
        # The query is kept with its number, so that its id stays its own.
        self._counted: dict[int, tuple[Query, int]] = {}

    def query(self, query: Query) -> int:
        """The places of a query, those inside it included."""
        if id(query) not in self._counted:
            if isinstance(query, Select):
                number = self._select(query)
            else:
                own = 0 if query.operator == "UNION ALL" else 2
                number = own + self.query(query.left) + self.query(query.right)
            self._counted[id(query)] = query, number
        return self._counted[id(query)][1]

    def _select(self, query: Select) -> int:
        relations = [query.relation, *(join.relation for join in query.joins)]
        inner = sum(self._use(one) for one in relations if isinstance(one, QueryUse))
        own = 2 * len(query.joins) + sum(map(bool, (query.group, query.distinct, query.order)))
        # Equal ones are worked out once.
        return inner + own + sum(map(self._of, set(_walk(bound.expressions(query)))))

    def _use(self, use: QueryUse) -> int:
        # A common table that is used again keeps its rows.
        return 1 if use.common and id(use.query) in self._counted else 1 + self.query(use.query)

    def _of(self, expression: Expression) -> int:
        match expression:
            case Nested():
                return 1 + self.query(expression.query)
            case Windowed():
                return 2  # a sort, and the rows of the frame
            case Aggregated(distinct=True):
                return 1
        return 0


def _walk(expressions: Iterable[Expression]) -> Iterator[Expression]:
    for expression in expressions:
        if isinstance(expression, Nested | Windowed | Aggregated):
            yield expression
        yield from _walk(bound.parts(expression))


def _queries(query: Query) -> Iterator[Query]:
    """The query and those inside it, common tables once."""
    yield query
    for inner in bound.inner_queries(query):
        yield from _queries(inner)
    if isinstance(query, Select):
        for expression in _walk(bound.expressions(query)):
            if isinstance(expression, Nested):
                yield from _queries(expression.query)


def _may_hash(query: Query) -> bool:
    if isinstance(query, bound.Compound):
        return query.operator not in ("EXCEPT", "INTERSECT")
    found = _walk(bound.expressions(query))
    return not any(isinstance(one, Aggregated) and one.kind in (Kind.TEXT, Kind.JSON) for one in found)
