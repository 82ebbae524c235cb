"""Compiles a statement's tree to one engine's SQL: names, kinds, cost, then text."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from cms_api.lib.sql_sandbox import tree
from cms_api.lib.sql_sandbox.catalogue import Catalogue, Kind
from cms_api.lib.sql_sandbox.compiled import Compiled, Needs
from cms_api.lib.sql_sandbox.compiling import alphabet, bound, cost, kinds
from cms_api.lib.sql_sandbox.compiling.chosen_first import choose_first
from cms_api.lib.sql_sandbox.compiling.emitting import Emitter
from cms_api.lib.sql_sandbox.compiling.member_names import member_names
from cms_api.lib.sql_sandbox.compiling.operations import ENGINES
from cms_api.lib.sql_sandbox.compiling.queries import Core, Queries
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
    names = tuple(_result_name(name, place) for place, name in enumerate(core.query.names[: core.visible]))
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
    chosen = choose_first(core, queries, wanted, first) if ENGINES[engine].sorts_whole_rows else None
    top = chosen or queries.window(core, core.keys, wanted, first)
    return replace(_emitted(top, members, queries, engine), needs=needs)


def _rows(limit: int | None, skipped: int, total: int, max_rows: int) -> int:
    """How many rows to ask for: those of the query's own limit behind the skipped ones, of the window, of the cap."""
    wanted = [max_rows + 1]
    wanted += [max(limit - skipped, 0)] if limit is not None else []
    wanted += [total] if total > 0 else []
    return min(wanted)


def _result_name(name: str, place: int) -> str:
    return name[:_LONGEST_NAME] or f"column{place + 1}"


def _place(name: str, names: Sequence[str], members: Sequence[str]) -> int:
    """Which column of the result is meant: by the name in the query or the member in the answer, in any letter case."""
    for spellings in (names, members):
        folded = [one.casefold() for one in spellings]
        if name.casefold() in folded:
            return folded.index(name.casefold())
    match = nearest(name, members)
    raise NotAllowed(f"Column {shown(name)} is not in the result{f'; {shown(match)} is' if match else ''}.")


def _emitted(top: bound.Select, members: Sequence[str], queries: Queries, engine: str) -> Compiled:
    columns = tuple(zip(members, (_output_kind(kind) for kind in top.kinds), strict=True))
    items = tuple(kinds.convert(one, Kind.TEXT) if one.kind is Kind.DATE else one for one in top.items)
    emitter, views = Emitter(ENGINES[engine]), queries.views.used()
    sql = emitter.query(replace(top, items=items))
    names = {column.name.lower() for view in views.values() for column in view.columns}
    alphabet.check(sql, ENGINES[engine], names)
    return Compiled(sql, emitter.parameters, views, columns)


def _output_kind(kind: Kind) -> Kind:
    return Kind.TEXT if kind is Kind.NULL else kind
