from datetime import timedelta

from django.conf import settings
from django.db import transaction

from cms_api.lib import clock
from events.models import Event
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
    oldest = Event.objects.filter(position__isnull=False).order_by("position").only("position", "at")[:_BATCH]
    last = numbering.deleted_position
    # Without gaps: a long transaction may have written earlier times at later positions.
    for event in oldest:
        if event.at >= before:
            break
        last = event.position or last
    if last == numbering.deleted_position:
        return 0
    numbering.deleted_position = last
    numbering.save(update_fields=["deleted_position"])
    return Event.objects.filter(position__lte=last).delete()[0]
