"""Counts and first contents of channels (channels_app.links.Contents), in a fixed number of statements."""

from collections.abc import Collection
from datetime import datetime

from django.db import connection

from channels_app.links import FirstContent
from contents.flags import OWN, ListKind
from contents.lists.ranges import LISTED, counted, flag_bits, flagged, in_list, page_of, ranges_of
from contents.models import Content
from contents.navigation.page_urls import make_records, read_addresses, read_rows
from contents.sql_fragments import SqlFragment, among, concatenate, fetch
from contents.wire.records import selection_of

APPROVED = {"is_checked": True}
_FEW = 10_000  # contents that are counted one by one in some 2 ms
_OF_CHANNEL = f"kind = {ListKind.CHANNEL.value}"

# `defaultTaxisType` → sort keys. As in SiteServer v6, pinned contents come first in all orders except those by hits.
_DEFAULT_ORDER = "OrderByTaxisDesc"
_ORDERS = {
    **{
        f"OrderBy{name}{suffix}": f"l.is_top DESC, l.{column}{direction}"
        for name, column in {
            "Id": "{number}",
            "ChannelId": "channel_id",
            "AddDate": "add_date",
            "LastEditDate": "last_edit_date",
            "Taxis": "taxis",
        }.items()
        for suffix, direction in {"": "", "Desc": " DESC"}.items()
    },
    "OrderByHits": "l.hits DESC",
    "OrderByHitsByDay": "l.hits_by_day DESC",
    "OrderByHitsByWeek": "l.hits_by_week DESC",
    "OrderByHitsByMonth": "l.hits_by_month DESC",
    # Deterministic instead of random: a stable address is worth more.
    "OrderByRandom": "l.is_top DESC, l.taxis DESC",
}


def first_contents(site_id: int, orders: dict[int, str]) -> dict[int, FirstContent]:
    """The first approved content of each non-empty channel, by the channel's `defaultTaxisType`."""
    channels: dict[str, list[int]] = {}
    for channel_id, order in orders.items():
        channels.setdefault(_ORDERS.get(order, _ORDERS[_DEFAULT_ORDER]), []).append(channel_id)
    rows = [row for keys, ids in channels.items() for row in _read_first(keys, ids)]
    addresses = read_addresses(site_id, {first for _, first, _ in rows})
    # A content trashed in between has no address.
    return {
        channel: FirstContent(addresses[first], second is None) for channel, first, second in rows if first in addresses
    }


def public_addresses(site_id: int, ids: Collection[int]) -> dict[int, str]:
    """The addresses of those contents of the site that are approved and not in the trash."""
    selection, chosen = selection_of(frozenset({"navigationUrl"})), among("c.id", ids)
    where = f"c.site_id = %s AND c.is_checked AND c.trashed_at IS NULL AND {chosen.sql}"
    rows = read_rows(selection.select, where, [site_id, *chosen.params], with_body=False)
    return {record["id"]: record["navigationUrl"] for record in make_records(rows, selection)}


def _read_first(keys: str, channel_ids: list[int]) -> list[tuple[int, int, int | None]]:
    # ListedContent indexes most orders, but has no hits and no edit dates.
    if "hits" in keys or "last_edit" in keys:
        number, rows = "id", "contents_content l WHERE l.channel_id = h.id AND l.is_checked AND l.trashed_at IS NULL"
    else:
        number = "content_id"
        rows = f"{LISTED} WHERE {_OF_CHANNEL} AND owner_id = h.id{flagged(APPROVED)} AND l.channel_id = h.id"
    ordered = f"SELECT l.{number} FROM {rows} ORDER BY {keys.format(number=number)}, l.{number} DESC LIMIT 1"
    asked = among("h.id", channel_ids)
    sql = f"SELECT h.id, ({ordered}), ({ordered} OFFSET 1) FROM channels_app_channel h WHERE {asked.sql}"
    return [row for row in fetch(sql, asked.params) if row[1] is not None]


