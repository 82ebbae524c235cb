"""API reads from database replicas; each client still reads its own writes.

`read` lends the thread a connection to a replica under the same alias. `watching` measures each replica's lag
(CMS_REPLICA_MAX_LAG_SECONDS), `marks` holds in Redis the log position of each key's latest write. In doubt the primary
is read: without key or Redis, or if a replica fails during a request.
"""

import random
from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.db import Error, connection

from core.lib.database_faults import Fault, fault_of
from core.replicas import watching
from core.replicas.marks import NoAnswer, known_marks
from core.replicas.servers import UNKNOWN, Replica, position

ARE_SET = bool(settings.CMS_DATABASE_REPLICA_URLS)
Answer = TypeVar("Answer")


def read(act: Callable[[], Answer], key_id: int) -> Answer:
    """Call `act`, which must be repeatable, on a replica if possible; if that fails, again on the primary."""
    replica = _choose(key_id)
    if replica is None:
        return act()
    try:
        with replica.lent():
            return act()
    except Error as error:  # not the refusal of a slow list, which would take as long again
        fault = fault_of(error)
        if fault is None:
            raise
        if fault is Fault.UNAVAILABLE:
            replica.leave_out(error)
    return act()


def record_write(key_id: int) -> None:
    """Make every node read the key's writes: from the primary, until a replica has caught up."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_current_wal_insert_lsn()::text")
            written = position(cursor.fetchone()[0])
    except Error:
        written = UNKNOWN
    known_marks().put(key_id, written)


def _choose(key_id: int) -> Replica | None:
    fit = [replica for replica in watching.replicas() if replica.is_fit]
    if not fit:
        return None
    try:
        written = known_marks().get(key_id)
    except NoAnswer:
        return None
    fit = [replica for replica in fit if replica.replayed >= written]
    return random.choice(fit) if fit else None  # noqa: S311 - any of them will do
