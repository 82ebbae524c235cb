import fcntl
import hashlib
import logging
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from core.operation import nodes, time_zone
from core.operation.models import Node, RestartRequest
from core.operation.periodic_tasks import PeriodicTasks
from core.operation.start import Start

_log = logging.getLogger(__name__)
_PAUSE = 0.5  # seconds between two looks
_PAUSE_WHILE_GATHERING = 0.2
_PAUSE_AFTER_ERROR = 3.0
# Orders in quick succession are merged: wait at most this long for the last one.
_GATHERING = 2.0


def begin(worker: Any, start: Start) -> "Watch":
    nodes.watched.set()
    watch = Watch(worker, start)
    watch.start()
    return watch


class Watch(threading.Thread):
    def __init__(self, worker: Any, start: Start) -> None:
        super().__init__(name="restart-watch", daemon=True)  # does not keep its worker alive
        self._worker, self._start_record = worker, start
        self._node: Node | None = None
        self._beaten_at = 0.0
        self._gathered = (0, 0.0)  # number of an order, and when the first pending one was seen
        self._failed = False
        self._tasks = PeriodicTasks()

    def run(self) -> None:
        lock = None
        try:
            while self._worker.alive:
                pause = _PAUSE
                if lock is None:
                    lock = self._take_lock()
                    if lock is not None:
                        self._tasks.start()
                if lock is not None:
                    try:
                        pause = self._look()
                        self._failed = False
                    except Exception as error:  # noqa: BLE001 - the watch must survive any database error
                        self._log_failure(error)
                        connection.close()
                        pause = _PAUSE_AFTER_ERROR
                time.sleep(pause)
        finally:
            self._tasks.end()
            if lock is not None:
                os.close(lock)  # before the connection, which may take a while to close
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
                self._log_failure(error)
            return None
        return file

    def _log_failure(self, error: Exception) -> None:
        if not self._failed:
            _log.warning("Restarts are not possible at the moment: %s.", type(error).__name__)
        self._failed = True

    def _look(self) -> float:
        """Look once; return the seconds until the next look."""
        node = self._beating_node()
        if nodes.is_exchanging(node):
            node.refresh_from_db()  # the restart may have failed
            return _PAUSE
        order = nodes.last_order()
        if order.number <= node.answered or not nodes.may_restart(node):
            return _PAUSE
        if not self._has_gathered(order):
            return _PAUSE_WHILE_GATHERING
        self._restart(node, order)
        return _PAUSE

    def _beating_node(self) -> Node:
        """Return this node's row, recording a heartbeat every few seconds."""
        if self._node is not None and time.monotonic() - self._beaten_at < nodes.HEARTBEAT_SECONDS:
            return self._node
        if self._node is not None and not nodes.beat(self._node):
            _log.warning("The row of this server was removed, or another server has the name %r.", self._node.name)
            self._node = None
        if self._node is None:
            if problem := time_zone.problem():  # the database did not respond when the server started
                _log.critical("This server ends. %s", problem)
                os.kill(self._worker.ppid, signal.SIGTERM)
                raise InterruptedError
            self._node = nodes.record_start(self._start_record)
        self._beaten_at = time.monotonic()
        return self._node

    def _has_gathered(self, order: RestartRequest) -> bool:
        number, since = self._gathered
        if number == order.number:
            return True
        if number <= (self._node.answered if self._node else 0):
            since = time.monotonic()
        self._gathered = (order.number, since)
        return time.monotonic() - since > _GATHERING

    def _restart(self, node: Node, order: RestartRequest) -> None:
        """Record the restart and signal the master in one transaction.

        A failure in between leaves the order open, to be repeated; a signal sent after the commit could be lost, and
        the order with it.
        """
        with transaction.atomic():
            nodes.record_restart(node, order)
            if not self._worker.alive or os.getppid() != self._worker.ppid:
                raise InterruptedError("The worker or its master is about to end.")
            _log.info("Restarting, as requested by %s.", order.asked_by or "an unknown user")
            os.kill(self._worker.ppid, signal.SIGHUP)
