"""Counts in the database, one atomic statement per call, by the database's clock; sorted keys prevent deadlocks."""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import connection

from core.models import SharedCounter

_TABLE = SharedCounter._meta.db_table
_NOW = {
    "sqlite": "((julianday('now') - 2440587.5) * 86400.0)",
    # Not now(), which is fixed during a transaction.
    "postgresql": "extract(epoch FROM clock_timestamp())::float8",
}
_NORMAL = 1  # SQLite's `synchronous` level without waiting for the disk

# Every SWEEP_EVERY-th new count deletes up to SWEEP_ROWS expired rows, more than can have been added.
SWEEP_EVERY, SWEEP_ROWS = 16, 500
_begun = itertools.count()


def add(keys: Sequence[str], seconds: int) -> dict[str, tuple[int, float]]:
    """Return the incremented counts by key, with the seconds until they expire."""
    now = _NOW[connection.vendor]
    rows = ", ".join([f"(%s, 1, {now} + %s)"] * len(keys))
    is_over = f"{_TABLE}.ends_at <= {now}"
    statement = (
        f"INSERT INTO {_TABLE} (key, number, ends_at) VALUES {rows} ON CONFLICT (key) DO UPDATE SET"
        f" number = CASE WHEN {is_over} THEN 1 ELSE {_TABLE}.number + 1 END,"
        f" ends_at = CASE WHEN {is_over} THEN excluded.ends_at ELSE {_TABLE}.ends_at END"
        f" RETURNING key, number, ends_at - {now}"
    )
    with _without_disk() as returned, connection.cursor() as cursor:
        cursor.execute(statement + returned, [value for key in keys for value in (key, seconds)])
        counts = {key: (number, left) for key, number, left, *_ in cursor.fetchall()}
    if any(number == 1 for number, _ in counts.values()) and next(_begun) % SWEEP_EVERY == 0:
        _sweep()
    return counts


def take_back(keys: Sequence[str]) -> None:
    is_counted = f"number > 0 AND ends_at > {_NOW[connection.vendor]}"
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {_TABLE} SET number = number - 1 WHERE {_chosen(keys)} AND {is_counted}", keys)


def forget(keys: Sequence[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {_TABLE} WHERE {_chosen(keys)}", keys)


@contextmanager
def _without_disk() -> Iterator[str]:
    """Commit additions without waiting for the disk, which would block others of the same name; not inside a
    transaction.

    Yields an expression for PostgreSQL's RETURNING clause.
    """
    if connection.in_atomic_block:
        yield ""
    elif connection.vendor == "postgresql":
        yield ", set_config('synchronous_commit', 'off', true)"
    else:
        connection.ensure_connection()
        handle = connection.connection
        (level,) = handle.execute("PRAGMA synchronous").fetchone()
        handle.execute(f"PRAGMA synchronous = {min(level, _NORMAL)}")
        try:
            yield ""
        finally:
            handle.execute(f"PRAGMA synchronous = {level}")


def _sweep() -> None:
    over = f"SELECT key FROM {_TABLE} WHERE ends_at <= {_NOW[connection.vendor]} ORDER BY ends_at LIMIT {SWEEP_ROWS}"
    # A locked row is about to be reused; the next sweep handles it otherwise.
    lock = "FOR UPDATE SKIP LOCKED" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {_TABLE} WHERE key IN ({over} {lock})")


def _chosen(keys: Sequence[str]) -> str:
    """Return the condition for the rows of the keys, locking them in order."""
    places = ", ".join(["%s"] * len(keys))
    lock = "FOR UPDATE" if connection.vendor == "postgresql" else ""  # SQLite has one writer at a time
    return f"key IN (SELECT key FROM {_TABLE} WHERE key IN ({places}) ORDER BY key {lock})"
