"""Divides the slots of a worker among the clients that ask for them."""

import threading
import time
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from cms_api.lib.sql_sandbox.refusals import Busy

BUSY = "Other statements are running; try again in a second."
_WAITING_SECONDS = 10  # that a client counts as waiting after it has asked: a refused one comes back


class FairShare:
    """Lets a client take at most half of the slots, one at least, while others wait."""

    def __init__(self, slots: int) -> None:
        self._half = max(1, slots // 2)
        self.forget()

    def forget(self) -> None:
        """Begin without clients, as a forked process does."""
        self._lock = threading.Lock()
        self._held: Counter[Hashable] = Counter()
        self._asked: dict[Hashable, float] = {}

    @contextmanager
    def held(self, client: Hashable) -> Iterator[None]:
        """Count a slot as the client's during the block. Raises Busy above its share."""
        with self._lock:
            if self._others_wait(client) and self._held[client] >= self._half:
                raise Busy(BUSY)
            self._held[client] += 1
        try:
            yield
        finally:
            with self._lock:
                self._held[client] -= 1
                if not self._held[client]:
                    del self._held[client]

    def _others_wait(self, client: Hashable) -> bool:
        """Whether another client has asked lately; notes that this one has."""
        now = time.monotonic()
        self._asked[client] = now
        self._asked = {one: asked for one, asked in self._asked.items() if now - asked < _WAITING_SECONDS}
        return len(self._asked) > 1
