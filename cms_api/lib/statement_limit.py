"""Ends a statement that takes or waits too long, on either engine."""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

_STEPS = 20_000  # SQLite's virtual machine instructions between two looks at the clock, about 1 ms
# How SQLite begins to say that its clock has ended a statement, or that one of our functions has.
_ENDED = ("interrupted", "user-defined function raised exception")
_present = threading.local()  # `end`: until when a statement of this thread may run on SQLite (monotonic)


class TooSlow(Exception):
    """The statement was ended at its limit."""


@contextmanager
def statement_limit(connection: BaseDatabaseWrapper, seconds: float) -> Iterator[None]:
    """Let the statements of the block run for the given time together. Raises TooSlow."""
    limit = _postgresql if connection.vendor == "postgresql" else _sqlite
    with limit(connection, seconds):
        yield


def look_at_clock() -> None:
    """Raises TooSlow where a statement of this thread has had its time; for what takes long within a row of SQLite."""
    if time.monotonic() > getattr(_present, "end", math.inf):
        raise TooSlow


@contextmanager
def without_waiting(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Let a statement of the block fail at once where SQLite has another writer, instead of waiting for it."""
    with waiting_at_most(connection, 0):
        yield


@contextmanager
def waiting_at_most(connection: BaseDatabaseWrapper, seconds: float) -> Iterator[None]:
    """Let a statement of the block fail where another writer of SQLite takes longer, instead of its usual patience."""
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
                # Zero would be no limit. The value cannot be a bound parameter of SET; it is a number of ours.
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
