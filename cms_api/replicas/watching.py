"""How far the replicas are behind: a thread for each server asks it twice a second.

The measure needs no clocks that agree, and no writes: the primary's thread notes where the log ended at which time,
and a replica that has come to one of these positions has all that was committed before that time.
"""

import logging
import os
import threading
import time
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg import Error

from cms_api.lib.database_faults import told
from cms_api.lib.postgresql.base import DatabaseWrapper
from cms_api.replicas.servers import Replica, position, watch_settings

logger = logging.getLogger(__name__)
_PAUSE = 0.5  # seconds between two measures
_SYSTEM = "(SELECT system_identifier FROM pg_control_system())"  # the same for a primary and its standbys
_OF_PRIMARY = f"SELECT pg_current_wal_lsn()::text, {_SYSTEM} WHERE NOT pg_is_in_recovery()"
_OF_REPLICA = f"SELECT pg_last_wal_replay_lsn()::text, {_SYSTEM} WHERE pg_is_in_recovery()"


def replicas() -> list[Replica]:
    """Those of the settings, watched from the first call on."""
    return _watch().replicas


class Watch:
    """The threads of this process, and what they know in common."""

    def __init__(self) -> None:
        self.replicas = [Replica(url) for url in settings.CMS_DATABASE_REPLICA_URLS]
        self._lock = threading.Lock()
        self._times: list[float] = []  # monotonic seconds
        self._ends: list[int] = []  # where the primary's log ended at these times
        self._system = 0
        primary = connections.settings[DEFAULT_DB_ALIAS]
        self._begin(primary, _OF_PRIMARY, self._note_primary, lambda error: None)
        for replica in self.replicas:
            self._begin(replica.settings, _OF_REPLICA, self._measures(replica), replica.leave_out)
        # The thread that asks a silent server waits for its answer as others do.
        threading.Thread(target=self._end_waiting, name="replica-silence", daemon=True).start()

    def _end_waiting(self) -> None:
        while True:
            time.sleep(_PAUSE)
            for replica in self.replicas:
                try:
                    replica.end_waiting()
                except (OSError, Error) as error:  # a connection that has ended by itself at this moment
                    logger.debug("A connection to %s was not ended: %s", replica.name, told(error))

    def _begin(
        self,
        named: dict[str, Any],
        question: str,
        take: Callable[[float, int, int], None],
        fail: Callable[[Exception | str], None],
    ) -> None:
        arguments = (watch_settings(named), question, take, fail)
        # It keeps no worker from ending.
        threading.Thread(target=_ask_on, args=arguments, name="replica-watch", daemon=True).start()

    def _note_primary(self, asked_at: float, end: int, system: int) -> None:
        with self._lock:
            if self._ends and end < self._ends[-1]:  # another server has taken its place
                self._times.clear()
                self._ends.clear()
            self._system = system
            self._times.append(asked_at)
            self._ends.append(end)
            # One of before the time that counts stays, for a replica that is just as far behind.
            if (old := bisect_right(self._times, asked_at - settings.CMS_REPLICA_MAX_LAG_SECONDS) - 1) > 0:
                del self._times[:old], self._ends[:old]

    def _measures(self, replica: Replica) -> Callable[[float, int, int], None]:
        def measure(asked_at: float, replayed: int, system: int) -> None:
            with self._lock:
                if self._system and system != self._system:
                    replica.leave_out("it is no replica of the database")
                    return
                place = bisect_right(self._ends, replayed)
                complete_until = self._times[place - 1] if place else float("-inf")
            replica.measure(asked_at, replayed, complete_until)

        return measure


def _ask_on(
    named: dict[str, Any],
    question: str,
    take: Callable[[float, int, int], None],
    fail: Callable[[Exception | str], None],
) -> None:
    server = DatabaseWrapper(named, DEFAULT_DB_ALIAS)
    while True:
        server.close_if_unusable_or_obsolete()
        asked_at = time.monotonic()  # before the question: what is committed later does not count
        try:
            with server.cursor() as cursor:
                cursor.execute(question)
                row = cursor.fetchone()
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the server, the watch has to go on
            server.close()
            fail(error)
        else:
            if row is None or row[0] is None:
                fail("it is not what the settings say")
            else:
                take(asked_at, position(row[0]), row[1])
        time.sleep(_PAUSE)


_made: Watch | None = None
_making = threading.Lock()


def _watch() -> Watch:
    global _made
    with _making:  # first reads may come together
        if _made is None:
            _made = Watch()
        return _made


def forget() -> None:
    """Begin anew: threads stay behind in the process that was forked."""
    global _made, _making
    _made, _making = None, threading.Lock()


os.register_at_fork(after_in_child=forget)
