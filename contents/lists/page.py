"""The list of contents: one statement reads site, total and page.

Lists that ListedContent can answer are a few index ranges at any size (contents.lists.ranges); all others scan Content
within a time limit.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection

from contents.flags import ListKind
from contents.lists import deep_pages
from contents.lists.cursor import after, raise_if_unlimited, read_cursor, row_after, write_cursor
from contents.lists.fragments import OF_LISTS, Form, Fragment, form_of, fragments_of
from contents.lists.ranges import (
    DEFAULT_ORDER,
    LISTED,
    LISTED_BY_TAXIS,
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
from contents.lists.request import ListRequest, raise_if_too_many
from contents.rules.sql import TABLES, Rules, SortKey
from contents.sql_fragments import NOTHING, SqlFragment, among, concatenate, fetch, join
from contents.wire.columns import BY_NAME, Column, unknown_column
from contents.wire.records import Selection, selection_of
from core.lib.errors import InvalidInput
from core.lib.statement_limit import TooSlow, statement_limit

# A row: number of the TreeVersion, web address, total; then the columns of the form, and the cursor keys.
_FIRST = 3
_MAX_FIELDS = 1000  # more than a content can have
_BELOW = "channel_id IN (SELECT channel_id FROM channels_app_channelancestor WHERE ancestor_id = %s)"


@dataclass(slots=True)
class Statement:
    sql: str
    params: tuple[Any, ...]
    keys: Sequence[Column]  # of the cursor
    is_bounded: bool  # takes the same time for any number of contents


@dataclass(slots=True)
class Page:
    """One page of contents; `total` is None if not counted."""

    total: int | None
    fragments: list[Fragment]
    next_cursor: str | None
    has_cursor: bool
    ids: list[int]

    @property
    def parts(self) -> tuple[Any, ...]:
        """Values that determine the response, for its ETag."""
        return (self.total, self.has_cursor, self.next_cursor, [fragment.digest for fragment in self.fragments])


def read_page(request: ListRequest, rules: Rules | None = None) -> Page | None:
    """The page; None if the site, or the channel in it, does not exist.

    Pass `rules` if they have looked up custom fields. Raises InvalidInput, also after CMS_STATEMENT_SECONDS.
    """
    rules = rules or Rules(request.site_id)
    rules.look_up(request.fields, request.wheres, request.orders)
    form = form_of(select(rules, request.fields), OF_LISTS)
    while True:
        statement = compose(request, rules, form)
        if statement.is_bounded:
            rows = fetch(statement.sql, statement.params)
        else:
            rows = read_limited(statement, "The rules take longer than {} seconds to evaluate", "rules")
        if not rows:
            return None
        content_id = _FIRST + form.id_place
        found, next_cursor = [row for row in rows if row[content_id] is not None], None  # an empty page: a row of nulls
        if request.cursor is not None and len(found) > request.limit:
            del found[request.limit :]
            next_cursor = write_cursor(request, statement.keys, found[-1][_FIRST + form.width :])
        if (fragments := fragments_of(form, found, _FIRST, OF_LISTS)) is not None:
            ids = [row[content_id] for row in found]
            return Page(rows[0][_FIRST - 1], fragments, next_cursor, request.cursor is not None, ids)
        form = form.widened()


def read_limited(
    statement: Statement | SqlFragment, slow: str, fewer: str, seconds: float | None = None
) -> list[tuple[Any, ...]]:
    """Run a statement; raises InvalidInput in these words after CMS_STATEMENT_SECONDS or `seconds`."""
    with limited(slow, fewer, seconds):
        return fetch(statement.sql, statement.params)


@contextmanager
def limited(slow: str, fewer: str, seconds: float | None = None) -> Iterator[None]:
    """Limit the block's statements in the same way."""
    seconds = seconds or settings.CMS_STATEMENT_SECONDS
    try:
        with statement_limit(connection, seconds):
            yield
    except TooSlow as error:
        advice = f"Narrow the list by channel, group, tag or flag, or use fewer {fewer}."
        raise InvalidInput("query_too_slow", f"{slow.format(f'{seconds:g}')}. {advice}") from error


# ---- the statement


class _PageSql(NamedTuple):
    """SQL for the ids of the page and for the total, the final order, and the cursor keys."""

    page: SqlFragment
    total: SqlFragment
    order: str
    key_names: Sequence[str] = ()  # columns of the page for the next cursor
    keys: Sequence[Column] = ()
    by_body: bool = False  # the order needs the body
    is_bounded: bool = False


