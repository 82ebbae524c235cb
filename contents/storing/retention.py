"""Deletes old changes of contents, oldest first and without gaps: reading a version needs every later change."""

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import chain
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet

from contents.models import ContentChange
from core import audit

BATCH = 2000  # changes per transaction, so that other writers wait only briefly
_CONTENTS = 500  # contents per statement that looks for surplus changes
Advance = Callable[[int], object]


class OldHistory:
    """Changes before a moment, and those beyond the latest `most` per content; None: no such limit."""

    def __init__(self, before: datetime | None = None, most: int | None = None, site_id: int | None = None) -> None:
        self.before, self.most, self._site_id = before, most, site_id
        changes = ContentChange.objects.all()
        self._changes = changes if site_id is None else changes.filter(site_id=site_id)
        self._old = self._changes.none()
        if before:
            # A change younger than `before` stays, and so do all that follow it by version.
            self._old = self._changes.filter(at__lt=before).exclude(Exists(_older().filter(at__gte=before)))

    def count(self) -> int:
        """Number of changes to delete; each counts once."""
        surplus = 0
        for beyond in self._surplus():
            surplus += (beyond.filter(at__gte=self.before) if self.before else beyond).count()
        return surplus + self._old.count()

    def purge(self, advance: Advance = lambda number: None) -> int:
        """Delete them in many transactions, each with an audit entry; return their number."""
        deleted = 0
        for numbers in self._batches():
            deleted += (number := self._delete(numbers))
            advance(number)
        return deleted

    def _batches(self) -> Iterator[list[int]]:
        # Versions in order even if the clock went back, as at the end of daylight saving time.
        ready = self._old.exclude(Exists(_older().filter(at__gt=OuterRef("at")))).order_by("at", "id")
        for changes in chain([ready], self._surplus()):
            while numbers := list(changes.values_list("pk", flat=True)[:BATCH]):
                yield numbers

    def _surplus(self) -> Iterator[QuerySet[ContentChange]]:
        if self.most is None:
            return
        many = self._changes.values("content_id").annotate(number=Count("pk")).filter(number__gt=self.most)
        after = 0
        while rows := list(many.filter(content_id__gt=after).order_by("content_id")[:_CONTENTS]):
            for row in rows:
                after = row["content_id"]
                versions = ContentChange.objects.filter(content_id=after).order_by("-version")
                last = versions.values_list("version", flat=True)[self.most]
                yield self._changes.filter(content_id=after, version__lte=last).order_by("version")

    @transaction.atomic
    def _delete(self, numbers: list[int]) -> int:
        locked = ContentChange.objects.filter(pk__in=numbers).order_by("pk").select_for_update()
        present = list(locked.values_list("pk", flat=True))
        changes = ContentChange.objects.filter(pk__in=present)
        changes._raw_delete(changes.db)
        bounds: dict[str, Any] = {"before": self.before.isoformat(" ", "seconds")} if self.before else {}
        if present:
            audit.record("content.history_purged", site_id=self._site_id, changes=len(present), **bounds)
        return len(present)


def _older() -> QuerySet[ContentChange]:
    return ContentChange.objects.filter(content_id=OuterRef("content_id"), version__lt=OuterRef("version"))
