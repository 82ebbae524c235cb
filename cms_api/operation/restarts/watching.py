"""The thread in each worker of which one, by a lock, carries out for its node the restarts that are asked for."""

import fcntl
import hashlib
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from cms_api.operation.models import Node, RestartOrder
from cms_api.operation.restarts import nodes
from cms_api.operation.restarts.start import Start

_log = logging.getLogger(__name__)
_PAUSE = 0.5  # seconds between two looks
_PAUSE_WHILE_GATHERING = 0.2
_PAUSE_AFTER_ERROR = 3.0
_BESIDES_SECONDS = 10.0  # between two times of what the watch does besides
# Orders that come in quick succession are one: so long the watch waits at most for the last of them.
_GATHERING = 2.0
_running: "Watch | None" = None
_besides: list[Callable[[], object]] = []


def begin(worker: Any, start: Start) -> None:
    global _running
    _running = Watch(worker, start)
    _running.start()


def do_besides(act: Callable[[], object]) -> None:
    """Have the one worker of a node that watches do this, too, every few seconds; for `AppConfig.ready` to call."""
    _besides.append(act)


def is_running() -> bool:
    """Whether this process is a worker whose node can restart."""
    return _running is not None and _running.is_alive()


class Watch(threading.Thread):
    """Looks for orders while its worker serves and no other worker of the node does so."""

    def __init__(self, worker: Any, start: Start) -> None:
        super().__init__(name="restart-watch", daemon=True)  # it keeps no worker from ending
        self._worker, self._start_record = worker, start
        self._node: Node | None = None
        self._beaten_at = 0.0
        self._gathered = (0, 0.0)  # number of an order, and when the first unanswered one was seen
        self._failed = False
        self._besides_at = 0.0

    def run(self) -> None:
        """Watch until the worker is told to finish."""
        lock = None
        try:
            while self._worker.alive:
                if lock is None:
                    lock = self._take_lock()
                if lock is not None:
                    self._do_besides()
                time.sleep(self._try_to_look() if lock is not None else _PAUSE)
        finally:
            if lock is not None:
                os.close(lock)  # before the connection, whose end may take a while
            connection.close()

    def _take_lock(self) -> int | None:
        name = hashlib.sha256(self._start_record.name.encode()).hexdigest()[:16]
        file = None
        try:
            file = os.open(Path(settings.DATA_DIR) / f"node-{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if file is not None:
                os.close(file)
            if not isinstance(error, BlockingIOError):
                self._tell_failure(error)
            return None
        return file

    def _try_to_look(self) -> float:
        """Look once; the seconds until the next time."""
        try:
            pause = self._look()
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the database, the watch has to go on
            self._tell_failure(error)
            connection.close()
            return _PAUSE_AFTER_ERROR
        self._failed = False
        return pause

    def _do_besides(self) -> None:
        if time.monotonic() < self._besides_at:
            return
        self._besides_at = time.monotonic() + _BESIDES_SECONDS
        for act in _besides:
            try:
                act()
            except Exception as error:  # noqa: BLE001 - whatever is wrong with it, restarts have to be carried out
                _log.warning("%s failed: %s.", act.__name__, type(error).__name__)
                connection.close()

    def _tell_failure(self, error: Exception) -> None:
        if not self._failed:
            _log.warning("Restarts cannot be carried out at present: %s.", type(error).__name__)
        self._failed = True

    def _look(self) -> float:
        node = self._beating_node()
        if nodes.is_exchanging(node):
            node.refresh_from_db()  # it may not have come about
            return _PAUSE
        order = nodes.last_order()
        if order.number <= node.answered or not nodes.may_restart(node):
            return _PAUSE
        if not self._has_gathered(order):
            return _PAUSE_WHILE_GATHERING
        self._restart(node, order)
        return _PAUSE

    def _beating_node(self) -> Node:
        """The row of this node, which tells every few seconds that it lives."""
        if self._node is not None and time.monotonic() - self._beaten_at < nodes.HEARTBEAT_SECONDS:
            return self._node
        if self._node is not None and not nodes.beat(self._node):
            _log.warning("The row of this server was removed, or another server has the name %r.", self._node.name)
            self._node = None
        if self._node is None:
            self._node = nodes.record_start(self._start_record)
        self._beaten_at = time.monotonic()
        return self._node

    def _has_gathered(self, order: RestartOrder) -> bool:
        number, since = self._gathered
        if number == order.number:
            return True
        if number <= (self._node.answered if self._node else 0):
            since = time.monotonic()
        self._gathered = (order.number, since)
        return time.monotonic() - since > _GATHERING

    def _restart(self, node: Node, order: RestartOrder) -> None:
        """Note the restart and signal the master: the one cannot be stored without the other having been sent.

        What ends this process or the database in between leaves the order open, to be carried out once more. A signal
        sent after the note is stored could be lost instead, and the order with it.
        """
        with transaction.atomic():
            nodes.record_restart(node, order)
            if not self._worker.alive or os.getppid() != self._worker.ppid:
                raise InterruptedError("The worker or its master is about to end.")
            _log.info("Restarting, as asked for by %s.", order.asked_by or "somebody")
            os.kill(self._worker.ppid, signal.SIGHUP)
