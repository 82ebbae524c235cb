"""The end of old history: what is deleted of the changes of contents, always the oldest first.

Of a content no gap is ever left: a change goes only together with all that are older, since a version is read backwards
through every change after it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet

from cms_api import audit
from contents.models import ContentChange

BATCH = 2000  # changes of one transaction: others who write wait for a moment only
_CONTENTS = 500  # whose surplus is looked for in one statement
Advance = Callable[[int], object]


@dataclass(frozen=True)
class OldHistory:
    """Changes older than a moment, and those beyond the latest `most` of a content; None: no such bound."""

    before: datetime | None = None
    most: int | None = None
    site_id: int | None = None

    def count(self) -> int:
        """How many changes there are to delete; those that both bounds concern count once."""
        surplus = 0
        for content_id, last in self._surplus():
            beyond = self._changes.filter(content_id=content_id, version__lte=last)
            surplus += (beyond.filter(at__gte=self.before) if self.before else beyond).count()
        return surplus + (self._old.count() if self.before else 0)

    def purge(self, advance: Advance = lambda number: None) -> int:
        """Delete them in many transactions, each with an entry of the audit, and return how many there were."""
        deleted = 0
        for numbers in self._batches():
            deleted += (number := self._delete(numbers))
            advance(number)
        return deleted

    def _batches(self) -> Iterator[list[int]]:
        if self.before:
            # Never before what is older by version: the clock of a zone goes back once a year.
            ready = self._old.exclude(Exists(_older().filter(at__gt=OuterRef("at")))).order_by("at", "id")
            while numbers := list(ready.values_list("pk", flat=True)[:BATCH]):
                yield numbers
        for content_id, last in self._surplus():
            beyond = self._changes.filter(content_id=content_id, version__lte=last).order_by("version")
            while numbers := list(beyond.values_list("pk", flat=True)[:BATCH]):
                yield numbers

    @property
    def _changes(self) -> QuerySet[ContentChange]:
        changes = ContentChange.objects.all()
        return changes if self.site_id is None else changes.filter(site_id=self.site_id)

    @property
    def _old(self) -> QuerySet[ContentChange]:
        # What is older by version but younger by time stays, and so does what came after it.
        return self._changes.filter(at__lt=self.before).exclude(Exists(_older().filter(at__gte=self.before)))

    def _surplus(self) -> Iterator[tuple[int, int]]:
        """Contents with too many changes, each with the version of the last one that goes."""
        if self.most is None:
            return
        many = self._changes.values("content_id").annotate(number=Count("pk")).filter(number__gt=self.most)
        after = 0
        while rows := list(many.filter(content_id__gt=after).order_by("content_id")[:_CONTENTS]):
            for row in rows:
                after = row["content_id"]
                versions = ContentChange.objects.filter(content_id=after).order_by("-version")
                yield after, versions.values_list("version", flat=True)[self.most]

    @transaction.atomic
    def _delete(self, numbers: list[int]) -> int:
        locked = ContentChange.objects.filter(pk__in=numbers).order_by("pk").select_for_update()
        present = list(locked.values_list("pk", flat=True))
        changes = ContentChange.objects.filter(pk__in=present)
        changes._raw_delete(changes.db)
        bounds: dict[str, Any] = {"before": self.before.isoformat(" ", "seconds")} if self.before else {}
        if present:
            audit.note("content.history_purged", site_id=self.site_id, changes=len(present), **bounds)
        return len(present)


def _older() -> QuerySet[ContentChange]:
    """Changes of the same content that come before it by version."""
    return ContentChange.objects.filter(content_id=OuterRef("content_id"), version__lt=OuterRef("version"))
