"""Compiles a statement's tree to one engine's SQL: names, kinds, cost, then text."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.catalogue import Catalogue, Kind
from cms_api.lib.sql_sandbox.compiled import Compiled, Needs
from cms_api.lib.sql_sandbox.compiling import alphabet, bound, cost, kinds
from cms_api.lib.sql_sandbox.compiling.bound import Aggregated, QueryUse, ViewUse, Windowed
from cms_api.lib.sql_sandbox.compiling.emitting import Emitter
from cms_api.lib.sql_sandbox.compiling.member_names import member_names
from cms_api.lib.sql_sandbox.compiling.operations import ENGINES
from cms_api.lib.sql_sandbox.compiling.queries import Core, Queries
from cms_api.lib.sql_sandbox.compiling.scopes import NamedRelation, offers_of
from cms_api.lib.sql_sandbox.compiling.sorts import count_sorts, may_hash
from cms_api.lib.sql_sandbox.refusals import NotAllowed
from cms_api.lib.sql_sandbox.wording import nearest, shown

_LONGEST_NAME = 128


def compile_query(
    query: tree.Query,
    catalogue: Catalogue,
    engine: str,
    *,
    now: datetime,
    max_rows: int,
    order: Sequence[tuple[str, bool]] = (),
    start: int = 1,
    total: int = 0,
) -> Compiled:
    """The statement in the engine's SQL, which begins with SELECT. Raises NotAllowed or TooLarge.

    `order` names columns of the result, each with whether it descends, and replaces the query's own order.
    `total` rows from the one at `start` are answered, 0 meaning all, but never more than `max_rows` and one,
    which tells that there are more.
    """
    queries = Queries(catalogue, now)
    core = queries.core(query)
    names = tuple(
        name[:_LONGEST_NAME] or f"column{place + 1}" for place, name in enumerate(core.query.names[: core.visible])
    )
    members = member_names(names)
    limit, offset = query.limit, query.offset or 0
    if order:
        keys = tuple((_place(name, names, members), descending) for name, descending in order)
        if limit is not None or offset:
            core = Core(queries.window(core, core.keys, limit, offset), core.visible, ())
        core, limit, offset = replace(core, keys=keys), None, 0
    longest_text = cost.check(core.query, ENGINES[engine])
    needs = Needs(1 + count_sorts(core.query), may_hash(core.query), longest_text)  # and the order of the result
    skipped = max(start, 1) - 1
    wanted, first = _rows(limit, skipped, total, max_rows), offset + skipped
    chosen = _choose_first(core, queries, wanted, first) if ENGINES[engine].sorts_whole_rows else None
    top = chosen or queries.window(core, core.keys, wanted, first)
    return replace(_emitted(top, members, queries, engine), needs=needs)


def _rows(limit: int | None, skipped: int, total: int, max_rows: int) -> int:
    """How many rows to ask for: those of the query's own limit behind the skipped ones, of the window, of the cap."""
    wanted = [max_rows + 1]
    wanted += [max(limit - skipped, 0)] if limit is not None else []
    wanted += [total] if total > 0 else []
    return min(wanted)


def _place(name: str, names: Sequence[str], members: Sequence[str]) -> int:
    """Which column of the result is meant: by the name in the query or the member in the answer, in any letter case."""
    for spellings in (names, members):
        folded = [one.casefold() for one in spellings]
        if name.casefold() in folded:
            return folded.index(name.casefold())
    match = nearest(name, members)
    raise NotAllowed(f"Column {shown(name)} is not in the result{f'; {shown(match)} is' if match else ''}.")


def _emitted(top: bound.Select, members: Sequence[str], queries: Queries, engine: str) -> Compiled:
    shown_kinds = (Kind.TEXT if kind is Kind.NULL else kind for kind in top.kinds)
    columns = tuple(zip(members, shown_kinds, strict=True))
    items = tuple(kinds.convert(one, Kind.TEXT) if one.kind is Kind.DATE else one for one in top.items)
    emitter, views = Emitter(ENGINES[engine]), queries.views.used()
    sql = emitter.query(replace(top, items=items))
    names = {column.name.lower() for view in views.values() for column in view.columns}
    alphabet.check(sql, ENGINES[engine], names)
    return Compiled(sql, emitter.parameters, views, columns)


def _choose_first(core: Core, queries: Queries, limit: int, offset: int) -> bound.Select | None:
    """Some rows of a sorted SELECT over one table with long texts; None for any other query.

    `SELECT TOP 10 * … ORDER BY AddDate` means ten bodies, but an engine that sorts whole rows reads all of them
    before. Such a statement is written in two steps: the numbers of the rows, in order, and then the rows by them.
    """
    query = core.query
    if not isinstance(query, bound.Select) or not isinstance(query.relation, ViewUse) or not core.keys:
        return None
    items = query.items[: core.visible]
    # Each row of the table has to be a row of the query or none.
    combines = query.joins or query.group or query.having or query.distinct or query.commons
    if combines or any(bound.holds(item, (Aggregated, Windowed)) for item in query.items):
        return None
    columns = [one.offer.column for item in items for one in bound.references(item)]
    if not any(column and column.is_long for column in columns):
        return None
    number = queries.views.key(query.relation)
    if number is None:
        return None
    values = (number, *(query.items[place] for place, _ in core.keys))
    numbered = bound.Select(("",) * len(values), values, query.relation, where=query.where)
    places = tuple((place + 1, descending) for place, (_, descending) in enumerate(core.keys))
    page = queries.window(Core(numbered, len(values), places), places, limit, offset)
    use = QueryUse(queries.new_alias(), page)
    relation = NamedRelation("", use, offers_of(page, is_passed=True))
    chosen, *sorted_by = (relation.reference(offer) for offer in relation.offers)
    keys = zip(sorted_by, core.keys, strict=True)
    order = tuple(bound.SortKey(kinds.in_order(value), descending) for value, (_, descending) in keys)
    joins = (bound.Joined("INNER", query.relation, bound.Operation("=", (number, chosen), Kind.BOOLEAN)),)
    return bound.Select(query.names[: core.visible], items, use, joins, order=order, limit=limit)
