"""The list of contents: one statement reads site, total and page.

Two ways lead to a page. What ListedContent knows is a few ranges of an index, whatever the size of the
site (contents.lists.ranges). Anything else goes over Content itself, within a time limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection

from cms_api.lib.errors import InvalidInput
from cms_api.lib.statement_limit import TooSlow, statement_limit
from contents.conditions import NOTHING, Condition, among, concatenate, fetch, join
from contents.flags import ListKind
from contents.lists import deep_pages
from contents.lists.cursor import after, read_cursor, refuse_unlimited, row_after, write_cursor
from contents.lists.ranges import (
    DEFAULT_ORDER,
    LISTED,
    TAXIS_ORDER,
    Order,
    columns_of,
    counted,
    flag_bits,
    flagged,
    in_any_named_list,
    in_list,
    in_named_list,
    numbers_of,
    order_by_date,
    page_of,
    ranges_of,
)
from contents.lists.request import ListRequest
from contents.lists.selection import ContentRows, Selection
from contents.rules.writer import TABLES, Rules, SortKey
from contents.wire.columns import BY_NAME, Column

# A row begins with number of the tree, web address and total; the columns of the selection, the version of the content
# and the keys of the cursor follow.
_FIRST = 3
_BELOW = "channel_id IN (SELECT channel_id FROM channels_app_channelancestor WHERE ancestor_id = %s)"


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement of a list, and what its rows hold."""

    sql: str
    params: tuple[Any, ...]
    selection: Selection
    keys: Sequence[Column]  # of the cursor
    is_bounded: bool  # whether it takes the same time whatever the number of contents


@dataclass(frozen=True, slots=True)
class Page:
    """One page of contents, and the number of all that match: None where nobody has counted."""

    total: int | None
    contents: ContentRows
    next_cursor: str | None
    has_cursor: bool

    @property
    def parts(self) -> tuple[Any, ...]:
        """What decides every byte of the page."""
        return (self.total, self.has_cursor, self.next_cursor, *self.contents.parts)


def read_page(request: ListRequest, rules: Rules | None = None) -> Page | None:
    """The page; None when the site, or the channel in it, does not exist.

    `rules` are those of the site, if its custom fields have been looked up. Raises InvalidInput for a rule that cannot
    be followed or takes longer than CMS_STATEMENT_SECONDS.
    """
    statement = compose(request, rules)
    if statement.is_bounded:
        rows = fetch(statement.sql, statement.params)
    else:
        rows = read_limited(statement, "The rules take longer than {} seconds to follow", "rules")
    if not rows:
        return None
    number, web_url, total = rows[0][:_FIRST]
    version = _FIRST + len(statement.selection.columns)
    found, next_cursor = [row for row in rows if row[version] is not None], None  # an empty page has a row of nulls
    if request.cursor is not None and len(found) > request.limit:
        del found[request.limit :]
        next_cursor = write_cursor(request, statement.keys, found[-1][version + 1 :])
    contents = ContentRows(statement.selection, found, number, web_url, _FIRST)
    return Page(total, contents, next_cursor, request.cursor is not None)


def read_limited(statement: Statement | Condition, slow: str, fewer: str) -> list[tuple[Any, ...]]:
    """The rows of a statement. Raises InvalidInput in these words when it takes longer than CMS_STATEMENT_SECONDS."""
    seconds = settings.CMS_STATEMENT_SECONDS
    try:
        with statement_limit(connection, seconds):
            return fetch(statement.sql, statement.params)
    except TooSlow as error:
        advice = f"Narrow the list by channel, group, tag or flag, or use fewer {fewer}."
        raise InvalidInput("query_too_slow", f"{slow.format(f'{seconds:g}')}. {advice}") from error


# ---- the statement


@dataclass(frozen=True, slots=True)
class _Place:
    """The ids of the page and their number, the order of the wide rows, and the keys of a cursor."""

    page: Condition
    total: Condition
    order: str
    key_names: Sequence[str] = ()  # columns of the page, by which the next cursor goes
    keys: Sequence[Column] = ()
    by_body: bool = False  # whether the order needs the body


