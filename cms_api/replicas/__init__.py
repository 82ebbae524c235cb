"""Reads of the API from replicas of the database, so that each client still reads what it wrote itself.

`read` lends the thread a connection to a replica in place of its own, under the same alias: the ORM and SQL by hand go
there alike. Who may be lent is decided for each request by what two parties say:

- `watching`: a thread for each server knows how far replicas are behind the primary (`CMS_REPLICA_MAX_LAG_SECONDS`).
- `marks`: Redis knows for each key up to where in the primary's log it has written lately.

Whatever is in doubt is read from the primary: no key, no Redis, a replica that fails in the middle.
"""

import random
from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.db import Error, connection

from cms_api.lib.database_faults import Fault, fault_of
from cms_api.replicas import marks, watching
from cms_api.replicas.servers import UNKNOWN, Replica, position

ARE_SET = bool(settings.CMS_DATABASE_REPLICA_URLS)
Answer = TypeVar("Answer")


def read(act: Callable[[], Answer], key_id: int) -> Answer:
    """What the act answers, which must be safe to repeat: where a replica fails it is done once more on the primary."""
    replica = _choose(key_id)
    if replica is None:
        return act()
    try:
        with replica.lent():
            return act()
    except Error as error:  # not the refusal of a list that takes too long, which would take as long once more
        fault = fault_of(error)
        if fault is None:
            raise
        if fault is Fault.UNAVAILABLE:
            replica.leave_out(error)
    return act()


def note_write(key_id: int) -> None:
    """Have every node read what the key has written: from the primary, until a replica has all that is in it now."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_current_wal_insert_lsn()::text")
            written = position(cursor.fetchone()[0])
    except Error:
        written = UNKNOWN
    marks.put(key_id, written)


def _choose(key_id: int) -> Replica | None:
    fit = [replica for replica in watching.replicas() if replica.is_fit]
    if not fit:
        return None
    try:
        written = marks.get(key_id)
    except marks.NoAnswer:
        return None
    fit = [replica for replica in fit if replica.replayed >= written]
    return random.choice(fit) if fit else None  # noqa: S311 - any of them will do
