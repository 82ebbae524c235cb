"""Reaches deep pages of the default order without walking past what lies before them.

The default order goes by pinned state and channel, and the number of contents of each channel is known.
So the channel in which a page begins can be computed, and only contents of that channel are skipped.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from contents.conditions import fetch
from contents.flags import BITS, ListKind

THRESHOLD = 100_000  # contents; skipping fewer in an index costs less than computing


@dataclass(frozen=True, slots=True)
class Start:
    """Where a page begins: contents of this pinned state and channel, after `offset` of them."""

    is_top: bool
    channel_id: int
    offset: int


def find_start(channel_id: int, mask: int, wanted: int, offset: int) -> Start | None:
    """The start of the page after `offset` contents of the channel's list; None past the end.

    `mask` and `wanted` choose contents by flags, as bits of ListedCount.flags.
    """
    for is_top, channel, contents in _in_default_order(_count_own(channel_id, mask, wanted)):
        if offset < contents:
            return Start(is_top, channel, offset)
        offset -= contents
    return None


def _count_own(channel_id: int, mask: int, wanted: int) -> dict[tuple[bool, int], int]:
    """The number of contents of each channel itself, by pinned state and channel.

    Counts include what lies below a channel, so each is taken off the count of its parent.
    """
    own: dict[tuple[bool, int], int] = {}
    for channel, parent, top, contents in _read_counts(channel_id, mask, wanted):
        own[bool(top), channel] = own.get((bool(top), channel), 0) + contents
        own[bool(top), parent] = own.get((bool(top), parent), 0) - contents
    return own


def _read_counts(channel_id: int, mask: int, wanted: int) -> list[tuple[Any, ...]]:
    sql = (
        "SELECT h.id, CASE WHEN h.id = %s THEN 0 ELSE h.parent_id END, "
        f"n.flags & {BITS['is_top']}, CAST(SUM(n.contents) AS bigint) FROM channels_app_channelancestor a "
        "JOIN channels_app_channel h ON h.id = a.channel_id JOIN contents_listedcount n ON n.owner_id = h.id "
        f"WHERE a.ancestor_id = %s AND n.kind = {ListKind.CHANNEL.value} AND n.flags & {mask} = {wanted} "
        "GROUP BY 1, 2, 3"
    )
    return fetch(sql, (channel_id, channel_id))


def _in_default_order(own: dict[tuple[bool, int], int]) -> Iterable[tuple[bool, int, int]]:
    # Channel 0 stands for what is above the list; it has no contents here.
    return ((top, channel, own[top, channel]) for top, channel in sorted(own, reverse=True) if channel)
