from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import count

from sql_sandbox import tree
from sql_sandbox.catalogue import Catalogue, ValueKind
from sql_sandbox.compiled import Compiled
from sql_sandbox.compiling import alphabet, cost, kinds, resolved
from sql_sandbox.compiling.emitting import Emitter
from sql_sandbox.compiling.operations import ENGINES
from sql_sandbox.compiling.queries import Core, Queries
from sql_sandbox.compiling.resolved import Aggregated, QueryUse, ViewUse, Windowed
from sql_sandbox.compiling.scopes import NamedRelation, offers_of
from sql_sandbox.refusals import NotAllowed, nearest, shown


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
    """Return the statement in the engine's SQL. Raise NotAllowed or TooLarge.

    `order` names result columns and whether they descend, and replaces the query's own order. `total` rows (0: all)
    from `start` are returned, but at most `max_rows` and one, which shows that there are more.
    """
    queries = Queries(catalogue, now)
    core = queries.core(query)
    named = core.query.names[: core.visible]
    names = tuple(name[:128] or f"column{place}" for place, name in enumerate(named, start=1))
    members = member_names(names)
    limit, offset = query.limit, query.offset or 0
    if order:
        keys = tuple((_place(name, names, members), descending) for name, descending in order)
        if limit is not None or offset:
            core = Core(queries.window(core, core.keys, limit, offset), core.visible, ())
        core, limit, offset = replace(core, keys=keys), None, 0
    longest_text = cost.check(core.query, ENGINES[engine])
    sorts = 1 + cost.count_sorts(core.query)  # and the order of the result
    may_hash = cost.may_hash(core.query)
    skipped = max(start, 1) - 1
    first = offset + skipped
    wanted = min(max_rows + 1, total if total > 0 else max_rows + 1)
    if limit is not None:
        wanted = min(wanted, max(limit - skipped, 0))
    chosen = _choose_first(core, queries, wanted, first) if ENGINES[engine].sorts_whole_rows else None
    top = chosen or queries.window(core, core.keys, wanted, first)
    compiled = _emitted(top, members, queries, engine)
    return replace(compiled, sorts=sorts, may_hash=may_hash, longest_text=longest_text)


def _place(name: str, names: Sequence[str], members: Sequence[str]) -> int:
    """Return the place of a result column by its name in the query or its response member, in any letter case."""
    for spellings in (names, members):
        folded = [one.casefold() for one in spellings]
        if name.casefold() in folded:
            return folded.index(name.casefold())
    match = nearest(name, members)
    raise NotAllowed(f"Column {shown(name)} is not in the result{f'; {shown(match)} is' if match else ''}.")


def _emitted(top: resolved.Select, members: Sequence[str], queries: Queries, engine: str) -> Compiled:
    shown_kinds = (ValueKind.TEXT if kind is ValueKind.NULL else kind for kind in top.kinds)
    columns = tuple(zip(members, shown_kinds, strict=True))
    items = tuple(kinds.convert(one, ValueKind.TEXT) if one.kind is ValueKind.DATE else one for one in top.items)
    emitter, views = Emitter(ENGINES[engine]), queries.views.used()
    sql = emitter.query(replace(top, items=items))
    names = {column.name.lower() for view in views.values() for column in view.columns}
    alphabet.check(sql, ENGINES[engine], names)
    return Compiled(sql, emitter.parameters, views, columns)


def _choose_first(core: Core, queries: Queries, limit: int, offset: int) -> resolved.Select | None:
    """Return a sorted SELECT of long texts from one table in two steps; None for any other query.

    An engine that sorts whole rows would read every body for `SELECT TOP 10 * … ORDER BY AddDate`: first sort the rows'
    numbers, then read the rows.
    """
    query = core.query
    if not isinstance(query, resolved.Select) or not isinstance(query.relation, ViewUse) or not core.keys:
        return None
    items = query.items[: core.visible]
    # Each row of the table must be a row of the query or none.
    combines = query.joins or query.group or query.having or query.distinct or query.commons
    if combines or any(resolved.holds(item, (Aggregated, Windowed)) for item in query.items):
        return None
    columns = [one.offer.column for item in items for one in resolved.references(item)]
    if not any(column and column.is_long for column in columns):
        return None
    number = queries.views.key(query.relation)
    if number is None:
        return None
    values = (number, *(query.items[place] for place, _ in core.keys))
    numbered = resolved.Select(("",) * len(values), values, query.relation, where=query.where)
    places = tuple((place + 1, descending) for place, (_, descending) in enumerate(core.keys))
    page = queries.window(Core(numbered, len(values), places), places, limit, offset)
    use = QueryUse(next(queries.aliases), page)
    relation = NamedRelation("", use, offers_of(page, is_passed=True))
    chosen, *sorted_by = (relation.reference(offer) for offer in relation.offers)
    keys = zip(sorted_by, core.keys, strict=True)
    order = tuple(resolved.SortKey(kinds.in_order(value), descending) for value, (_, descending) in keys)
    joins = (resolved.Joined("INNER", query.relation, resolved.Operation("=", (number, chosen), ValueKind.BOOLEAN)),)
    return resolved.Select(query.names[: core.visible], items, use, joins, order=order, limit=limit)


def camel_cased(name: str) -> str:
    """Return the name with its leading capitals lowered, except for the last one if it begins a word."""
    run = next((place for place, character in enumerate(name) if not character.isupper()), len(name))
    if run == 0:
        return name
    begins_word = 1 < run < len(name) and not name[run].isspace()
    lowered = run - 1 if begins_word else run
    return name[:lowered].lower() + name[lowered:]


def member_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return unique members for these column names, by appending 1, 2, … to one that is taken in any case."""
    taken: set[str] = set()
    members = []
    for name in names:
        plain = member = camel_cased(name)
        numbers = count(1)
        while member.casefold() in taken:
            member = f"{plain}{next(numbers)}"
        taken.add(member.casefold())
        members.append(member)
    return tuple(members)
