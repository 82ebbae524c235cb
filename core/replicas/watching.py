"""Measures the replicas' lag twice a second, with a thread per server.

Needs no synchronised clocks: a replica that has reached a log position has all that the primary had committed when it
was there.
"""

import logging
import os
import threading
import time
from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg import Error

from core.lib.database_faults import told
from core.lib.postgresql.base import DatabaseWrapper
from core.replicas.servers import Replica, position, watch_settings

logger = logging.getLogger(__name__)
_PAUSE = 0.5  # seconds between two measurements
_SYSTEM = "(SELECT system_identifier FROM pg_control_system())"  # the same for a primary and its standbys
_OF_PRIMARY = f"SELECT pg_current_wal_lsn()::text, {_SYSTEM} WHERE NOT pg_is_in_recovery()"
_OF_REPLICA = f"SELECT pg_last_wal_replay_lsn()::text, {_SYSTEM} WHERE pg_is_in_recovery()"


class Watch:
    def __init__(self) -> None:
        self.replicas = [Replica(url) for url in settings.CMS_DATABASE_REPLICA_URLS]
        self._lock = threading.Lock()
        self._times: list[float] = []  # monotonic seconds
        self._ends: list[int] = []  # the primary's log positions at these times
        self._system = 0
        primary = connections.settings[DEFAULT_DB_ALIAS]
        servers: list[tuple[Any, ...]] = [(primary, _OF_PRIMARY, self._note_primary, lambda error: None)]
        servers += [
            (each.settings, _OF_REPLICA, partial(self._measure, each), each.leave_out) for each in self.replicas
        ]
        for arguments in servers:
            # A daemon does not keep its worker alive.
            threading.Thread(target=_ask_on, args=arguments, name="replica-watch", daemon=True).start()
        # A separate thread, since the one that queries a silent server blocks.
        threading.Thread(target=self._end_waiting, name="replica-silence", daemon=True).start()

    def _end_waiting(self) -> None:
        while True:
            time.sleep(_PAUSE)
            for replica in self.replicas:
                try:
                    replica.end_waiting()
                except (OSError, Error) as error:  # a connection that is just closing
                    logger.debug("A connection to %s was not ended: %s", replica.name, told(error))

    def _note_primary(self, asked_at: float, end: int, system: int) -> None:
        with self._lock:
            if self._ends and end < self._ends[-1]:  # failover to another server
                self._times.clear()
                self._ends.clear()
            self._system = system
            self._times.append(asked_at)
            self._ends.append(end)
            # Keep one older position, for a replica that lags exactly that far.
            if (old := bisect_right(self._times, asked_at - settings.CMS_REPLICA_MAX_LAG_SECONDS) - 1) > 0:
                del self._times[:old], self._ends[:old]

    def _measure(self, replica: Replica, asked_at: float, replayed: int, system: int) -> None:
        with self._lock:
            if self._system and system != self._system:
                replica.leave_out("it is not a replica of the database")
                return
            place = bisect_right(self._ends, replayed)
            complete_until = self._times[place - 1] if place else float("-inf")
        replica.measure(asked_at, replayed, complete_until)


def _ask_on(
    named: dict[str, Any],
    question: str,
    take: Callable[[float, int, int], None],
    fail: Callable[[Exception | str], None],
) -> None:
    server = DatabaseWrapper(watch_settings(named), DEFAULT_DB_ALIAS)
    while True:
        server.close_if_unusable_or_obsolete()
        asked_at = time.monotonic()  # before the query, so that later commits do not count
        try:
            with server.cursor() as cursor:
                cursor.execute(question)
                row = cursor.fetchone()
        except Exception as error:  # noqa: BLE001 - the watch must survive any error of the server
            server.close()
            fail(error)
        else:
            if row is None:
                fail("it is no longer a standby")
            elif row[0] is None:
                fail("it has received nothing from the primary yet")
            else:
                take(asked_at, position(row[0]), row[1])
        time.sleep(_PAUSE)


_made: Watch | None = None
_making = threading.Lock()


def replicas() -> list[Replica]:
    global _made
    with _making:  # first reads may be concurrent
        if _made is None:
            _made = Watch()
        return _made.replicas


def forget() -> None:
    """Start over in a forked process, which has no threads."""
    global _made, _making
    _made, _making = None, threading.Lock()


os.register_at_fork(after_in_child=forget)
