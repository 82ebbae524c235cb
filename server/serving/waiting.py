"""Connections whose requests their views returned (core.rest.waiting), until they are checked again."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from django.db import connections

from server.serving.arriving import Connection

MAX_WAITING = 250  # connections per worker; further ones get an immediate response
_PAUSE = 0.25  # seconds between two calls of a probe
_REST, _LONGEST_REST = 0.5, 2.0  # seconds added to the pause with each unsuccessful look
logger = logging.getLogger(__name__)
Probe = Callable[[], int]


class GivenBack(Exception):
    """The request is to be looked at again; nothing was sent."""


class Again:
    """A parser whose next request is one that was parsed before."""

    def __init__(self, parser: Any, request: Any) -> None:
        self.parser, self._request = parser, request

    def __next__(self) -> Any:
        return self._request

    def __getattr__(self, name: str) -> Any:
        return getattr(self.parser, name)


class WaitingRoom:
    """Waiting connections, for the leader only; a thread of its own calls their probes while there are any."""

    def __init__(self, defer: Callable[..., None]) -> None:
        self._defer = defer  # hands a call to the leader
        self._connections: dict[Connection, None] = {}
        self._thread: threading.Thread | None = None

    def __len__(self) -> int:
        return len(self._connections)

    def __contains__(self, conn: Connection) -> bool:
        return conn in self._connections

    def enter(self, conn: Connection) -> None:
        conn.is_awake = False
        conn.rests_until = time.monotonic() + min(_LONGEST_REST, conn.looks * _REST)
        conn.looks += 1
        self._connections[conn] = None
        self._begin()

    def leave(self, conn: Connection) -> None:
        del self._connections[conn]

    def due(self, now: float, *, every: bool) -> list[Connection]:
        """Return the connections to look at again."""
        return [
            conn
            for conn in self._connections
            if every or conn.waiting.deadline <= now or (conn.is_awake and conn.rests_until <= now)
        ]

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._call_probes, daemon=True, name="waiting")
            self._thread.start()

    def _call_probes(self) -> None:
        while present := list(self._connections):
            for probe in {conn.waiting.probe for conn in present if conn.waiting.probe is not None}:
                try:
                    self._defer(self._wake, probe, probe())
                except Exception as error:  # noqa: BLE001 - a request reports it when it is looked at again
                    logger.warning("Waiting requests cannot look for news: %s", type(error).__name__)
                    connections.close_all()
            time.sleep(_PAUSE)
        connections.close_all()
        self._defer(self._end)

    def _wake(self, probe: Probe, value: int) -> None:
        for conn in self._connections:
            if conn.waiting.probe is probe and conn.waiting.seen < value:
                conn.is_awake = True

    def _end(self) -> None:
        self._thread = None
        if self._connections:  # some came while the thread was ending
            self._begin()
