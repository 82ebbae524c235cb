"""Keeps from asking again and again what does not answer."""

import threading
from collections.abc import Callable
from time import monotonic

_WARNING_PAUSE = 60.0  # seconds between two warnings of a process


class CircuitBreaker:
    """Leaves alone for a while what has failed; then one thread at a time tries it, until it has answered.

    So a dead server costs one request its patience now and then, and not each of them. `warn` is called with an error
    now and then.
    """

    def __init__(self, seconds: float, warn: Callable[[Exception], None]) -> None:
        self._seconds, self._warn = seconds, warn
        self._lock = threading.Lock()
        self._asked_again_at: float | None = None  # monotonic seconds; None: it answers
        self._warned_at = -_WARNING_PAUSE

    def may_be_asked(self) -> bool:
        """Whether the caller may try. It has to note what came of it."""
        with self._lock:
            if self._asked_again_at is None:
                return True
            if (now := monotonic()) < self._asked_again_at:
                return False
            # Others need not wait for what this caller will find.
            self._asked_again_at = now + self._seconds
            return True

    def note_answer(self) -> None:
        self._asked_again_at = None

    def note_failure(self, error: Exception) -> None:
        with self._lock:
            now = monotonic()
            self._asked_again_at = now + self._seconds
            is_due = now - self._warned_at >= _WARNING_PAUSE
            if is_due:
                self._warned_at = now
        if is_due:
            self._warn(error)
