"""Pages out of Content itself: any rule in any order, as long as it takes (see CMS_STATEMENT_SECONDS)."""

from contents.lists.cursor import after, read_cursor, refuse_unlimited
from contents.lists.request import FLAGS, ListRequest
from contents.models import ListKind
from contents.rules.conditions import Condition, among, join
from contents.rules.label_filter import named
from contents.rules.where_groups import to_condition
from contents.rules.writer import Rules, SortKey
from contents.wire.columns import BY_NAME

_TABLES = (
    "contents_content c LEFT JOIN contents_contentbody b ON b.content_id = c.id "
    "JOIN cms_sites_site s ON s.id = c.site_id"
)
_DEFAULT_ORDER = ("is_top", "channel_id", "taxis", "id")
_TAXIS_ORDER = ("is_top", "taxis", "id")


def read(request: ListRequest, rules: Rules, keys: list[SortKey]) -> Condition:
    """The page's ids as `id`."""
    found = _found(request, rules)
    sql = f"SELECT c.id FROM {_TABLES} WHERE {found.sql} ORDER BY {', '.join(map(str, keys))} LIMIT {request.limit}"
    return Condition(f"{sql} OFFSET %s", (*found.params, request.offset))


def read_after(request: ListRequest, rules: Rules, keys: list[SortKey]) -> Condition:
    """The ids of the page of a cursor as `id`, and one more, with the sort keys as `key0`, `key1`, …"""
    found = _found(request, rules)
    # Each key is written once, however often it is compared.
    columns = ", ".join(f"{key.sql} AS key{place}" for place, key in enumerate(keys))
    sql = f"SELECT * FROM (SELECT c.id, {columns} FROM {_TABLES} WHERE {found.sql}) keyed"
    named = [(f"key{place}", key) for place, key in enumerate(keys)]
    values = read_cursor(request, [key.column for key in keys])
    start = after(named, values) if values is not None else Condition("1 = 1")
    order = ", ".join(key.over(name) for name, key in named)
    return Condition(f"{sql} WHERE {start.sql} ORDER BY {order} LIMIT {request.limit + 1}", found.params + start.params)


def count(request: ListRequest, rules: Rules) -> Condition:
    """The total."""
    found = _found(request, rules)
    return Condition(f"SELECT COUNT(*) FROM {_TABLES} WHERE {found.sql}", found.params)


def sort_keys(request: ListRequest, rules: Rules) -> list[SortKey]:
    """The sort keys over `c`, `b` and `s`. Raises BadRequest for an unknown column."""
    if not request.orders:
        names = _TAXIS_ORDER if request.is_by_taxis else _DEFAULT_ORDER
        return [rules.sort_key(BY_NAME[name], descending=True) for name in names]
    keys = [rules.order(rule) for rule in request.orders]
    # The id ends every order, so that pages never overlap; in the last rule's direction, so that an
    # index can be walked.
    return [*keys, rules.sort_key(BY_NAME["id"], descending=request.orders[-1].desc)]


def cursor_keys(request: ListRequest, keys: list[SortKey]) -> list[SortKey]:
    """The keys that decide the order, each column once. Raises BadRequest for one that no cursor can go by."""
    for rule, key in zip(request.orders, keys, strict=False):
        refuse_unlimited(key.column, rule.name)
    deciding: dict[str, SortKey] = {}
    for key in keys:
        deciding.setdefault(key.column.wire, key)
    return list(deciding.values())


def _found(request: ListRequest, rules: Rules) -> Condition:
    conditions = [Condition("c.site_id = %s AND c.trashed_at IS NULL", (request.site_id,))]
    if not request.is_whole_site:
        below = "c.channel_id IN (SELECT channel_id FROM channels_app_channelancestor WHERE ancestor_id = %s)"
        conditions.append(Condition(below, (request.list_channel_id,)))
    for name, value in request.flags.items():
        column = f"c.{FLAGS[name][0]}"
        conditions.append(Condition(column if value else f"NOT {column}"))
    for kind, names in ((ListKind.GROUP, request.group_names), (ListKind.TAG, request.tag_names)):
        conditions += [named(kind, request.site_id, names)] if names else []
    if request.channel_ids is not None:
        conditions.append(among("c.channel_id", request.channel_ids))
    conditions += (to_condition(entry, rules) for entry in request.wheres)
    return join(conditions)
