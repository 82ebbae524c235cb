from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from enum import Enum, auto

from server.serving.arriving import Connection

# Requests in the second queue delay no others, and many clients do not repeat a write: they may wait this many times as
# long.
_PATIENCE = 5


class QueueKind(Enum):
    NOTHING = auto()
    CLIENT = auto()  # the rest of the request
    OTHER_WRITERS = auto()  # of a database with one writer at a time


class Queue:
    """Hands connections to threads, first come, first served; for the leader only.

    Requests that may make a thread wait (for client or other writers) queue apart and get half of the threads per kind;
    one thread stays free of them.
    """

    def __init__(self, threads: int, longest: int) -> None:
        self.pool = ThreadPoolExecutor(threads)
        self._free, self._longest = threads, longest
        self._free_for_waiting = max(1, threads - 1)
        half = max(1, threads // 2)
        self._free_for = {QueueKind.NOTHING: threads, QueueKind.CLIENT: half, QueueKind.OTHER_WRITERS: half}
        self._lines: dict[QueueKind, deque[Connection]] = {kind: deque() for kind in QueueKind}

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def put(self, connection: Connection, kind: QueueKind, now: float) -> bool:
        line = self._lines[kind]
        if len(line) >= self._longest:
            return False
        connection.waits_since = now
        line.append(connection)
        return True

    def take_idle(self) -> bool:
        """Take a thread for a new connection, until `give_back`; false unless one is idle."""
        if not self._free or self:
            return False
        self._count(QueueKind.NOTHING, -1)
        return True

    def take(self) -> tuple[Connection, QueueKind] | None:
        """Return the next connection and take a thread for it, until `give_back`."""
        kinds = [
            kind
            for kind, line in self._lines.items()
            if line and self._free_for[kind] and (kind is QueueKind.NOTHING or self._free_for_waiting)
        ]
        if not self._free or not kinds:
            return None
        kind = min(kinds, key=lambda kind: self._lines[kind][0].waits_since)
        self._count(kind, -1)
        return self._lines[kind].popleft(), kind

    def give_back(self, kind: QueueKind) -> None:
        self._count(kind, 1)

    def take_overdue(self, now: float, seconds: int) -> Iterator[Connection]:
        for kind, line in self._lines.items():
            before = now - seconds * (1 if kind is QueueKind.NOTHING else _PATIENCE)
            while line and line[0].waits_since < before:
                yield line.popleft()

    def _count(self, kind: QueueKind, number: int) -> None:
        self._free += number
        self._free_for[kind] += number
        if kind is not QueueKind.NOTHING:
            self._free_for_waiting += number
