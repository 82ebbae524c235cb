"""Ids for stl lists out of the table of lists: ranges of its indexes, whatever the number of contents.

Pinned contents come first, so each of the two halves is read by itself, and of neither more than is needed.
"""

from dataclasses import dataclass

from django.db import connection

from channels_app.tree import Record
from contents.models import ListKind
from contents.rules.conditions import Condition

_COLUMNS = "c.content_id, c.is_top, c.taxis, c.add_date"
_OF_CHANNEL = f"c.kind = {ListKind.CHANNEL.value} AND c.owner_id = %s"


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
        halves = [self._read_half(half, reach) for half in (_holds("c.is_top"), "c.is_top = FALSE")]
        both = " UNION ALL ".join(f"SELECT * FROM ({half.sql}) half" for half in halves)
        sql = f"SELECT c.content_id FROM ({both}) c ORDER BY c.is_top DESC, {self._keys}{limit(count, first)}"
        return Condition(sql, halves[0].params + halves[1].params)

    @property
    def _keys(self) -> str:
        return f"c.{self.key}, c.content_id DESC"

    def _read_half(self, half: str, reach: int) -> Condition:
        # What a channel without others below it lists is its own.
        is_own = not self.is_deep and bool(self.channel["children"])
        own, params = (" AND c.channel_id = %s", (self.channel["id"],) * 2) if is_own else ("", (self.channel["id"],))
        narrowed = "".join(f" AND {'' if wanted else 'NOT '}c.{column}" for column, wanted in self.flags.items())
        where = f"{_OF_CHANNEL} AND {_holds('c.is_checked')} AND {half}{own}{narrowed}"
        sql = f"SELECT {_COLUMNS} FROM contents_listedcontent c WHERE {where} ORDER BY {self._keys}{limit(reach)}"
        return Condition(sql, params)


def _holds(flag: str) -> str:
    # SQLite uses a partial index for the bare column that it is declared with, and a whole one for a comparison.
    # PostgreSQL knows that they are the same, and would count their effect twice.
    return flag if connection.vendor == "postgresql" else f"{flag} AND {flag} = TRUE"


def limit(count: int, first: int = 0) -> str:
    """LIMIT and OFFSET; a count of 0 is no limit."""
    if not count and not first:
        return ""
    # SQLite wants a limit before an offset.
    return f" LIMIT {count or 2**62} OFFSET {first}"
