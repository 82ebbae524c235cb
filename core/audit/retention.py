from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from core.audit.entries import record
from core.audit.models import AuditEntry, AuditRetention

BATCH = 5000  # entries per transaction, so that other writers wait only briefly


def count_before(moment: datetime) -> int:
    return AuditEntry.objects.filter(at__lt=moment).count()


def purge(before: datetime, progress: Callable[[int], object] = lambda deleted: None) -> int:
    """Delete older entries and return their number; each batch is a transaction that notes itself."""
    deleted = 0
    while True:
        with transaction.atomic():
            oldest = AuditEntry.objects.filter(at__lt=before).order_by("at", "id").values_list("pk", flat=True)[:BATCH]
            # Locked, so that concurrent purges do not count the same entries; SQLite has one writer.
            numbers = list(oldest.select_for_update(skip_locked=True))
            if not numbers:
                return deleted
            permit = AuditRetention.objects.create(before=before)
            AuditEntry.objects.filter(pk__in=numbers).delete()
            permit.delete()
            record("audit.purged", entries=len(numbers), before=before.isoformat(" ", "seconds"))
        deleted += len(numbers)
        progress(len(numbers))
