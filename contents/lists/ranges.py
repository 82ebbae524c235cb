"""Ranges of ListedContent and sums of ListedCount: for lists of the API, of stl and of the admin, and for channels.

What is written here decides which index an engine takes. Rows of ListedContent have the name `l`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connection

from contents.conditions import NOTHING, Condition, concatenate
from contents.flags import BITS, ListKind

Flags = Mapping[str, bool]  # columns of FLAGS
Order = tuple[str, ...]
DEFAULT_ORDER = ("is_top DESC", "channel_id DESC", "taxis DESC", "content_id DESC")
TAXIS_ORDER = ("is_top DESC", "taxis DESC", "content_id DESC")  # of GET lists and of stl
LISTED = "contents_listedcontent l"
_COMPARED = ("is_checked", "is_top")  # columns of indexes; the other flags are conditions of partial ones


def order_by_date(*, descending: bool) -> Order:
    direction = "DESC" if descending else "ASC"
    return (f"add_date {direction}", f"content_id {direction}")


def columns_of(order: Order) -> list[str]:
    return [key.split()[0] for key in order]


def in_list(kind: ListKind, owner_id: int) -> Condition:
    """The list of a channel, a group or a tag."""
    return Condition(f"kind = {kind.value} AND owner_id = %s", (owner_id,))


def in_named_list(kind: ListKind, site_id: int, name: str) -> Condition:
    """The list of the site's group or tag of this name."""
    table, column = _NAMED[kind]
    owner = f"(SELECT id FROM {table} WHERE site_id = %s AND {column} = %s)"
    return Condition(f"kind = {kind.value} AND owner_id = {owner}", (site_id, name))


def in_any_named_list(kind: ListKind, site_id: int, names: Sequence[str]) -> Condition:
    """The content `c` is in any of the site's groups, or has any of its tags, of these names; at least one is given."""
    table, column = _NAMED[kind]
    marks = ", ".join(["%s"] * len(names))
    sql = (
        f"c.id IN (SELECT l.content_id FROM {LISTED} JOIN {table} n ON n.id = l.owner_id "
        f"WHERE l.kind = {kind.value} AND n.site_id = %s AND n.{column} IN ({marks}))"
    )
    return Condition(sql, (site_id, *names))


_NAMED = {ListKind.GROUP: ("contents_contentgroup", "group_name"), ListKind.TAG: ("contents_contenttag", "tag_name")}


def flagged(flags: Flags, *, compared: Iterable[str] = _COMPARED, bare: Iterable[str] = ("is_top",)) -> str:
    """AND and the flags, each so written that SQLite finds its index; PostgreSQL knows that all forms are the same.

    SQLite takes a whole index for a comparison, and a partial one for the bare column that it is declared with. The
    `bare` of the `compared` flags are said twice, for an index of either kind.
    """
    bare = bare if connection.vendor == "sqlite" else ()  # PostgreSQL would count the effect twice
    found = ""
    for column, wanted in flags.items():
        is_compared = column in compared
        if is_compared:
            found += f" AND l.{column} = {'TRUE' if wanted else 'FALSE'}"
        if not is_compared or column in bare:
            found += f" AND {'' if wanted else 'NOT '}l.{column}"
    return found


def ranges_of(
    owners: Iterable[Condition], flags: Flags, *, split: str = "is_checked", more: Condition = NOTHING, **forms: Any
) -> list[Condition]:
    """Conditions on rows of lists: of each owner one for each state of the flag `split`, narrowed by the flags.

    `more` begins with AND; `forms` are those of `flagged`.
    """
    states = [{split: state} for state in ([flags[split]] if split in flags else [True, False])]
    return [
        Condition(f"{owner.sql}{flagged({**state, **flags, **state}, **forms)}{more.sql}", owner.params + more.params)
        for owner in owners
        for state in states
    ]


def numbers_of(ranges: Iterable[Condition], *, union: str = " UNION ALL ") -> Condition:
    """The numbers of the contents of all ranges as `id`."""
    rows = [Condition(f"SELECT l.content_id AS id FROM {LISTED} WHERE {one.sql}", one.params) for one in ranges]
    return concatenate(union, rows)


def page_of(
    ranges: Iterable[Condition],
    order: Order,
    limit: int,
    offset: int,
    *,
    split: str = "is_checked",
    source: str = LISTED,
    is_walked: bool = False,
    union: str = " UNION ALL ",
) -> Condition:
    """Numbers of contents as `id`, with the columns of the order: the page of all ranges together; limit 0 has no end.

    Of each range no more is read than the page may need. `is_walked` leaves that to SQLite, which walks ranges side by
    side if their index has the whole order; PostgreSQL does so only if each is limited.
    """
    # No column beyond the sort keys: the index alone answers then.
    columns = ", ".join(["l.content_id AS id", *(f"l.{column}" for column in columns_of(order))])
    parts = [Condition(f"SELECT {columns} FROM {source} WHERE {one.sql}", one.params) for one in ranges]
    if not is_walked or connection.vendor == "postgresql":
        keys = ", ".join(f"l.{key}" for key in order if not key.startswith(split))
        end = f" LIMIT {offset + limit}" if limit else ""
        parts = [Condition(f"SELECT * FROM ({one.sql} ORDER BY {keys}{end}) first", one.params) for one in parts]
    merged = concatenate(union, parts)
    return Condition(
        f"{merged.sql} ORDER BY {', '.join(order)} LIMIT {limit or 2**62} OFFSET %s", (*merged.params, offset)
    )


def counted(owners: Condition, flags: Flags) -> Condition:
    """How many contents with these flags the lists have, by the counts that are kept."""
    mask, wanted = flag_bits(flags)
    return Condition(
        "SELECT CAST(COALESCE(SUM(contents), 0) AS bigint) FROM contents_listedcount "
        f"WHERE {owners.sql} AND flags & {mask} = {wanted}",
        owners.params,
    )


def flag_bits(flags: Flags) -> tuple[int, int]:
    """Which bits of ListedCount.flags are asked for, and what they must be."""
    return sum(BITS[column] for column in flags), sum(BITS[column] for column, on in flags.items() if on)
