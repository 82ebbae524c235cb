from datetime import timedelta

from django.conf import settings
from django.db import transaction

from core.lib import clock
from events.models import Event, Numbering
from events.numbering import lock_numbering

_BATCH = 5000  # events per transaction


def delete_old() -> int:
    """Delete events older than CMS_EVENT_DAYS, the first positions first; return their number."""
    deleted = 0
    while number := _delete_batch():
        deleted += number
    return deleted


@transaction.atomic
def _delete_batch() -> int:
    before = clock.now() - timedelta(days=settings.CMS_EVENT_DAYS)
    numbering = lock_numbering()
    kept = Event.objects.filter(position__isnull=False).order_by("position").only("position", "at")
    if (oldest := kept.first()) is None or oldest.at >= before:
        return 0
    last = 0
    # Without gaps: a long transaction may have written earlier times at later positions.
    for event in kept[:_BATCH]:
        if event.at >= before:
            break
        last = event.position or last
    # Cursors may have expired further than that.
    numbering.deleted_position = max(numbering.deleted_position, last)
    numbering.save(update_fields=["deleted_position"])
    return Event.objects.filter(position__lte=last).delete()[0]


def expire_cursors() -> str:
    """Expire every cursor, since changes without an event are missing after it; return a sentence if there are any."""
    if not Numbering.objects.exists():
        return ""
    numbering = lock_numbering()
    numbering.last_position += 1
    numbering.deleted_position = numbering.last_position
    numbering.save(update_fields=["last_position", "deleted_position"])
    return (
        "Triggers of events were missing or switched off, so changes may not have been recorded. All cursors of the "
        "feed of changes have expired. Programs that follow it or receive webhooks must read all records again."
    )
