"""Index ranges of ListedContent (alias `l`) and sums of ListedCount; the SQL's form decides which index is used."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from django.db import connection

from contents.flags import BITS, ListKind
from contents.sql_fragments import NOTHING, SqlFragment, concatenate

Flags = Mapping[str, bool]  # columns of FLAGS
Order = tuple[str, ...]
DEFAULT_ORDER = ("is_top DESC", "channel_id DESC", "taxis DESC", "content_id DESC")
TAXIS_ORDER = ("is_top DESC", "taxis DESC", "content_id DESC")  # of GET lists and of stl
LISTED = "contents_listedcontent l"
# For SQLite, which wrongly estimates that sorting another index is cheaper.
LISTED_BY_TAXIS = f"{LISTED} INDEXED BY listed_by_taxis"
_COMPARED = ("is_checked", "is_top")  # columns of full indexes; other flags are conditions of partial ones


def order_by_date(*, descending: bool) -> Order:
    direction = "DESC" if descending else "ASC"
    return (f"add_date {direction}", f"content_id {direction}")


@cache
def columns_of(order: Order) -> tuple[str, ...]:
    return tuple(key.split()[0] for key in order)


def in_list(kind: ListKind, owner_id: int) -> SqlFragment:
    return SqlFragment(f"kind = {kind.value} AND owner_id = %s", (owner_id,))


def in_named_list(kind: ListKind, site_id: int, name: str) -> SqlFragment:
    table, column = NAMED[kind]
    owner = f"(SELECT id FROM {table} WHERE site_id = %s AND {column} = %s)"
    return SqlFragment(f"kind = {kind.value} AND owner_id = {owner}", (site_id, name))


def in_any_named_list(kind: ListKind, site_id: int, names: Sequence[str]) -> SqlFragment:
    """Content `c` is in any of these groups, or has any of these tags, of the site; at least one name."""
    table, column = NAMED[kind]
    marks = ", ".join(["%s"] * len(names))
    sql = (
        f"c.id IN (SELECT l.content_id FROM {LISTED} JOIN {table} n ON n.id = l.owner_id "
        f"WHERE l.kind = {kind.value} AND n.site_id = %s AND n.{column} IN ({marks}))"
    )
    return SqlFragment(sql, (site_id, *names))


NAMED = {ListKind.GROUP: ("contents_contentgroup", "group_name"), ListKind.TAG: ("contents_contenttag", "tag_name")}


def flagged(flags: Flags, *, compared: Iterable[str] = _COMPARED, bare: Iterable[str] = ("is_top",)) -> str:
    """AND plus the flags, in the form that makes SQLite use an index; PostgreSQL treats all forms alike.

    SQLite needs a comparison for a full index, and the bare column for a partial one. Flags both in `compared` and
    `bare` are written twice, for either kind.
    """
    bare = bare if connection.vendor == "sqlite" else ()  # PostgreSQL would count the selectivity twice
    found = ""
    for column, wanted in flags.items():
        is_compared = column in compared
        if is_compared:
            found += f" AND l.{column} = {'TRUE' if wanted else 'FALSE'}"
        if not is_compared or column in bare:
            found += f" AND {'' if wanted else 'NOT '}l.{column}"
    return found


def ranges_of(
    owners: Iterable[SqlFragment], flags: Flags, *, split: str = "is_checked", more: SqlFragment = NOTHING, **forms: Any
) -> list[SqlFragment]:
    """Conditions on ListedContent, per owner and state of the flag `split`; `more` begins with AND."""
    states = [{split: state} for state in ([flags[split]] if split in flags else [True, False])]
    return [
        SqlFragment(f"{owner.sql}{flagged({**state, **flags, **state}, **forms)}{more.sql}", owner.params + more.params)
        for owner in owners
        for state in states
    ]


def numbers_of(ranges: Iterable[SqlFragment], *, union: str = " UNION ALL ") -> SqlFragment:
    rows = [SqlFragment(f"SELECT l.content_id AS id FROM {LISTED} WHERE {one.sql}", one.params) for one in ranges]
    return concatenate(union, rows)


def page_of(
    ranges: Iterable[SqlFragment],
    order: Order,
    limit: int,
    offset: int,
    *,
    split: str = "is_checked",
    source: str = LISTED,
    is_walked: bool = False,
    union: str = " UNION ALL ",
) -> SqlFragment:
    """Ids (as `id`) of the page over all ranges together, with the order's columns; limit 0 means no limit.

    Reads no more of each range than the page may need. With `is_walked` SQLite does so by itself, walking ranges side
    by side if their index has the whole order; PostgreSQL needs a limit on each.
    """
    # Only sort keys, so that the index suffices.
    columns = ", ".join(["l.content_id AS id", *[f"l.{column}" for column in columns_of(order)]])
    parts = [SqlFragment(f"SELECT {columns} FROM {source} WHERE {one.sql}", one.params) for one in ranges]
    if not is_walked or connection.vendor == "postgresql":
        keys = ", ".join([f"l.{key}" for key in order if not key.startswith(split)])
        end = f" LIMIT {offset + limit}" if limit else ""
        parts = [SqlFragment(f"SELECT * FROM ({one.sql} ORDER BY {keys}{end}) first", one.params) for one in parts]
    merged = concatenate(union, parts)
    return SqlFragment(
        f"{merged.sql} ORDER BY {', '.join(order)} LIMIT {limit or 2**62} OFFSET %s", (*merged.params, offset)
    )


def counted(owners: SqlFragment, flags: Flags, *, bits: int = 0) -> SqlFragment:
    """The stored number of contents with these flags and further bits."""
    mask, wanted = (found | bits for found in flag_bits(flags))
    return SqlFragment(
        "SELECT CAST(COALESCE(SUM(contents), 0) AS bigint) FROM contents_listedcount "
        f"WHERE {owners.sql} AND flags & {mask} = {wanted}",
        owners.params,
    )


def flag_bits(flags: Flags) -> tuple[int, int]:
    """The mask and required value of ListedCount.flags."""
    return sum([BITS[column] for column in flags]), sum([BITS[column] for column, on in flags.items() if on])
