"""Ids of migrated contents: the source's where they are free."""

from collections.abc import Iterable, Iterator

from django.db import connection
from django.db.models import F, Max, QuerySet

from contents.models import Content
from core.archive import database
from migration.models import MigratedRecord
from transfer.whole_site.tables import CONTENT

# Ids that the source may still give to its contents until the switch.
_HEADROOM = 100_000


class ContentIds:
    """Assigns ids. Each table of the source counts from 1, so all but the largest get new ids above every old one."""

    def __init__(self, highest_of_source: int, *, is_dry_run: bool) -> None:
        highest = Content.objects.aggregate(highest=Max("pk"))["highest"] or 0
        self._last = max(highest, highest_of_source + _HEADROOM, database.last_number(connection, CONTENT.table))
        self._unstored: set[int] | None = set() if is_dry_run else None
        if not is_dry_run:  # PostgreSQL does not roll ids back
            self.go_on()  # contents that others create during the migration

    def assign(self, ids: Iterable[int]) -> dict[int, int]:
        """Return the id here for each id of a table; contents must be stored before the next call, but in a dry run."""
        wanted = list(ids)
        taken = set(Content.objects.filter(pk__in=wanted).values_list("pk", flat=True))
        if self._unstored is not None:
            taken |= self._unstored & set(wanted)
            self._unstored |= set(wanted)
        assigned = {}
        for pk in wanted:
            if pk in taken:
                self._last += 1
            assigned[pk] = self._last if pk in taken else pk
        return assigned

    def go_on(self) -> None:
        """Let new contents continue after the highest id."""
        database.go_on_after(connection, CONTENT.table, self._last)


def told_new_ids() -> str:
    """Return how many contents that the source has got new ids, as sentences."""
    number, changed = _present().count(), _renumbered().count()
    if not changed:
        return f"All {number} contents keep their ids."
    return (
        f"{changed} of {number} contents ({100 * changed / number:.0f} %) get new ids, because others have theirs. The "
        "API goes on accepting the former ids; its responses have the new ones."
    )


def new_ids() -> Iterator[tuple[str, int | None, int, int]]:
    """Yield table, channel, former and new id of the contents that got new ids."""
    rows = _renumbered().order_by("source_table", "source_id")
    return rows.values_list("source_table", "channel_id", "source_id", "target_id").iterator()


def _present() -> QuerySet[MigratedRecord]:
    return MigratedRecord.objects.filter(channel_id__isnull=False).exclude(digest="")


def _renumbered() -> QuerySet[MigratedRecord]:
    return _present().exclude(target_id=F("source_id"))