def compose(request: ListRequest, rules: Rules, form: Form) -> Statement:
    order = _find_order(request)
    place = _scanned(request, rules) if order is None else _listed(request, order)
    total = place.total if request.count == "exact" else SqlFragment("NULL")
    site, of_site = "s.id = %s AND s.trashed_at IS NULL", [request.site_id]
    if request.channel_id is not None:
        channel = "SELECT 1 FROM channels_app_channel h WHERE h.id = %s AND h.site_id = s.id AND h.trashed_at IS NULL"
        site, of_site = f"{site} AND EXISTS ({channel})", [request.site_id, request.channel_id]
    keys = "".join([f", page.{name}" for name in place.key_names])
    body = "LEFT JOIN contents_contentbody b ON b.content_id = c.id " if form.reads_body or place.by_body else ""
    sql = (
        f"WITH page AS ({place.page.sql}) "
        f"SELECT v.number, s.web_url, ({total.sql}), {form.select}{keys} "
        "FROM cms_sites_site s LEFT JOIN channels_app_treeversion v ON v.site_id = s.id "
        "LEFT JOIN page ON TRUE LEFT JOIN contents_content c ON c.id = page.id "
        f"{body}WHERE {site} ORDER BY {place.order}"
    )
    params = (*place.page.params, *total.params, *of_site)
    return Statement(sql, params, place.keys, place.is_bounded)


def select(rules: Rules, names: Sequence[str], member: str = "fields") -> Selection:
    """The selection of these names in any letter case; none: all. Raises InvalidInput for an unknown one."""
    if not names:
        return selection_of()
    raise_if_too_many(member, len(names), _MAX_FIELDS)
    rules.look_up(names)
    wires = []
    for sent in names:
        if (column := rules.find(sent)) is None:
            raise unknown_column(member, sent)
        wires.append(column.wire)
    return selection_of(frozenset(wires))


def _is_counted(request: ListRequest) -> bool:
    if request.wheres or request.channel_ids is not None:
        return False
    names = len(request.group_names) + len(request.tag_names)
    return names == 0 or (names == 1 and request.is_whole_site)


# ---- from ListedContent, by its indexes


def _find_order(request: ListRequest) -> Order | None:
    """Sort keys if ListedContent can answer: no Where rules, not both groups and tags, known order; else None."""
    if request.wheres or (request.group_names and request.tag_names) or request.channel_ids is not None:
        return None
    if not request.orders:
        return TAXIS_ORDER if request.is_by_taxis else DEFAULT_ORDER
    first, *others = request.orders
    if others or first.column.strip().casefold() != "adddate":
        return None
    return order_by_date(descending=first.desc)


def _is_indexed(request: ListRequest, order: Order) -> bool:
    if order != TAXIS_ORDER:
        return True
    others = request.flags.keys() - {"is_checked", "is_top"}
    return request.checked is True and not (others or request.group_names or request.tag_names)


def _listed(request: ListRequest, order: Order) -> _PageSql:
    owners, is_counted = _owners(request), _is_counted(request)
    key_names = columns_of(order) if request.cursor is not None else ()
    keys = [BY_NAME["id" if name == "content_id" else name] for name in key_names]
    if is_counted:
        total = counted(owners[0], request.flags)
    else:
        flags = flagged(request.flags)
        found = numbers_of([SqlFragment(f"{owner.sql}{flags}", owner.params) for owner in owners], union=" UNION ")
        total = SqlFragment(f"SELECT COUNT(*) FROM ({found.sql}) found", found.params)
    return _PageSql(
        listed_page(request, order, owners, keys),
        total,
        ", ".join([f"page.{key}" for key in order]),
        key_names,
        keys,
        is_bounded=is_counted and _is_indexed(request, order),
    )


def listed_page(
    request: ListRequest, order: Order, owners: Sequence[SqlFragment] = (), keys: Sequence[Column] = ()
) -> SqlFragment:
    """Ids of the page, from index ranges per list and approval state; with a cursor, one more for the next page."""
    owners, limit, offset, start = owners or _owners(request), request.limit, request.offset, NOTHING
    if request.cursor is not None:
        limit, offset, columns, values = limit + 1, 0, columns_of(order), read_cursor(request, keys)
        if values is not None and request.top is not None and columns[0] == "is_top":
            # Constant in this list; without it the rest is an index range.
            columns, values = columns[1:], values[1:]
        if values is not None:
            after_it = row_after(columns, values, descending=order[0].endswith("DESC"))
            start = SqlFragment(f" AND {after_it.sql}", after_it.params)
    elif order == DEFAULT_ORDER and offset >= deep_pages.THRESHOLD and not (request.group_names or request.tag_names):
        first = deep_pages.find_start(request.list_channel_id, *flag_bits(request.flags), offset)
        if first is None:
            offset, start = 0, SqlFragment(" AND 1 = 0")
        else:
            pinned = "(NOT is_top OR channel_id <= %s)" if first.is_top else "is_top = FALSE AND channel_id <= %s"
            offset, start = first.offset, SqlFragment(f" AND {pinned}", (first.channel_id,))
    source, forms = LISTED, dict[str, Any]()
    if order == TAXIS_ORDER and connection.vendor == "sqlite" and _is_indexed(request, order):
        source, forms = LISTED_BY_TAXIS, {"compared": ("is_top",)}
    ranges = ranges_of(owners, request.flags, more=start, **forms)
    # A content may be in several groups or tags, but only once in one list.
    union = " UNION ALL " if len(owners) == 1 else " UNION "
    return page_of(ranges, order, limit, offset, source=source, is_walked=True, union=union)


