"""Numbers committed events, so that readers who follow the positions miss none.

Ids are assigned when a row is written, so a smaller one may be committed later. A position is assigned after the
commit, under a lock: events become visible in the order of their positions.

The cost depends on the new events, not on all stored ones. Where dead entries of an index are not vacuumed, a
search from its beginning reads all of them; so it begins behind `Numbering.numbered_id`.
"""

import time

from django.db import connection, transaction

from events.models import Numbering

_BATCH = 10_000  # events per transaction
# SQLite would read the rows after the id instead, which are many until the first call after an upgrade.
_NEW = """
SELECT id FROM events_event /*index*/ WHERE position IS NULL
AND id > COALESCE((SELECT numbered_id FROM events_numbering), 0) ORDER BY id LIMIT 1
"""
_ON_SQLITE = """
UPDATE events_event SET position = %s + fresh.place
FROM (
    SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS place
    FROM (
        SELECT id FROM events_event INDEXED BY event_new WHERE position IS NULL AND id > %s ORDER BY id LIMIT %s
    ) AS oldest
) AS fresh
WHERE events_event.id = fresh.id
RETURNING events_event.id
"""
# The planner knows nothing of the new rows. It expects few elements of an array, and looks each of them up by its id.
_ON_POSTGRESQL = """
WITH numbered AS (
    UPDATE events_event SET position = %s + fresh.place
    FROM unnest(ARRAY(
        SELECT id FROM events_event WHERE position IS NULL AND id > %s ORDER BY id LIMIT %s
    )) WITH ORDINALITY AS fresh (id, place)
    WHERE events_event.id = fresh.id
    RETURNING events_event.id
)
SELECT COUNT(*), MAX(id), txid_snapshot_xmin(txid_current_snapshot()), txid_current()
FROM numbered
"""


def number_new() -> int:
    """Give positions to committed events without one, in the order of their ids; return their number."""
    numbered = 0
    while _are_new():
        numbered += (number := _number_batch())
        # Later events wait for the next call, so that a busy service is not numbering all the time.
        if number < _BATCH:
            break
    return numbered


def _are_new() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_NEW.replace("/*index*/", "INDEXED BY event_new" if connection.vendor == "sqlite" else ""))
        return cursor.fetchone() is not None


@transaction.atomic
def _number_batch() -> int:
    numbering = lock_numbering()
    number = (_number_on_postgresql if connection.vendor == "postgresql" else _number_on_sqlite)(numbering)
    if number:
        numbering.last_position += number
        numbering.save()
    return number


def _number_on_sqlite(numbering: Numbering) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_ON_SQLITE, [numbering.last_position, numbering.numbered_id, _BATCH])
        ids = [number for (number,) in cursor.fetchall()]
    # One writer at a time commits in the order of the ids.
    numbering.numbered_id = max(ids, default=numbering.numbered_id)
    return len(ids)


def _number_on_postgresql(numbering: Numbering) -> int:
    # A separate statement, which sees everything committed before the lock was granted.
    with connection.cursor() as cursor:
        cursor.execute(_ON_POSTGRESQL, [numbering.last_position, numbering.numbered_id, _BATCH])
        number, last_id, oldest_running, this_transaction = cursor.fetchone()
    next_id, after = numbering.next_numbered_id, numbering.next_after_transaction
    if next_id is not None and after is None:
        # All events up to that id were written before, by transactions with smaller numbers. The end of a snapshot
        # would not do: transactions that run may have larger numbers.
        after = this_transaction
    has_all = number < _BATCH or last_id >= (next_id or 0)  # of the new events up to that id
    if next_id is not None and after is not None and has_all and oldest_running >= after:
        # All that could write a smaller id have ended, and this statement has numbered their events.
        numbering.numbered_id, next_id, after = next_id, None, None
    # A number later than any of this server: the database was moved to another one.
    if number and (next_id is None or (after or 0) > this_transaction):
        next_id, after = last_id, None
    numbering.next_numbered_id, numbering.next_after_transaction = next_id, after
    return int(number)


def lock_numbering() -> Numbering:
    """Return the only row, locked until the transaction ends."""
    if (numbering := Numbering.objects.select_for_update().first()) is not None:
        return numbering
    # Positions begin with the time: after a restore they are beyond all that clients have read before.
    start = int(time.time() * 1_000_000)
    Numbering.objects.bulk_create([Numbering(pk=1, last_position=start, deleted_position=start)], ignore_conflicts=True)
    return Numbering.objects.select_for_update().get()
