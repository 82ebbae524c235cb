import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from core.lib.errors import LimitReached

T = TypeVar("T")
# Requests then get nine tenths of a contended processor. The thread may wait for it while holding the GIL, but for far
# less than a millisecond at a time, since hashing and image work release the GIL; a tenth suffices, the lowest priority
# would not.
_NICENESS = 10


class BoundedExecutor:
    """One low-priority thread per process; `places` limits the work running or queued.

    Work must not use the database: the thread's connection would never be closed. `afterwards` is called after each
    piece.
    """

    def __init__(self, name: str, *, places: int, afterwards: Callable[[], object] = lambda: None) -> None:
        self._name, self._places, self._afterwards = name, places, afterwards
        self._begin()
        # A forked process lacks the thread, and places taken at the fork would never be released.
        os.register_at_fork(after_in_child=self._begin)

    def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return the result of the work or raise its error. Raises `LimitReached` if all places are taken."""
        self._take_place()
        try:
            future = self._thread.submit(self._work, self._free, work, arguments)
        except BaseException:
            self._free.release()
            raise
        try:
            return future.result()
        finally:
            # Breaks a reference cycle: the error refers to this frame, and the future to the error.
            del future

    def raise_if_full(self) -> None:
        """Raises `LimitReached` as `run` would, before expensive preparation."""
        self._take_place()
        self._free.release()

    def _work(self, free: threading.BoundedSemaphore, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        # Frees the place before the result is visible, even if the caller no longer waits.
        try:
            return work(*arguments)
        finally:
            self._afterwards()
            free.release()

    def _take_place(self) -> None:
        if not self._free.acquire(blocking=False):
            message = "The service is busy with other work of this kind; send the request again in a second."
            raise LimitReached("busy", message, wait=1)

    def _begin(self) -> None:
        self._free = threading.BoundedSemaphore(self._places)
        self._thread = ThreadPoolExecutor(1, f"lane {self._name}", _lower_priority)


def _lower_priority() -> None:
    if sys.platform == "linux":  # elsewhere a thread id may be the id of some process
        with suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))
