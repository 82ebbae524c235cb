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
    used, shown_items = queries.views.named(query.relation.view), query.items[: core.visible]
    key = used.table.key
    if key is None or not _is_plain(query) or not any(map(_reads_long_text, shown_items)):
        return None
    used.used.add(key.name)
    number = next(
        Reference(query.relation.alias, offer.sql_name, offer.kind, offer)
        for offer in used.offers()
        if offer.column is key
    )
    values = tuple(query.items[place] for place, _ in core.keys)
    numbered = bound.Select(("",) * (1 + len(values)), (number, *values), query.relation, where=query.where)
    keys = tuple((place + 1, descending) for place, (_, descending) in enumerate(core.keys))
    chosen = QueryUse(queries.new_alias(), queries.window(Core(numbered, 1 + len(values), keys), keys, limit, offset))
    relation = NamedRelation("", chosen, offers_of(chosen.query, is_passed=True))
    chosen_number, *chosen_values = (relation.reference(offer) for offer in relation.offers)
    same = bound.Operation("=", (number, chosen_number), Kind.BOOLEAN)
    return bound.Select(
        names=query.names[: core.visible],
        items=shown_items,
        relation=chosen,
        joins=(bound.Joined("INNER", query.relation, same),),
        order=tuple(
            bound.SortKey(kinds.in_order(value), descending)
            for value, (_, descending) in zip(chosen_values, core.keys, strict=True)
        ),
        limit=limit,
    )


def _is_plain(query: bound.Select) -> bool:
    """Whether each row of the table is a row of the query or none."""
    combines = (query.joins, query.group, query.having, query.distinct, query.commons)
    return not any(combines) and not any(bound.holds(item, (Aggregated, Windowed)) for item in query.items)


def _reads_long_text(expression: Expression) -> bool:
    return any(one.offer.column is not None and one.offer.column.is_long for one in bound.references(expression))
