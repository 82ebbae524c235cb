"""Reads long texts of the rows that are answered, and of no others, for an engine that sorts whole rows.

`SELECT TOP 10 * … ORDER BY AddDate` means ten bodies, but SQLite reads all of them before it sorts. Such a
statement is written in two steps: the numbers of the rows, in order, and then the rows by their numbers.
"""

from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.compiling import bound, kinds
from cms_api.lib.sql_sandbox.compiling.bound import Aggregated, Expression, QueryUse, Reference, ViewUse, Windowed
from cms_api.lib.sql_sandbox.compiling.queries import Core, Queries
from cms_api.lib.sql_sandbox.compiling.scopes import NamedRelation, offers_of


def choose_first(core: Core, queries: Queries, limit: int, offset: int) -> bound.Select | None:
    """Some rows of a sorted SELECT over one table with long texts; None for any other query."""
    query = core.query
    if not isinstance(query, bound.Select) or not isinstance(query.relation, ViewUse) or not core.keys:
        return None
    items = query.items[: core.visible]
    if not _is_plain(query) or not any(map(_reads_long_text, items)):
        return None
    number = queries.views.key(query.relation)
    if number is None:
        return None
    chosen, chosen_number, keys = _choose(core, query, number, queries, (limit, offset))
    same = bound.Operation("=", (number, chosen_number), Kind.BOOLEAN)
    joins = (bound.Joined("INNER", query.relation, same),)
    return bound.Select(query.names[: core.visible], items, chosen, joins, order=keys, limit=limit)


def _choose(
    core: Core, query: bound.Select, number: Reference, queries: Queries, window: tuple[int, int]
) -> tuple[QueryUse, Reference, tuple[bound.SortKey, ...]]:
    """The numbers of the rows as a relation, that number in it, and what the rows are sorted by."""
    values = (number, *(query.items[place] for place, _ in core.keys))
    numbered = bound.Select(("",) * len(values), values, query.relation, where=query.where)
    places = tuple((place + 1, descending) for place, (_, descending) in enumerate(core.keys))
    page = queries.window(Core(numbered, len(values), places), places, *window)
    use = QueryUse(queries.new_alias(), page)
    relation = NamedRelation("", use, offers_of(page, is_passed=True))
    chosen, *sorted_by = (relation.reference(offer) for offer in relation.offers)
    keys = zip(sorted_by, core.keys, strict=True)
    order = tuple(bound.SortKey(kinds.in_order(value), descending) for value, (_, descending) in keys)
    return use, chosen, order


def _is_plain(query: bound.Select) -> bool:
    """Whether each row of the table is a row of the query or none."""
    combines = (query.joins, query.group, query.having, query.distinct, query.commons)
    return not any(combines) and not any(bound.holds(item, (Aggregated, Windowed)) for item in query.items)


def _reads_long_text(expression: Expression) -> bool:
    return any(one.offer.column is not None and one.offer.column.is_long for one in bound.references(expression))
