import threading
from collections.abc import Callable
from time import monotonic

_WARNING_PAUSE = 60.0  # seconds between two warnings of a process


class CircuitBreaker:
    """Pauses calls to a failing service, then lets one thread at a time try. Calls `warn` once a minute at most."""

    def __init__(self, seconds: float, warn: Callable[[Exception], None]) -> None:
        self._seconds, self._warn = seconds, warn
        self._lock = threading.Lock()
        self._asked_again_at: float | None = None  # monotonic seconds; None: the service responds
        self._warned_at = -_WARNING_PAUSE

    def may_be_asked(self) -> bool:
        """Return whether the caller may try; it must report the outcome."""
        with self._lock:
            if self._asked_again_at is None:
                return True
            if (now := monotonic()) < self._asked_again_at:
                return False
            # Other threads need not wait for this caller's outcome.
            self._asked_again_at = now + self._seconds
            return True

    def record_success(self) -> None:
        self._asked_again_at = None

    def record_failure(self, error: Exception) -> None:
        with self._lock:
            now = monotonic()
            self._asked_again_at = now + self._seconds
            is_due = now - self._warned_at >= _WARNING_PAUSE
            if is_due:
                self._warned_at = now
        if is_due:
            self._warn(error)