def _owners(request: ListRequest) -> list[SqlFragment]:
    kind, names = (ListKind.TAG, request.tag_names) if request.tag_names else (ListKind.GROUP, request.group_names)
    if not names:
        return [in_list(ListKind.CHANNEL, request.list_channel_id)]
    owners = [in_named_list(kind, request.site_id, name) for name in names]
    if request.is_whole_site:
        return owners
    below = SqlFragment(_BELOW, (request.list_channel_id,))
    return [concatenate(" AND ", [owner, below]) for owner in owners]


# ---- from Content


def _scanned(request: ListRequest, rules: Rules) -> _PageSql:
    if request.orders:
        # The id ends every order, so that pages never overlap; in the last rule's direction, so that an index can be
        # walked.
        keys = [*map(rules.order, request.orders), SortKey(BY_NAME["id"], request.orders[-1].desc)]
    else:
        order = columns_of(TAXIS_ORDER if request.is_by_taxis else DEFAULT_ORDER)[:-1]
        keys = [SortKey(BY_NAME[name], True) for name in (*order, "id")]
    if request.cursor is not None:
        for rule, key in zip(request.orders, keys, strict=False):
            raise_if_unlimited(key.column, rule.name)
    found = conditions_of(request, rules)
    total = SqlFragment(f"SELECT COUNT(*) FROM {TABLES} WHERE {found.sql}", found.params)
    if _is_counted(request):
        total = counted(_owners(request)[0], request.flags)
    if request.cursor is not None:
        return _scanned_after(request, found, keys, total)
    sorting = ", ".join(map(str, keys))
    sql = f"SELECT c.id FROM {TABLES} WHERE {found.sql} ORDER BY {sorting} LIMIT {request.limit} OFFSET %s"
    by_body = any(key.column.wire == "content" for key in keys)
    return _PageSql(SqlFragment(sql, (*found.params, request.offset)), total, sorting, by_body=by_body)


def _scanned_after(request: ListRequest, found: SqlFragment, keys: list[SortKey], total: SqlFragment) -> _PageSql:
    """The cursor's page plus one content, with the sort keys as `key0`, `key1`, …"""
    deciding: dict[str, SortKey] = {}
    for key in keys:
        deciding.setdefault(key.column.wire, key)
    named = [(f"key{place}", key) for place, key in enumerate(deciding.values())]
    # Each key is computed once, even if compared several times.
    columns = ", ".join(f"{key.column.comparable} AS {name}" for name, key in named)
    values = read_cursor(request, [key.column for _, key in named])
    start = after(named, values) if values is not None else SqlFragment("1 = 1")
    order = ", ".join(key.over(name) for name, key in named)
    sql = (
        f"SELECT * FROM (SELECT c.id, {columns} FROM {TABLES} WHERE {found.sql}) keyed "
        f"WHERE {start.sql} ORDER BY {order} LIMIT {request.limit + 1}"
    )
    wide = ", ".join(key.over(f"page.{name}") for name, key in named)
    page = SqlFragment(sql, found.params + start.params)
    return _PageSql(page, total, wide, [name for name, _ in named], [key.column for _, key in named])


def conditions_of(request: ListRequest, rules: Rules) -> SqlFragment:
    """The condition on the TABLES of rules; `rules` have looked up the custom fields."""
    conditions = [SqlFragment("c.site_id = %s AND c.trashed_at IS NULL", (request.site_id,))]
    if not request.is_whole_site:
        conditions.append(SqlFragment(f"c.{_BELOW}", (request.list_channel_id,)))
    conditions += [SqlFragment(f"c.{flag}" if on else f"NOT c.{flag}") for flag, on in request.flags.items()]
    for kind, names in ((ListKind.GROUP, request.group_names), (ListKind.TAG, request.tag_names)):
        conditions += [in_any_named_list(kind, request.site_id, names)] if names else []
    if request.channel_ids is not None:
        conditions.append(among("c.channel_id", request.channel_ids))
    return join([*conditions, *map(rules.condition, request.wheres)])
