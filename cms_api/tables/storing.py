"""Stores the rows of a table: planned without a transaction, then stored in one that is as short as can be."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from cms_api.tables.preview import counts_of
from cms_api.tables.reading import Table
from cms_api.tables.resource import BATCH, Draft, PlannedRow, TableResource, Tell

STORING = "storing"  # what is told while rows are stored
_NAMED = 20  # rows of which a sentence tells the numbers


class NotStored(Exception):
    """Nothing is stored; `stale` are the rows that are not any more what was shown, none if rows are wrong."""

    def __init__(self, stale: frozenset[int] = frozenset()) -> None:
        super().__init__(f"{len(stale)} stale rows")
        self.stale = stale

    def __str__(self) -> str:
        """A sentence for whoever imports."""
        if not self.stale:
            return _("Nothing was stored: there are wrong rows.")
        told = ngettext(
            "Nothing was stored: somebody has changed what %(count)d row is about. Look at the preview again.",
            "Nothing was stored: somebody has changed what %(count)d rows are about. Look at the preview again.",
            len(self.stale),
        )
        return told % {"count": len(self.stale)}

    @property
    def place(self) -> str:
        """The rows, by their numbers in the spreadsheet."""
        numbers = ", ".join(map(str, sorted(self.stale)[:_NAMED])) + (", …" if len(self.stale) > _NAMED else "")
        return _("Rows %(numbers)s") % {"numbers": numbers} if self.stale else ""


class FileGone(NotStored):
    """Somebody has imported the file, or given it up."""

    def __str__(self) -> str:
        """A sentence for whoever imports."""
        return _("The file is not kept any more: it was imported or given up, or it is too old.")


def prepare(
    resource: TableResource, table: Table, matches: Sequence[str], seen: Sequence[str], leaves_out: bool, tell: Tell
) -> list[PlannedRow]:
    """The rows as they can be stored; `seen` are the digests of what was shown. Raises NotStored."""
    rows = resource.plan(table, matches, tell)
    if len(seen) != len(rows):
        raise NotStored(frozenset(row.number for row in rows))
    digests = zip(rows, seen, resource.digests(rows), strict=True)
    if stale := frozenset(row.number for row, was, now in digests if was != now):
        raise NotStored(stale)
    if counts_of(rows)["wrong"] and not leaves_out:
        raise NotStored
    resource.prepare(_drafts(rows, "new", "changed"))
    return rows


def store(resource: TableResource, rows: Sequence[PlannedRow], tell: Tell) -> None:
    """Store what was prepared, within a transaction that the caller has.

    Raises NotStored if somebody has changed something since, and a ServiceError; the caller then takes everything back.
    """
    new, changed = _drafts(rows, "new"), _drafts(rows, "changed")
    total = len(new) + len(changed)
    tell(STORING, 0, total)
    if stale := resource.hold([*new, *changed]):
        numbers = {id(row.draft): row.number for row in rows}
        raise NotStored(frozenset(numbers[id(draft)] for draft in stale))
    for done in range(0, len(changed), BATCH):
        resource.change(changed[done : done + BATCH])
        tell(STORING, min(done + BATCH, len(changed)), total)
    for done in range(0, len(new), BATCH):
        resource.create(new[done : done + BATCH])
        tell(STORING, min(len(changed) + done + BATCH, total), total)


def _drafts(rows: Sequence[PlannedRow], *kinds: str) -> list[Draft]:
    return [row.draft for row in rows if row.kind in kinds]
