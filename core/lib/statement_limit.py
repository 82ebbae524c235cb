import math
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from django.db import OperationalError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

_STEPS = 20_000  # SQLite's virtual machine instructions between two looks at the clock, about 1 ms
# SQLite's message if its progress handler, or one of our functions, ended a statement.
_ENDED = ("interrupted", "user-defined function raised exception")
_present = threading.local()  # `end`: deadline of this thread's statements on SQLite (monotonic)


class TooSlow(Exception):
    """The statement was ended at its limit."""


def statement_limit(connection: BaseDatabaseWrapper, seconds: float) -> AbstractContextManager[None]:
    """Limit the total time of the block's statements. Raises TooSlow."""
    return (_postgresql if connection.vendor == "postgresql" else _sqlite)(connection, seconds)


def look_at_clock() -> None:
    """Raise TooSlow after the deadline of this thread's statement; for long work within one row of SQLite."""
    if time.monotonic() > getattr(_present, "end", math.inf):
        raise TooSlow


def without_waiting(connection: BaseDatabaseWrapper) -> AbstractContextManager[None]:
    return waiting_at_most(connection, 0)


@contextmanager
def waiting_at_most(connection: BaseDatabaseWrapper, seconds: float) -> Iterator[None]:
    """Make a statement of the block fail if another writer of SQLite takes longer than this."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    handle = connection.connection
    (milliseconds,) = handle.execute("PRAGMA busy_timeout").fetchone()
    handle.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
    try:
        yield
    finally:
        handle.execute(f"PRAGMA busy_timeout = {int(milliseconds)}")


@contextmanager
def _postgresql(connection: BaseDatabaseWrapper, seconds: float) -> Iterator[None]:
    try:
        with transaction.atomic(using=connection.alias):
            with connection.cursor() as cursor:
                # Zero would be no limit. SET takes no bound parameter; the value is a number of ours.
                cursor.execute(f"SET LOCAL statement_timeout = {max(1, int(seconds * 1000))}")
            yield
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) != "57014":  # query_canceled
            raise
        raise TooSlow from error


@contextmanager
def _sqlite(connection: BaseDatabaseWrapper, seconds: float) -> Iterator[None]:
    connection.ensure_connection()
    handle, end = connection.connection, time.monotonic() + seconds
    handle.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    _present.end = end
    try:
        yield
    except OperationalError as error:
        if not str(error).startswith(_ENDED) or time.monotonic() <= end:
            raise
        raise TooSlow from error
    finally:
        _present.end = math.inf
        handle.set_progress_handler(None, 0)