def compose(request: ListRequest, rules: Rules | None = None) -> Statement:
    """The statement of the list."""
    rules = rules or Rules(connection, request.site_id)
    rules.look_up(request.fields, request.wheres, request.orders)
    selection = Selection.of(rules, request.fields)
    order = _find_order(request)
    place = _scanned(request, rules) if order is None else _listed(request, order)
    total = place.total if request.count == "exact" else Condition("NULL")
    site = Condition("s.id = %s", (request.site_id,))
    if request.channel_id is not None:
        channel = "SELECT 1 FROM channels_app_channel h WHERE h.id = %s AND h.site_id = s.id AND h.trashed_at IS NULL"
        site = join([site, Condition(f"EXISTS ({channel})", (request.channel_id,))])
    keys = "".join([f", page.{name}" for name in place.key_names])
    body = "LEFT JOIN contents_contentbody b ON b.content_id = c.id " if selection.reads_body or place.by_body else ""
    sql = (
        f"WITH page AS ({place.page.sql}) "
        f"SELECT v.number, s.web_url, ({total.sql}), {selection.select}, c.version{keys} "
        "FROM cms_sites_site s LEFT JOIN channels_app_treeversion v ON v.site_id = s.id "
        "LEFT JOIN page ON TRUE LEFT JOIN contents_content c ON c.id = page.id "
        f"{body}WHERE {site.sql} ORDER BY {place.order}"
    )
    is_bounded = order is not None and _is_counted(request) and _is_indexed(request, order)
    return Statement(sql, place.page.params + total.params + site.params, selection, place.keys, is_bounded)


def _is_counted(request: ListRequest) -> bool:
    """Whether ListedCount knows the total: of a channel, or of one group or tag of the whole site."""
    names = len(request.group_names) + len(request.tag_names)
    if request.wheres or request.channel_ids is not None:
        return False
    return names == 0 or (names == 1 and request.is_whole_site)


# ---- out of the table of lists, by its indexes


def _find_order(request: ListRequest) -> Order | None:
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
    return order_by_date(descending=first.desc)


def _is_indexed(request: ListRequest, order: Order) -> bool:
    """Whether the order is that of an index; that by taxis is one of a channel's approved contents."""
    others = request.flags.keys() - {"is_checked", "is_top"}
    return order != TAXIS_ORDER or (
        request.checked is True and not (others or request.group_names or request.tag_names)
    )


def _listed(request: ListRequest, order: Order) -> _Place:
    names, flags, owners = columns_of(order), request.flags, _owners(request)
    keys = [BY_NAME["id" if name == "content_id" else name] for name in names] if request.cursor is not None else []
    if _is_counted(request):
        total = counted(owners[0], flags)
    else:
        narrowed = [Condition(f"{owner.sql}{flagged(flags)}", owner.params) for owner in owners]
        total = numbers_of(narrowed, union=" UNION ")
        total = Condition(f"SELECT COUNT(*) FROM ({total.sql}) found", total.params)
    page = listed_page(request, order, keys)
    return _Place(page, total, ", ".join([f"page.{key}" for key in order]), names if keys else (), keys)


def listed_page(request: ListRequest, order: Order, keys: Sequence[Column] = ()) -> Condition:
    """The page's ids, out of ranges for each list and approval state; with a cursor one more, of the next page."""
    owners, limit, offset, start = _owners(request), request.limit, request.offset, NOTHING
    if request.cursor is not None:
        limit, offset, start = limit + 1, 0, _after_cursor(request, order, keys)
    elif order == DEFAULT_ORDER and offset >= deep_pages.THRESHOLD and not (request.group_names or request.tag_names):
        offset, start = _skip(request)
    source, forms = LISTED, dict[str, Any]()
    if order == TAXIS_ORDER and connection.vendor == "sqlite" and _is_indexed(request, order):
        # SQLite believes that sorting another index costs less.
        source, forms = f"{LISTED} INDEXED BY listed_by_taxis", {"compared": ("is_top",)}
    ranges = ranges_of(owners, request.flags, more=start, **forms)
    # A content may stand in several groups or tags; in one list it stands once.
    union = " UNION ALL " if len(owners) == 1 else " UNION "
    return page_of(ranges, order, limit, offset, source=source, is_walked=True, union=union)


def _owners(request: ListRequest) -> list[Condition]:
    """The lists that are asked for, as conditions on kind and owner."""
    kind, names = (ListKind.TAG, request.tag_names) if request.tag_names else (ListKind.GROUP, request.group_names)
    if not names:
        return [in_list(ListKind.CHANNEL, request.list_channel_id)]
    owners = [in_named_list(kind, request.site_id, name) for name in names]
    if request.is_whole_site:
        return owners
    below = Condition(_BELOW, (request.list_channel_id,))
    return [concatenate(" AND ", [owner, below]) for owner in owners]


