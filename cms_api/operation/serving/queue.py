"""Requests that wait for a thread."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from enum import Enum, auto

from cms_api.operation.serving.arriving import Connection


class Kind(Enum):
    """What a thread has to wait for while it answers a request."""

    NOTHING = auto()
    CLIENT = auto()  # the rest of the request
    OTHER_WRITERS = auto()  # of a database that has one at a time


class Queue:
    """Gives threads to connections, first come, first served. Used by the main thread of a worker alone.

    Requests that make a thread wait, for their client or for other writers, get half of the threads at most for each
    kind, and one thread is left for other requests. They have lines of their own, in which they keep no other request
    from waiting.
    """

    def __init__(self, threads: int, longest: int) -> None:
        self.pool = ThreadPoolExecutor(threads)
        self._free, self._longest = threads, longest
        self._free_for_waiting = max(1, threads - 1)
        half = max(1, threads // 2)
        self._free_for = {Kind.NOTHING: threads, Kind.CLIENT: half, Kind.OTHER_WRITERS: half}
        self._lines: dict[Kind, deque[Connection]] = {kind: deque() for kind in Kind}

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def put(self, connection: Connection, kind: Kind, now: float) -> bool:
        """Let it wait since now; false if too many do."""
        line = self._lines[kind]
        if len(line) >= self._longest:
            return False
        connection.waits_since = now
        line.append(connection)
        return True

    def take_idle(self) -> bool:
        """A thread for whoever comes just now, until `give_back`; false unless one has nothing to do."""
        if not self._free or self:
            return False
        self._count(Kind.NOTHING, -1)
        return True

    def take(self) -> tuple[Connection, Kind] | None:
        """The next, for which there is a thread from now until `give_back`."""
        kinds = [kind for kind, line in self._lines.items() if line and self._has_thread_for(kind)]
        if not kinds:
            return None
        kind = min(kinds, key=lambda kind: self._lines[kind][0].waits_since)
        self._count(kind, -1)
        return self._lines[kind].popleft(), kind

    def give_back(self, kind: Kind) -> None:
        """A thread has done its work on a request of that kind."""
        self._count(kind, 1)

    def take_overdue(self, before: float) -> Iterator[Connection]:
        """Those that have waited since before that time, out of the queue."""
        for line in self._lines.values():
            while line and line[0].waits_since < before:
                yield line.popleft()

    def _has_thread_for(self, kind: Kind) -> bool:
        return bool(self._free and self._free_for[kind] and (kind is Kind.NOTHING or self._free_for_waiting))

    def _count(self, kind: Kind, number: int) -> None:
        self._free += number
        self._free_for[kind] += number
        if kind is not Kind.NOTHING:
            self._free_for_waiting += number
