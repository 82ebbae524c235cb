"""psycopg's pool, for requests that would rather fail at once than wait for a server that has gone."""

from typing import Any

import psycopg
import psycopg_pool

from cms_api.lib.postgresql.alive import is_alive

WAIT_SECONDS = 5.0  # that a request waits for one of the connections to be free


class Pool(psycopg_pool.ConnectionPool[Any]):
    """Hands out living connections only, and makes new ones in the thread that needs them.

    The library makes them in threads of its own, which try again after ever longer pauses: requests would learn
    nothing of why there is none, and would go on waiting for up to a minute after the server is back.
    """

    def __init__(self, size: int, **options: Any) -> None:
        super().__init__(
            # None is made beforehand, and what the threads of the library could not make again is given up.
            min_size=0,
            max_size=size,
            timeout=WAIT_SECONDS,
            reconnect_timeout=0,
            open=False,
            **options,
        )

    def getconn(self, timeout: float | None = None) -> Any:
        """A connection. Raises OperationalError when none can be made, or none becomes free in time."""
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
                self._tell_next(error)
            raise

    def _tell_next(self, error: BaseException) -> None:
        """Let who has waited longest fail, too, who would have had the connection next; the lock is held."""
        if isinstance(error, Exception):
            while self._waiting and not self._waiting.popleft().fail(error):
                pass

    def _get_ready_connection(self, timeout: float | None) -> Any:
        self._drop_dead()  # others may have come to the front meanwhile
        return super()._get_ready_connection(timeout)

    def _drop_dead(self) -> None:
        """Close the dead connections in front of the first living one; the lock is held."""
        while self._pool and not is_alive(self._pool[0]):
            dead: psycopg.Connection[Any] = self._pool.popleft()
            self._nconns -= 1
            self._close_connection(dead)
