"""Which thread of a worker runs its event loop (the leader/followers pattern).

Handing each request from the main thread to another and back costs a quarter of a short request: the threads take the
interpreter's lock from each other at every system call. So a thread of the pool leads: it runs the loop and carries out
requests itself. If one takes longer than _PATIENCE, for example because it waits for the database, the main thread
takes over the loop and hands requests to several threads for a while.
"""

import threading
import time
from collections.abc import Callable

_PATIENCE = 0.01  # seconds that a request may occupy the leader
# Seconds that the main thread leads after a request that took longer: twice as many each time that one follows soon.
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.02, 0.32
_SOON = 10  # in pauses
_CALM = 0.1  # seconds without a request until the main thread stops watching


class Leadership:
    """The main thread leads first; `begin`, `resume` and `hand_back` are for leaders of the pool, the rest for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._term = 0  # of the present leader, or the last one of the pool
        self._busy_since = 0.0  # when the leader of the pool began a request (monotonic); 0: it runs the loop
        self._active_at = self._paused_until = 0.0
        self._pause = _SHORTEST_PAUSE
        self._began = threading.Event()
        self._was_handed_back = threading.Event()
        self.is_main = True
        self.error: BaseException | None = None  # that made the leader of the pool hand back the loop
        self.is_wanted = False  # the leader of the pool is to hand back the loop

    def may_be_given(self) -> bool:
        return not self.is_wanted and time.monotonic() > self._paused_until

    def give(self) -> int:
        """Make a thread of the pool, about to carry out a request, the leader; return its term."""
        self._term += 1
        self.is_main = False
        self.begin()
        return self._term

    def begin(self) -> None:
        """Record that the leader starts a request."""
        self._busy_since = time.monotonic()
        if not self._began.is_set():
            self._began.set()

    def resume(self, term: int) -> bool:
        """Record that the request has ended; return False if the main thread has taken over."""
        with self._lock:
            if self.is_main or self._term != term:
                return False
            self._active_at, self._busy_since = self._busy_since, 0.0
            return True

    def hand_back(self, error: BaseException | None = None) -> None:
        self.error, self.is_main = error, True
        self._was_handed_back.set()
        self._began.set()

    def watch(self, seconds: float) -> None:
        """Take over from a leader whose request takes too long; return after `seconds` at the latest."""
        end = time.monotonic() + seconds
        if not self._busy_since:
            self._began.wait(seconds)
        while not self.is_main and (now := time.monotonic()) < end:
            if self._busy_since:
                self._take_over(now - _PATIENCE)
            elif now - self._active_at > _CALM:
                self._began.clear()
                if not self._busy_since and not self.is_main:
                    return
            if not self.is_main:
                time.sleep(_PATIENCE / 2)

    def regain(self, wake: Callable[[], None]) -> None:
        """Lead from now on; `wake` makes the leader look at `is_wanted`."""
        self.is_wanted = True
        while not self.is_main:
            self._take_over(time.monotonic())
            if not self.is_main:
                wake()
                self._was_handed_back.wait(_PATIENCE)

    def _take_over(self, begun_before: float) -> None:
        with self._lock:
            if not self.is_main and 0 < self._busy_since < begun_before:
                self.is_main, self._busy_since = True, 0.0
                now = time.monotonic()
                is_soon = now < self._paused_until + _SOON * self._pause
                self._pause = min(2 * self._pause, _LONGEST_PAUSE) if is_soon else _SHORTEST_PAUSE
                self._paused_until = now + self._pause
