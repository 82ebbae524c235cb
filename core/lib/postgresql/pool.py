import select
from typing import Any

import psycopg
import psycopg_pool

WAIT_SECONDS = 5.0  # that a request waits for a free connection


def is_alive(connection: "psycopg.Connection[Any]") -> bool:
    """Return whether nothing is waiting to be read: a lost server has closed its end or left a message."""
    if connection.closed:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN | select.POLLHUP | select.POLLERR)
    return not poll.poll(0)


class Pool(psycopg_pool.ConnectionPool[Any]):
    """Hands out live connections only, and opens new ones in the thread that needs them, which learns the cause."""

    # The library's own threads retry with growing pauses, up to a minute after the server is back.

    def __init__(self, size: int, **options: Any) -> None:
        super().__init__(
            # Open none in advance, and drop connections that the library's threads cannot reopen.
            min_size=0,
            max_size=size,
            timeout=WAIT_SECONDS,
            reconnect_timeout=0,
            open=False,
            **options,
        )

    def getconn(self, timeout: float | None = None) -> Any:
        """Return a connection. Raises OperationalError if none can be opened or becomes free in time."""
        self._check_open_getconn()
        with self._lock:
            self._drop_dead()
            has_room = not self._pool and self._nconns < self._max_size
            self._nconns += has_room
        if not has_room:
            return super().getconn(timeout)
        try:
            return self._connect()
        except BaseException as error:
            with self._lock:
                self._nconns -= 1
                # The longest waiter fails, too: it would have got this connection.
                while isinstance(error, Exception) and self._waiting and not self._waiting.popleft().fail(error):
                    pass
            raise

    def _get_ready_connection(self, timeout: float | None) -> Any:
        self._drop_dead()  # others may have come to the front
        return super()._get_ready_connection(timeout)

    def _drop_dead(self) -> None:
        """Close the dead connections before the first live one; the caller holds the lock."""
        while self._pool and not is_alive(self._pool[0]):
            dead: psycopg.Connection[Any] = self._pool.popleft()
            self._nconns -= 1
            self._close_connection(dead)
