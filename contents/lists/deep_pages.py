"""Reaches deep pages of the default order without walking past earlier contents.

The order starts with pinned state and channel, and ListedCount has the contents per channel. So the channel in which a
page begins is computed, and only contents of that channel are skipped.
"""

from collections import Counter
from typing import NamedTuple

from contents.flags import BITS, ListKind
from contents.sql_fragments import fetch

THRESHOLD = 100_000  # contents; below this, skipping in an index is cheaper


class Start(NamedTuple):
    """Where a page begins: this pinned state and channel, after `offset` contents."""

    is_top: bool
    channel_id: int
    offset: int


def find_start(channel_id: int, mask: int, wanted: int, offset: int) -> Start | None:
    """Start of the page after `offset` contents of the channel's list with these flag bits; None past the end."""
    counts = fetch(
        "SELECT h.id, CASE WHEN h.id = %s THEN 0 ELSE h.parent_id END, "
        f"n.flags & {BITS['is_top']}, CAST(SUM(n.contents) AS bigint) FROM channels_app_channelancestor a "
        "JOIN channels_app_channel h ON h.id = a.channel_id JOIN contents_listedcount n ON n.owner_id = h.id "
        f"WHERE a.ancestor_id = %s AND n.kind = {ListKind.CHANNEL.value} AND n.flags & {mask} = {wanted} "
        "GROUP BY 1, 2, 3",
        (channel_id, channel_id),
    )
    own: Counter[tuple[bool, int]] = Counter()
    for channel, parent, top, contents in counts:
        # A count includes contents below the channel, so it is subtracted from the parent's.
        own[bool(top), channel] += contents
        own[bool(top), parent] -= contents
    for is_top, channel in sorted(own, reverse=True):
        if not channel:  # 0: above the list, no contents
            continue
        if offset < own[is_top, channel]:
            return Start(is_top, channel, offset)
        offset -= own[is_top, channel]
    return None
