"""Numbers committed events, so that readers who follow the positions miss none.

Ids are given when a row is written, so a smaller one may be committed later. A position is given after the commit,
under a lock: events become visible in the order of their positions.
"""

import time

from django.db import connection, transaction

from events.models import Event, Numbering

_BATCH = 10_000  # events per transaction
_NUMBER = """
UPDATE events_event SET position = %s + fresh.place
FROM (
    SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS place
    FROM (SELECT id FROM events_event WHERE position IS NULL ORDER BY id LIMIT %s) AS oldest
) AS fresh
WHERE events_event.id = fresh.id
"""


def number_new() -> int:
    """Give positions to committed events without one, in the order of their ids; return their number."""
    numbered = 0
    while _are_new():
        numbered += (number := _number_batch())
        if not number:
            break
    return numbered


def _are_new() -> bool:
    # In the order of the partial index, so that every plan uses it, whatever the statistics say of `position`.
    return Event.objects.filter(position=None).order_by("subject_id").values_list("pk").first() is not None


@transaction.atomic
def _number_batch() -> int:
    numbering = lock_numbering()
    # A statement of its own, which sees all that was committed before the lock was given.
    with connection.cursor() as cursor:
        cursor.execute(_NUMBER, [numbering.last_position, _BATCH])
        number: int = cursor.rowcount
    if number:
        numbering.last_position += number
        numbering.save(update_fields=["last_position"])
    return number


def lock_numbering() -> Numbering:
    """Return the only row, locked until the transaction ends."""
    if (numbering := Numbering.objects.select_for_update().first()) is not None:
        return numbering
    # Positions begin with the time: after a restore they are beyond all that clients have read before.
    start = int(time.time() * 1_000_000)
    Numbering.objects.bulk_create([Numbering(pk=1, last_position=start, deleted_position=start)], ignore_conflicts=True)
    return Numbering.objects.select_for_update().get()
