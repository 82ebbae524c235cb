"""Ids for stl lists out of the table of lists: ranges of its indexes, whatever the number of contents.

Pinned contents come first, so each of the two halves is read by itself, and of neither more than is needed.
"""

from dataclasses import dataclass

from django.db import connection

from channels_app.tree import Record, below
from contents.conditions import Condition
from contents.models import ListKind
from contents.of_channels import count_below

# Reading the first contents of each channel by itself costs about as much as sorting this many contents each.
_WORTH_A_CHANNEL = 50
_COLUMNS = "c.content_id, c.is_top, c.taxis, c.add_date"
_OF_CHANNEL = f"c.kind = {ListKind.CHANNEL.value} AND c.owner_id = %s AND c.is_checked = TRUE"


@dataclass(frozen=True, slots=True)
class Listed:
    """Approved contents of a channel, or of it and everything below it, by taxis or by add date.

    `key` is the sort key after the pinned state, `flags` are columns that must or must not be set.
    """

    channel: Record
    is_deep: bool  # with everything below it
    key: str
    flags: dict[str, bool]

    def read(self, first: int, count: int) -> Condition:
        """The statement for `count` ids (0: all) after the first ones."""
        reach = first + count if count else 0
        read_half = self._merge_channels if self._is_merged(reach) else self._read_range
        halves = [read_half(half, reach) for half in (_pinned(), "c.is_top = FALSE")]
        both = " UNION ALL ".join(f"SELECT * FROM ({half.sql}) half" for half in halves)
        sql = f"SELECT c.content_id FROM ({both}) c ORDER BY c.is_top DESC, {self._keys}{limit(count, first)}"
        return Condition(sql, halves[0].params + halves[1].params)

    @property
    def _keys(self) -> str:
        return f"c.{self.key}, c.content_id DESC"

    @property
    def _narrowed(self) -> str:
        return "".join(f" AND {'' if wanted else 'NOT '}c.{column}" for column, wanted in self.flags.items())

    def _read_range(self, half: str, reach: int) -> Condition:
        # A list of one channel is in order of taxis by itself. By date the condition is not worth its price where
        # nothing is below the channel: PostgreSQL would sort the channel rather than walk the dates.
        has_others = bool(self.channel["children"])
        is_own = not self.is_deep if has_others else self.key.startswith("taxis")
        own, params = (" AND c.channel_id = %s", (self.channel["id"],) * 2) if is_own else ("", (self.channel["id"],))
        where = f"{_OF_CHANNEL} AND {half}{own}{self._narrowed}"
        return Condition(
            f"SELECT {_COLUMNS} FROM contents_listedcontent c WHERE {where} ORDER BY {self._keys}{limit(reach)}", params
        )

    def _merge_channels(self, half: str, reach: int) -> Condition:
        """The first contents of each channel, merged: the taxis is counted in each channel by itself."""
        own = (
            f"c.kind = {ListKind.CHANNEL.value} AND c.owner_id = a.channel_id AND c.channel_id = a.channel_id "
            f"AND c.is_checked = TRUE AND {half}{self._narrowed}"
        )
        # The last one that can be on the page; a channel with fewer contents has none.
        last = f"(SELECT c.taxis FROM contents_listedcontent c WHERE {own} ORDER BY c.{self.key} LIMIT 1 OFFSET %s)"
        comparison = ">=" if self.key.endswith("DESC") else "<="
        end = -(2**62) if comparison == ">=" else 2**62
        sql = (
            f"SELECT {_COLUMNS} FROM channels_app_channelancestor a JOIN contents_listedcontent c ON {own} "
            f"AND c.taxis {comparison} COALESCE({last}, {end}) WHERE a.ancestor_id = %s "
            f"ORDER BY {self._keys}{limit(reach)}"
        )
        return Condition(sql, (reach - 1, self.channel["id"]))

    def _is_merged(self, reach: int) -> bool:
        if not self.is_deep or not reach or not self.key.startswith("taxis"):
            return False
        channels = 1 + sum(1 for _ in below(self.channel))
        return channels > 1 and count_below(self.channel["id"]) > channels * _WORTH_A_CHANNEL


def _pinned() -> str:
    # SQLite uses a partial index for the bare column it is declared with, and a whole one for a comparison;
    # PostgreSQL knows that they are the same, and would count them twice.
    return "c.is_top" if connection.vendor == "postgresql" else "c.is_top = TRUE AND c.is_top"


def limit(count: int, first: int = 0) -> str:
    """LIMIT and OFFSET; a count of 0 is no limit."""
    if not count and not first:
        return ""
    # SQLite wants a limit before an offset.
    return f" LIMIT {count or 2**62} OFFSET {first}"
