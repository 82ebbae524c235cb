"""Ids of migrated contents: those of the source where they are free."""

from collections.abc import Iterable

from django.db import connection
from django.db.models import Max

from cms_api.archive import database
from contents.models import Content
from transfer.whole_site.tables import CONTENT


class ContentIds:
    """Assigns ids. Each table of the source counts from 1, so all but the largest get new ids above every old one."""

    def __init__(self, highest_of_source: int) -> None:
        highest = Content.objects.aggregate(highest=Max("pk"))["highest"] or 0
        self._last = max(highest, highest_of_source, database.last_number(connection, CONTENT.table))
        self.go_on()  # contents that others create during the migration

    def assign(self, ids: Iterable[int]) -> dict[int, int]:
        """Return the id here for each id of a table; they must be stored before the next call."""
        wanted = list(ids)
        taken = set(Content.objects.filter(pk__in=wanted).values_list("pk", flat=True))
        assigned = {}
        for pk in wanted:
            if pk in taken:
                self._last += 1
            assigned[pk] = self._last if pk in taken else pk
        return assigned

    def go_on(self) -> None:
        """Let new contents continue after the highest id."""
        database.go_on_after(connection, CONTENT.table, self._last)
