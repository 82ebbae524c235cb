"""Requests that wait for a thread."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from cms_api.serving.arriving import Connection


class Queue:
    """Gives threads to connections, first come, first served. Used by the main thread of a worker alone.

    Requests that are not there as a whole make a thread wait for their clients. So they get half of the threads at
    most, and stand in a line of their own, in which they keep no other request from waiting.
    """

    def __init__(self, threads: int, longest: int) -> None:
        self.pool = ThreadPoolExecutor(threads)
        self._free, self._longest = threads, longest
        self._free_for_unfinished = max(1, threads // 2)
        self._whole: deque[Connection] = deque()
        self._unfinished: deque[Connection] = deque()

    def __len__(self) -> int:
        return len(self._whole) + len(self._unfinished)

    def put(self, connection: Connection, now: float) -> bool:
        """Let it wait since now; false if too many do."""
        line = self._whole if connection.is_whole else self._unfinished
        if len(line) >= self._longest:
            return False
        connection.waits_since = now
        line.append(connection)
        return True

    def take_idle(self) -> bool:
        """A thread for whoever comes just now, until `give_back`; false unless one has nothing to do."""
        if not self._free or self:
            return False
        self._free -= 1
        return True

    def take(self) -> Connection | None:
        """The next, for which there is a thread from now until `give_back`."""
        if not self._free:
            return None
        line, other = self._whole, self._unfinished
        if other and self._free_for_unfinished and (not line or other[0].waits_since < line[0].waits_since):
            line = other
        if not line:
            return None
        self._free -= 1
        self._free_for_unfinished -= line is self._unfinished
        return line.popleft()

    def give_back(self, *, unfinished: bool) -> None:
        """A thread has done its work, on a request that was not there as a whole or on another."""
        self._free += 1
        self._free_for_unfinished += unfinished

    def take_overdue(self, before: float) -> Iterator[Connection]:
        """Those that have waited since before that time, out of the queue."""
        for line in (self._whole, self._unfinished):
            while line and line[0].waits_since < before:
                yield line.popleft()
