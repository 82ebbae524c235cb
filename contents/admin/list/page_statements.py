"""The statements that read a page of the list of contents, in its order, from rows of contents or from lists of them.

Each answers numbers of contents. Several ranges of an index are read up to the end of the page, and merged.
"""

from collections.abc import Collection, Sequence

from contents.admin.list.sources import ROW, Owner, owned
from contents.conditions import Condition, among, concatenate, join
from contents.lists.ranges import LISTED, Flags, Order, page_of, ranges_of

Ordering = Sequence[str]  # as Django writes it: columns of contents, with a minus where the largest come first


def order_of(ordering: Ordering, table: str = ROW) -> str:
    """What stands behind ORDER BY."""
    names = [(key.lstrip("-"), "DESC" if key.startswith("-") else "ASC") for key in ordering]
    return ", ".join(f"{table}.{'id' if name == 'pk' else name} {direction}" for name, direction in names)


def of_numbers(numbers: Collection[int], ordering: Ordering, offset: int, limit: int) -> Condition:
    """The page of these contents."""
    found = among(f"{ROW}.id", sorted(numbers))
    sql = f"SELECT {ROW}.id FROM {ROW} WHERE {found.sql} ORDER BY {order_of(ordering)} LIMIT %s OFFSET %s"
    return Condition(sql, (*found.params, limit, offset))


def of_few(
    numbers: Collection[int], conditions: Sequence[Condition], ordering: Ordering, offset: int, limit: int
) -> Condition:
    """The page of what matches among these contents; each row has the number of all that do besides."""
    # Given as values, the database knows how few they are, and looks up each.
    found = join([among(f"{ROW}.id", sorted(numbers)), *conditions])
    sql = (
        f"SELECT {ROW}.id, COUNT(*) OVER () FROM {ROW} WHERE {found.sql} "
        f"ORDER BY {order_of(ordering)} LIMIT %s OFFSET %s"
    )
    return Condition(sql, (*found.params, limit, offset))


def of_dated(rows: Condition, most: int, ordering: Ordering, offset: int, limit: int) -> Condition:
    """The page of rows `id`, `last_edit_date`, in an order of these; each has the number of all rows, up to `most`."""
    sql = (
        f"WITH found AS MATERIALIZED (SELECT * FROM ({rows.sql}) dated LIMIT {most}) "
        f"SELECT id, (SELECT COUNT(*) FROM found) FROM found ORDER BY {order_of(ordering, 'found')} LIMIT %s OFFSET %s"
    )
    return Condition(sql, (*rows.params, limit, offset))


def along_contents(
    ranges: Sequence[Condition], conditions: Sequence[Condition], ordering: Ordering, offset: int, limit: int
) -> Condition:
    """The page of what matches in these ranges, each walked in the order of its index."""
    keys = [key.lstrip("-") for key in ordering]
    columns = ", ".join(f"{ROW}.{key}" for key in dict.fromkeys(["id", *keys]) if key != "pk")
    narrowed = join(conditions)
    parts = [
        Condition(
            f"SELECT * FROM (SELECT {columns} FROM {ROW} WHERE {one.sql} AND {narrowed.sql} "
            f"ORDER BY {order_of(ordering)} LIMIT %s) first",
            (*one.params, *narrowed.params, offset + limit),
        )
        for one in ranges
    ]
    union = concatenate(" UNION ALL ", parts)
    sql = f"SELECT id FROM ({union.sql}) found ORDER BY {order_of(ordering, 'found')} LIMIT %s OFFSET %s"
    return Condition(sql, (*union.params, limit, offset))


def along_lists(
    owners: Sequence[Owner],
    flags: Flags,
    order: Order,
    offset: int,
    limit: int,
    *,
    within: Sequence[Condition] = (),
    conditions: Sequence[Condition] = (),
) -> Condition:
    """The page of these lists, narrowed by flags, in an order of their own columns such as `add_date DESC`.

    `within` are conditions on rows of lists, `conditions` those on contents.
    """
    more = concatenate("", [Condition(f" AND {one.sql}", one.params) for one in (*within, *conditions)])
    source = f"{LISTED} JOIN {ROW} ON {ROW}.id = l.content_id" if conditions else LISTED
    return page_of(ranges_of(owned(owners), flags, more=more), order, limit, offset, source=source)
