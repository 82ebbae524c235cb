"""Calls the functions that apps list as PERIODIC_TASKS periodically, in one worker of each server.

Several servers call a function at the same time, and a killed one stops in the middle; so it must claim its work.
"""

import logging
import threading

from django.db import connection
from django.utils.module_loading import import_string

from core.lib import schema
from core.lib.registrations import PERIODIC_TASKS, PeriodicTask

_log = logging.getLogger(__name__)
_PAUSE_AFTER_ERROR = 3.0  # seconds, at least
_RARE = 5.0  # seconds between two calls from which on the database connection is closed in between


class PeriodicTasks:
    """A thread for each task, so that a slow one delays no other."""

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._threads = [
            # Daemons do not keep their worker alive.
            threading.Thread(target=self._repeat, args=(name, task), name=f"task-{name}", daemon=True)
            for name, task in PERIODIC_TASKS.entries.items()
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Begin no further call; a current one continues."""
        self._ended.set()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _repeat(self, name: str, task: PeriodicTask) -> None:
        call, has_failed = import_string(task.function), False
        while not self._ended.is_set():
            pause = task.seconds
            try:
                schema.raise_if_incomplete()
                call()
                has_failed = False
            except Exception as error:  # noqa: BLE001 - the next call may succeed after any error
                if not has_failed:  # one line until it succeeds again
                    _log.warning("The task %s failed and is tried again: %s.", name, type(error).__name__)
                    _log.debug("The task %s failed.", name, exc_info=True)
                has_failed, pause = True, max(task.seconds, _PAUSE_AFTER_ERROR)
            if has_failed or task.seconds >= _RARE or getattr(connection, "pool", None):  # requests share a pool
                connection.close()
            self._ended.wait(pause)
        connection.close()
