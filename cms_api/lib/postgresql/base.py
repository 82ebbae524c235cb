"""Django's PostgreSQL backend for a server that may go away and come back."""

import os
import threading
from types import TracebackType
from typing import Any, cast

from django.db import Error
from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from django.db.utils import DatabaseErrorWrapper
from django.utils.functional import cached_property
from psycopg.errors import ConnectionTimeout
from psycopg_pool import PoolTimeout

from cms_api.lib.database_faults import mark_doubt
from cms_api.lib.postgresql.alive import is_alive
from cms_api.lib.postgresql.pool import Pool

_UNKNOWN = "40003"  # statement_completion_unknown
# Servers that did not answer when last connected to; who holds the lock tries again.
_silent: dict[str, threading.Lock] = {}
_pools: dict[str, Pool] = {}
# Those of the process before a fork: closing them there would end connections that the other process uses.
_left_behind: list[Pool] = []


class DatabaseWrapper(base.DatabaseWrapper):
    """Notices at once that a server has gone, and lets no more than one thread wait for one that is silent."""

    # Where Django keeps them; ours are by server, since a replica has the alias of the primary.
    _connection_pools = _pools

    @cached_property
    def wrap_database_errors(self) -> DatabaseErrorWrapper:
        """Django's, which also notes where nobody knows what was stored."""
        return _Errors(self)

    def is_usable(self) -> bool:
        """Whether the idle connection is there. Django asks `SELECT 1`, which costs each request a round trip."""
        return self.connection is not None and is_alive(self.connection)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection. Raises OperationalError, at once where another thread waits for the silent server."""
        server = self._server
        attempt = _silent.get(server)
        if attempt is not None and not attempt.acquire(blocking=False):
            raise ConnectionTimeout("the server has not answered, and another thread is trying it")
        try:
            connection = super().get_new_connection(conn_params)
        except ConnectionTimeout:
            _silent.setdefault(server, threading.Lock())
            raise
        except PoolTimeout:  # says nothing of the server
            raise
        except Exception:
            _silent.pop(server, None)
            raise
        else:
            _silent.pop(server, None)
            return connection
        finally:
            if attempt is not None:
                attempt.release()

    @property
    def pool(self) -> Pool | None:
        """The pool of connections to this server that the threads of the process share; None where each keeps one."""
        size = self.settings_dict["OPTIONS"].get("pool", {}).get("max_size")
        if not size or self.alias == NO_DB_ALIAS:
            return None
        if self._server not in _pools:
            parameters = self.get_connection_params() | {"autocommit": True}  # Django sets it properly later on
            made = Pool(size, kwargs=parameters, configure=cast(Any, self)._configure_connection)
            _pools.setdefault(self._server, made)  # another thread may have been quicker; this one is not open yet
        return _pools[self._server]

    def close_pool(self) -> None:
        """Close the connections of the pool that are not in use."""
        if pool := _pools.pop(self._server, None):
            pool.close()

    @property
    def _server(self) -> str:
        named = self.settings_dict
        return f"{named['HOST']}:{named['PORT']}/{named['NAME']} {named['USER']}"


class _Errors(DatabaseErrorWrapper):
    """Marks errors of statements that commit, or are the commit: lost in their middle, they may have come through."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            return
        try:
            super().__exit__(kind, cast(Any, value), cast(Any, traceback))
        except Error as error:
            wrapper = cast(DatabaseWrapper, self.wrapper)  # type: ignore[attr-defined]
            # Django leaves the block before it commits. Without a connection nothing has been sent, and over one that
            # is still open the server has answered that it refused the statement.
            sent = wrapper.connection is not None and not wrapper.in_atomic_block
            if sent and (wrapper.connection.closed or getattr(value, "sqlstate", None) == _UNKNOWN):
                mark_doubt(error)
            raise


def _begin_anew() -> None:
    _left_behind.extend(_pools.values())
    _pools.clear()
    _silent.clear()


os.register_at_fork(after_in_child=_begin_anew)
