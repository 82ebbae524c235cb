"""Work that takes the processor for long, kept from holding up everything else."""

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from cms_api.lib.errors import LimitReached

T = TypeVar("T")
# Of a processor that both want, a request then gets nine parts of ten. The thread may have to wait for the processor
# while it holds Python's lock, and requests would wait with it. That is bearable: it holds the lock for far less than
# a millisecond at a time, since hashing and pictures are worked on without it, and a tenth of a processor is enough
# to let go of it soon. At the lowest priority it would not be.
_NICENESS = 10


class Lane:
    """One thread per process for one kind of work, which yields the processor to requests.

    `places` is how many pieces of work may be under way or waiting; the next one is refused. The work must not use
    the database, since nobody would close the connection of the lane's thread. `afterwards` is called after each piece.
    """

    def __init__(self, name: str, *, places: int, afterwards: Callable[[], object] = lambda: None) -> None:
        self._name, self._places, self._afterwards = name, places, afterwards
        self._begin()
        # The thread of the former process is not there in a forked one, and its places may be taken for ever.
        os.register_at_fork(after_in_child=self._begin)

    def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """The result of the work, or what it raises. Raises LimitReached when every place is taken."""
        self._take_place()
        try:
            future = self._thread.submit(self._work, self._free, work, arguments)
        except BaseException:
            self._free.release()
            raise
        try:
            return future.result()
        finally:
            # What the work raised refers to this frame, and the future to what the work raised.
            del future

    def refuse_when_full(self) -> None:
        """Raises LimitReached as `run` would, before the caller spends time on what leads to it."""
        self._take_place()
        self._free.release()

    def _work(self, free: threading.BoundedSemaphore, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        # The place is free before anybody learns of the result, and also when nobody waits for it any more.
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
        # It starts its thread with the first piece of work.
        self._thread = ThreadPoolExecutor(1, f"lane {self._name}", _lower_priority)


def _lower_priority() -> None:
    if sys.platform == "linux":  # elsewhere the number of a thread may be that of some process
        with suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))
