import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from typing import Any

import environ
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

from core.lib.database_faults import told
from core.lib.postgresql.base import DatabaseWrapper

FRESH_SECONDS = 3.0  # that a measurement counts
# Short: the primary can respond instead of a slow replica.
_QUICK = {
    "connect_timeout": 2,  # seconds
    "keepalives_idle": 1,  # seconds
    "keepalives_interval": 1,  # seconds
    "keepalives_count": 3,
    "tcp_user_timeout": 3_000,  # milliseconds
}
# Protects a replica that was promoted from accidental writes.
_READ_ONLY = "-c default_transaction_read_only=on"
UNKNOWN = 2**64 - 1  # a log position beyond every other
logger = logging.getLogger(__name__)


def position(text: str) -> int:
    """Convert a log position such as `16/B374D848` to a number."""
    high, _, low = text.partition("/")
    return int(high, 16) << 32 | int(low, 16)


class Replica:
    def __init__(self, url: str) -> None:
        self.settings = _settings(url)
        self.name = f"{self.settings['HOST']}:{self.settings['PORT'] or 5432}"
        self.replayed = 0  # log position that it has replayed
        self._lag = float("inf")  # seconds, at the last measurement
        self._measured_at = self._failed_at = float("-inf")  # monotonic seconds
        self.reason: str | None = "it has not been checked yet"  # why it is not used
        self._is_told = False  # the reason, in the log
        self._own = threading.local()
        self._lending = threading.Lock()
        self._lent: set[DatabaseWrapper] = set()  # connections in use by threads

    @property
    def is_fit(self) -> bool:
        return (
            self._lag <= settings.CMS_REPLICA_MAX_LAG_SECONDS
            and self._measured_at > self._failed_at
            and time.monotonic() - self._measured_at < FRESH_SECONDS
        )

    @property
    def lag(self) -> float | None:
        """Seconds at the last measurement; None if there is none that counts."""
        is_fresh = time.monotonic() - self._measured_at < FRESH_SECONDS
        return self._lag if is_fresh and isfinite(self._lag) else None

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Use the replica as the thread's default connection within the block."""
        replica = getattr(self._own, "connection", None)
        if replica is None:
            replica = self._own.connection = DatabaseWrapper(self.settings, DEFAULT_DB_ALIAS)
        replica.close_if_unusable_or_obsolete()  # as Django does at the start of a request
        own = connections[DEFAULT_DB_ALIAS]
        connections[DEFAULT_DB_ALIAS] = replica
        with self._lending:
            self._lent.add(replica)
        try:
            yield
        finally:
            with self._lending:
                self._lent.remove(replica)
            connections[DEFAULT_DB_ALIAS] = own
            if replica.errors_occurred or replica.pool:
                replica.close()

    def measure(self, asked_at: float, replayed: int, complete_until: float) -> None:
        """Record the position at `asked_at` and the time until which it is complete; both in monotonic seconds."""
        self.replayed, self._lag, self._measured_at = replayed, asked_at - complete_until, asked_at
        reason = f"it is {self._lag:.1f} seconds behind"
        if self._lag == float("inf"):
            reason = "its lag is too large to measure"
        self._tell(None if self._lag <= settings.CMS_REPLICA_MAX_LAG_SECONDS else reason)

    def leave_out(self, error: Exception | str) -> None:
        self._failed_at = time.monotonic()
        self._tell(error if isinstance(error, str) else told(error), is_failure=True)

    def end_waiting(self) -> None:
        """Abort reads that wait for a silent replica: a hanging host closes no connection."""
        if time.monotonic() - self._measured_at < FRESH_SECONDS:
            return
        with self._lending:  # lent connections stay open under the lock
            waiting = [connection for lent in self._lent if (connection := lent.connection) and not connection.closed]
            for connection in waiting:
                with socket.socket(fileno=os.dup(connection.fileno())) as end:
                    end.shutdown(socket.SHUT_RDWR)
        if waiting:
            self.leave_out("it does not respond")

    def _tell(self, reason: str | None, *, is_failure: bool = False) -> None:
        if reason is None:
            if self.reason is not None:
                logger.info("The replica %s is in use.", self.name)
            self._is_told = False
        elif not self._is_told and (is_failure or self.reason is None):  # the lag is unknown at first
            logger.warning("The replica %s is not used: %s", self.name, reason)
            self._is_told = True
        self.reason = reason


def watch_settings(named: dict[str, Any]) -> dict[str, Any]:
    options = {name: value for name, value in named["OPTIONS"].items() if name != "pool"} | _QUICK
    return named | {"OPTIONS": options, "CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}


def _settings(url: str) -> dict[str, Any]:
    primary: dict[str, Any] = connections.settings[DEFAULT_DB_ALIAS]
    named = environ.Env.db_url_config(url)
    options = primary["OPTIONS"] | _QUICK | named.pop("OPTIONS", {})
    options["options"] = f"{options.get('options', '')} {_READ_ONLY}".strip()
    del named["ENGINE"]
    replica: dict[str, Any] = primary | named | {"OPTIONS": options}
    return replica
