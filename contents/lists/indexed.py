"""Pages out of ListedContent: ranges of an index, merged, whatever the size of the site."""

from django.db import connection

from contents.lists import deep_pages
from contents.lists.cursor import read_cursor, row_after
from contents.lists.request import FLAGS, ListRequest
from contents.models import ListKind
from contents.rules.conditions import Condition, concatenate
from contents.wire.columns import BY_NAME, Column

DEFAULT_ORDER = ("is_top DESC", "channel_id DESC", "taxis DESC", "content_id DESC")
# That of GET lists.
TAXIS_ORDER = ("is_top DESC", "taxis DESC", "content_id DESC")


def find_order(request: ListRequest) -> tuple[str, ...] | None:
    """The sort keys of a request that ListedContent answers; None for any other.

    It answers no Where rules, group names or tag names but not both, and three orders.
    """
    if request.wheres or (request.group_names and request.tag_names) or request.channel_ids is not None:
        return None
    if not request.orders:
        return TAXIS_ORDER if request.is_by_taxis else DEFAULT_ORDER
    first, *others = request.orders
    if others or first.column.strip().casefold() != "adddate":
        return None
    direction = "DESC" if first.desc else "ASC"
    return (f"add_date {direction}", f"content_id {direction}")


def is_indexed(request: ListRequest) -> bool:
    """Whether the order that find_order gives is that of an index: by taxis, of a channel's approved contents."""
    if find_order(request) != TAXIS_ORDER:
        return True
    others = request.flags.keys() - {"checked", "top"}
    return request.checked is True and not (others or request.group_names or request.tag_names)


def key_columns(order: tuple[str, ...]) -> list[str]:
    """The columns of an order."""
    return [key.split()[0] for key in order]


def wire_columns(order: tuple[str, ...]) -> list[Column]:
    """The same as members of a content."""
    return [BY_NAME[_NAMES.get(name, name)] for name in key_columns(order)]


def is_counted(request: ListRequest) -> bool:
    """Whether ListedCount knows the total: of a channel, or of one group or tag of the whole site."""
    names = len(request.group_names) + len(request.tag_names)
    if request.channel_ids is not None:
        return False
    return not request.wheres and (names == 0 or (names == 1 and request.is_whole_site))


def count(request: ListRequest) -> Condition:
    """The total of a request that is_counted."""
    (owner,) = _owners(request)
    mask, wanted = flag_bits(request)
    sql = (
        "SELECT CAST(COALESCE(SUM(contents), 0) AS bigint) FROM contents_listedcount "
        f"WHERE {owner.sql} AND flags & {mask} = {wanted}"
    )
    return Condition(sql, owner.params)


def scan_count(request: ListRequest) -> Condition:
    """The total of several groups or tags, or of one within a channel: contents of their lists, once each."""
    ranges = (_range("content_id", owner, request) for owner in _owners(request))
    union = concatenate(" UNION ", ranges)
    return Condition(f"SELECT COUNT(*) FROM ({union.sql}) found", union.params)


def read(request: ListRequest, order: tuple[str, ...]) -> Condition:
    """The page's ids as `id`, with the sort keys: index ranges for each list and approval state, merged.

    With a cursor one more, which tells whether there is a next page.
    """
    limit, offset, start = request.limit, request.offset, Condition("")
    if request.cursor is not None:
        limit, offset, start = limit + 1, 0, _after_cursor(request, order)
    elif order == DEFAULT_ORDER and offset >= deep_pages.THRESHOLD and not (request.group_names or request.tag_names):
        offset, start = _skip(request)
    keys, reach = ", ".join(order), offset + limit
    # No column beyond the sort keys: the index alone answers then.
    columns = ", ".join(["content_id AS id", *key_columns(order)])
    states = [request.checked] if request.checked is not None else [True, False]
    ranges = [_range(columns, owner, request, start, checked) for owner in _owners(request) for checked in states]
    if order == TAXIS_ORDER and is_indexed(request) and connection.vendor == "sqlite":
        ranges = [_by_taxis(one) for one in ranges]
    if connection.vendor == "postgresql":
        # It merges sorted ranges, where SQLite would store them; SQLite merges the ranges of a plain union.
        ranges = [_first(one, keys, reach) for one in ranges]
    # A content may stand in several groups or tags; in one list it stands once.
    is_one_list = len(ranges) == len(states)
    merged = concatenate(" UNION ALL " if is_one_list else " UNION ", ranges)
    sql = f"{merged.sql} ORDER BY {keys} LIMIT {limit} OFFSET %s"
    return Condition(sql, (*merged.params, offset))


