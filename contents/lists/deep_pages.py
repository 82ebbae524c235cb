"""Reaches deep pages of the default order without walking past earlier contents.

The order starts with pinned state and channel, and ListedCount has the contents per channel. So the first channel of
the page is computed, and only contents of that channel are skipped.
"""

from typing import NamedTuple

from contents.flags import BITS, OWN, ListKind
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
        f"SELECT n.flags & {BITS['is_top']} AS top, a.channel_id, CAST(SUM(n.contents) AS bigint) "
        "FROM channels_app_channelancestor a JOIN contents_listedcount n ON n.owner_id = a.channel_id "
        f"WHERE a.ancestor_id = %s AND n.kind = {ListKind.CHANNEL.value} "
        f"AND n.flags & {mask | OWN} = {wanted | OWN} GROUP BY 1, 2 ORDER BY 1 DESC, 2 DESC",
        (channel_id,),
    )
    for top, channel, contents in counts:
        if offset < contents:
            return Start(bool(top), channel, offset)
        offset -= contents
    return None