def _skip(request: ListRequest) -> tuple[int, Condition]:
    """Where a deep page begins: what is left to skip from there, and the place as a condition."""
    start = deep_pages.find_start(request.list_channel_id, *flag_bits(request.flags), request.offset)
    if start is None:
        return 0, Condition(" AND 1 = 0")
    if start.is_top:
        return start.offset, Condition(" AND (NOT is_top OR channel_id <= %s)", (start.channel_id,))
    return start.offset, Condition(" AND is_top = FALSE AND channel_id <= %s", (start.channel_id,))


def _after_cursor(request: ListRequest, order: Order, keys: Sequence[Column]) -> Condition:
    """What comes after the cursor, for each range by itself."""
    columns, values = columns_of(order), read_cursor(request, keys)
    if values is None:
        return NOTHING
    if request.top is not None and columns[0] == "is_top":
        # The same for all of the list; only without it the others are a range of the index.
        columns, values = columns[1:], values[1:]
    start = row_after(columns, values, descending=order[0].endswith("DESC"))
    return Condition(f" AND {start.sql}", start.params)


# ---- out of Content itself: any rule in any order, as long as it takes


def _scanned(request: ListRequest, rules: Rules) -> _Place:
    keys = _sort_keys(request, rules)
    if request.cursor is not None:
        for rule, key in zip(request.orders, keys, strict=False):
            refuse_unlimited(key.column, rule.name)
    found = _found(request, rules)
    total = Condition(f"SELECT COUNT(*) FROM {TABLES} WHERE {found.sql}", found.params)
    if _is_counted(request):
        total = counted(_owners(request)[0], request.flags)
    if request.cursor is not None:
        return _scanned_after(request, found, keys, total)
    limit, offset, order = request.limit, request.offset, ", ".join(map(str, keys))
    sql = f"SELECT c.id FROM {TABLES} WHERE {found.sql} ORDER BY {order} LIMIT {limit} OFFSET %s"
    by_body = any(key.column.wire == "content" for key in keys)
    return _Place(Condition(sql, (*found.params, offset)), total, order, by_body=by_body)


def _scanned_after(request: ListRequest, found: Condition, keys: list[SortKey], total: Condition) -> _Place:
    """The page of a cursor, and one content more, with the sort keys as `key0`, `key1`, …"""
    deciding: dict[str, SortKey] = {}
    for key in keys:
        deciding.setdefault(key.column.wire, key)
    named = [(f"key{place}", key) for place, key in enumerate(deciding.values())]
    # Each key is written once, however often it is compared.
    columns = ", ".join(f"{key.sql} AS {name}" for name, key in named)
    values = read_cursor(request, [key.column for _, key in named])
    start = after(named, values) if values is not None else Condition("1 = 1")
    order = ", ".join(key.over(name) for name, key in named)
    sql = (
        f"SELECT * FROM (SELECT c.id, {columns} FROM {TABLES} WHERE {found.sql}) keyed "
        f"WHERE {start.sql} ORDER BY {order} LIMIT {request.limit + 1}"
    )
    wide = ", ".join(key.over(f"page.{name}") for name, key in named)
    page = Condition(sql, found.params + start.params)
    return _Place(page, total, wide, [name for name, _ in named], [key.column for _, key in named])


def _sort_keys(request: ListRequest, rules: Rules) -> list[SortKey]:
    """The sort keys over TABLES. Raises InvalidInput for an unknown column."""
    if not request.orders:
        order = columns_of(TAXIS_ORDER if request.is_by_taxis else DEFAULT_ORDER)[:-1]
        return [rules.sort_key(BY_NAME[name], descending=True) for name in (*order, "id")]
    # The id ends every order, so that pages never overlap; in the last rule's direction, so that an
    # index can be walked.
    last = rules.sort_key(BY_NAME["id"], descending=request.orders[-1].desc)
    return [*map(rules.order, request.orders), last]


def _found(request: ListRequest, rules: Rules) -> Condition:
    conditions = [Condition("c.site_id = %s AND c.trashed_at IS NULL", (request.site_id,))]
    if not request.is_whole_site:
        conditions.append(Condition(f"c.{_BELOW}", (request.list_channel_id,)))
    conditions += [Condition(f"c.{flag}" if on else f"NOT c.{flag}") for flag, on in request.flags.items()]
    for kind, names in ((ListKind.GROUP, request.group_names), (ListKind.TAG, request.tag_names)):
        conditions += [in_any_named_list(kind, request.site_id, names)] if names else []
    if request.channel_ids is not None:
        conditions.append(among("c.channel_id", request.channel_ids))
    return join([*conditions, *map(rules.condition, request.wheres)])