def flag_bits(request: ListRequest) -> tuple[int, int]:
    """Which bits of ListedCount.flags are asked for, and what they must be."""
    mask = sum(FLAGS[name][1] for name in request.flags)
    return mask, sum(FLAGS[name][1] for name, value in request.flags.items() if value)


def _owners(request: ListRequest) -> list[Condition]:
    """The lists that are asked for, as conditions on kind and owner."""
    if request.tag_names:
        return [_named(ListKind.TAG, "contenttag", "tag_name", request, name) for name in request.tag_names]
    if request.group_names:
        return [_named(ListKind.GROUP, "contentgroup", "group_name", request, name) for name in request.group_names]
    channel = f"kind = {ListKind.CHANNEL.value} AND owner_id = %s"
    return [Condition(channel, (request.list_channel_id,))]


def _named(kind: ListKind, table: str, column: str, request: ListRequest, name: str) -> Condition:
    owner = f"(SELECT id FROM contents_{table} WHERE site_id = %s AND {column} = %s)"
    named = Condition(f"kind = {kind.value} AND owner_id = {owner}", (request.site_id, name))
    if request.is_whole_site:
        return named
    below = "channel_id IN (SELECT channel_id FROM channels_app_channelancestor WHERE ancestor_id = %s)"
    return concatenate(" AND ", [named, Condition(below, (request.list_channel_id,))])


def _range(
    columns: str,
    owner: Condition,
    request: ListRequest,
    start: Condition = Condition(""),  # noqa: B008 - a constant
    checked: bool | None = None,
) -> Condition:
    checked = request.checked if checked is None else checked
    conditions = [] if checked is None else [f"is_checked = {_literal(checked)}"]
    for name, value in request.flags.items():
        column = FLAGS[name][0]
        if name == "top":
            conditions.append(f"is_top = {_literal(value)}")
        if name != "checked":
            # The bare column is what the partial indexes are declared with.
            conditions.append(column if value else f"NOT {column}")
    narrowed = "".join(f" AND {condition}" for condition in conditions)
    sql = f"SELECT {columns} FROM contents_listedcontent WHERE {owner.sql}{narrowed}{start.sql}"
    return Condition(sql, owner.params + start.params)


def _by_taxis(rows: Condition) -> Condition:
    """The range with its index named: SQLite believes that sorting another one costs less.

    It takes a partial index for the bare column that it is declared with, and not for a comparison.
    """
    sql = rows.sql.replace("contents_listedcontent", "contents_listedcontent INDEXED BY listed_by_taxis")
    return Condition(sql.replace("is_checked = TRUE", "is_checked"), rows.params)


def _first(rows: Condition, keys: str, reach: int) -> Condition:
    return Condition(f"SELECT * FROM ({rows.sql} ORDER BY {keys} LIMIT %s) first", (*rows.params, reach))


def _literal(value: bool) -> str:
    return "TRUE" if value else "FALSE"


def _skip(request: ListRequest) -> tuple[int, Condition]:
    """Where a deep page begins: what is left to skip from there, and the place as a condition."""
    start = deep_pages.find_start(request.list_channel_id, *flag_bits(request), request.offset)
    if start is None:
        return 0, Condition(" AND 1 = 0")
    if start.is_top:
        return start.offset, Condition(" AND (NOT is_top OR channel_id <= %s)", (start.channel_id,))
    return start.offset, Condition(" AND is_top = FALSE AND channel_id <= %s", (start.channel_id,))


def _after_cursor(request: ListRequest, order: tuple[str, ...]) -> Condition:
    """What comes after the cursor, for each range by itself."""
    columns = key_columns(order)
    values = read_cursor(request, wire_columns(order))
    if values is None:
        return Condition("")
    if request.top is not None and columns[0] == "is_top":
        # The same for all of the list; only without it the others are a range of the index.
        columns, values = columns[1:], values[1:]
    start = row_after(columns, values, descending=order[0].endswith("DESC"))
    return Condition(f" AND {start.sql}", start.params)


_NAMES = {"content_id": "id"}