def own_contents(channel_id: int, limit: int, *, newest: bool) -> list[int]:
    """Approved contents of the channel itself with the highest or lowest taxis, read from an index of the list."""
    direction = "DESC" if newest else "ASC"
    only = SqlFragment(" AND l.channel_id = %s", (channel_id,))
    ranges = ranges_of([in_list(ListKind.CHANNEL, channel_id)], APPROVED, split="is_top", more=only)
    page = page_of(ranges, (f"taxis {direction}", f"content_id {direction}"), limit, 0, split="is_top")
    return [row[0] for row in fetch(page.sql, page.params)]


def count_own(site_id: int, channel_ids: list[int]) -> tuple[int | None, dict[int, tuple[int, int]]]:
    """The TreeVersion's number, and contents of each channel itself as (all, approved); omits empty channels."""
    owners = among("n.owner_id", channel_ids)
    mask, wanted = flag_bits(APPROVED)
    sql = (
        "SELECT v.number, n.owner_id, CAST(SUM(n.contents) AS bigint), "
        f"CAST(SUM(CASE WHEN n.flags & {mask} = {wanted} THEN n.contents ELSE 0 END) AS bigint) "
        "FROM cms_sites_site s LEFT JOIN channels_app_treeversion v ON v.site_id = s.id "
        f"LEFT JOIN contents_listedcount n ON n.{_OF_CHANNEL} AND {owners.sql} AND n.flags & {OWN} = {OWN} "
        "WHERE s.id = %s AND s.trashed_at IS NULL GROUP BY v.number, n.owner_id"
    )
    rows = fetch(sql, (*owners.params, site_id))
    counts = {channel_id: (total, checked) for _, channel_id, total, checked in rows if channel_id is not None}
    return rows[0][0] if rows else None, counts


def count_listed(owner_ids: list[int], kind: ListKind = ListKind.CHANNEL) -> dict[int, int]:
    """Contents of each channel including those below it, or of each group or tag; empty ones are omitted."""
    if not owner_ids:
        return {}
    owners = among("owner_id", owner_ids)
    sql = (
        "SELECT owner_id, CAST(SUM(contents) AS bigint) FROM contents_listedcount "
        f"WHERE kind = {kind.value} AND {owners.sql} GROUP BY owner_id HAVING SUM(contents) <> 0"
    )
    return dict(fetch(sql, owners.params))


def count_own_with_image(channel_id: int) -> int:
    return Content.objects.live().checked().filter(channel_id=channel_id).exclude(image_url="").count()


def count_below(channel_id: int) -> int:
    statement = counted(in_list(ListKind.CHANNEL, channel_id), APPROVED)
    return int(fetch(statement.sql, statement.params)[0][0])


def count_since(channel_ids: list[int], moment: datetime, *, below: bool) -> int:
    """Approved contents added since the moment: of the channels themselves, or with all below them."""
    owners = concatenate(" AND ", [SqlFragment(_OF_CHANNEL), among("owner_id", channel_ids)])
    own = "" if below else " AND channel_id = owner_id"
    date = connection.ops.adapt_datetimefield_value(moment)

    def rows(comparison: str, limit: int) -> SqlFragment:
        found = f"SELECT 1 FROM {LISTED} WHERE {owners.sql}{flagged(APPROVED)}{own} AND add_date {comparison} %s"
        return SqlFragment(f"(SELECT COUNT(*) FROM ({found} LIMIT {limit}) counted)", (*owners.params, date))

    newer, older, all_newer = rows(">=", _FEW), rows("<", _FEW), rows(">=", 2**62)
    every = counted(owners, APPROVED, bits=0 if below else OWN)
    ((found,),) = fetch(f"SELECT {newer.sql}", newer.params)
    if found < _FEW:
        return int(found)
    # The number of all is stored, so counting the few older ones is enough.
    ((before, total),) = fetch(f"SELECT {older.sql}, ({every.sql})", older.params + every.params)
    if before < _FEW:
        return int(total - before)
    ((found,),) = fetch(f"SELECT {all_newer.sql}", all_newer.params)
    return int(found)
