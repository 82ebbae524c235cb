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

from core.lib.database_faults import mark_doubt
from core.lib.postgresql.pool import Pool, is_alive

# Servers that did not respond to the last attempt to connect; the thread with the lock tries again.
_silent: dict[str, threading.Lock] = {}
_pools: dict[str, Pool] = {}
# Pools from before a fork: closing them in the child would end connections that the parent uses.
_left_behind: list[Pool] = []


class DatabaseWrapper(base.DatabaseWrapper):
    """Notices a lost server immediately, and lets at most one thread wait for a silent one."""

    # Django's attribute. Ours are by server, since a replica has the alias of the primary.
    _connection_pools = _pools

    @cached_property
    def wrap_database_errors(self) -> DatabaseErrorWrapper:
        return _Errors(self)

    def is_usable(self) -> bool:
        """Return whether the idle connection is alive. Django's `SELECT 1` would cost each request a round trip."""
        return self.connection is not None and is_alive(self.connection)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Raises OperationalError, immediately if another thread already waits for the silent server."""
        server = self._server
        attempt = _silent.get(server)
        if attempt is not None and not attempt.acquire(blocking=False):
            raise ConnectionTimeout("the server has not answered, and another thread is trying it")
        try:
            connection = super().get_new_connection(conn_params)
        except ConnectionTimeout:
            _silent.setdefault(server, threading.Lock())
            raise
        except PoolTimeout:  # says nothing about the server
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
        """Return the pool that the process's threads share for this server; None if each has its own connection."""
        size = self.settings_dict["OPTIONS"].get("pool", {}).get("max_size")
        if not size or self.alias == NO_DB_ALIAS:
            return None
        if self._server not in _pools:
            parameters = self.get_connection_params() | {"autocommit": True}  # Django sets it properly later
            made = Pool(size, kwargs=parameters, configure=cast(Any, self)._configure_connection)
            _pools.setdefault(self._server, made)  # another thread may have been faster; this pool is not open yet
        return _pools[self._server]

    def close_pool(self) -> None:
        if pool := _pools.pop(self._server, None):
            pool.close()

    @property
    def _server(self) -> str:
        named = self.settings_dict
        return f"{named['HOST']}:{named['PORT']}/{named['NAME']} {named['USER']}"


class _Errors(DatabaseErrorWrapper):
    """Marks errors of statements that commit: if the connection broke during one, it may have succeeded."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            return
        try:
            super().__exit__(kind, cast(Any, value), cast(Any, traceback))
        except Error as error:
            wrapper = cast(DatabaseWrapper, self.wrapper)  # type: ignore[attr-defined]
            # Django leaves the block before it commits. Without a connection nothing was sent; over an open one the
            # server has refused the statement.
            sent = wrapper.connection is not None and not wrapper.in_atomic_block
            is_unknown = getattr(value, "sqlstate", None) == "40003"  # statement_completion_unknown
            if sent and (wrapper.connection.closed or is_unknown):
                mark_doubt(error)
            raise


def _begin_anew() -> None:
    _left_behind.extend(_pools.values())
    _pools.clear()
    _silent.clear()


os.register_at_fork(after_in_child=_begin_anew)
