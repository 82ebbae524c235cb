"""The end of old entries: the one way in which an entry of the audit is deleted."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from cms_api.audit.entries import note
from cms_api.audit.models import AuditEntry, AuditRetention

BATCH = 5000  # entries of one transaction: others who write wait for a moment only


def count_before(moment: datetime) -> int:
    """How many entries are older."""
    return AuditEntry.objects.filter(at__lt=moment).count()


def purge(before: datetime, progress: Callable[[int], object] = lambda deleted: None) -> int:
    """Delete the entries that are older, and return how many there were; a purge that finds some is noted itself.

    Each batch is a transaction with an entry of its own, so that an interruption leaves what was done, and noted.
    """
    deleted = 0
    while batch := _purge_batch(before):
        deleted += batch
        progress(batch)
    return deleted


@transaction.atomic
def _purge_batch(before: datetime) -> int:
    oldest = AuditEntry.objects.filter(at__lt=before).order_by("at", "id").values_list("pk", flat=True)[:BATCH]
    # Locked, so that two purges at once do not count the same entries; on SQLite there is one writer.
    numbers = list(oldest.select_for_update(skip_locked=True))
    if not numbers:
        return 0
    permit = AuditRetention.objects.create(before=before)
    AuditEntry.objects.filter(pk__in=numbers).delete()
    permit.delete()
    note("audit.purged", entries=len(numbers), before=before.isoformat(" ", "seconds"))
    return len(numbers)
