"""The counts in the database: each call is one statement, so that no two processes ever count the same.

The time is the database's, which is one for all nodes. Keys come sorted, and rows are locked in that order, so that
two statements never wait for each other.
"""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import connection

from cms_api.models import SharedCount
from cms_api.shared_counts.count import Count

_TABLE = SharedCount._meta.db_table
_NOW = {
    "sqlite": "((julianday('now') - 2440587.5) * 86400.0)",
    # Not now(), which stands still for as long as a transaction lasts.
    "postgresql": "extract(epoch FROM clock_timestamp())::float8",
}
_NORMAL = 1  # SQLite's level at which a commit is written, but does not wait for the disk
_LOCK = {"sqlite": "", "postgresql": "FOR UPDATE"}  # SQLite has one writer at a time
_LOCK_FREE = {"sqlite": "", "postgresql": "FOR UPDATE SKIP LOCKED"}

# Every so many additions that begin a count, at most so many rows go that are over: more than can have come.
SWEEP_EVERY, SWEEP_ROWS = 16, 500
_begun = itertools.count()


def add(keys: Sequence[str], seconds: int) -> dict[str, Count]:
    """The counts by key, each one higher than before, or 1."""
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
        counts = {key: Count.until(number, left) for key, number, left, *_ in cursor.fetchall()}
    if any(count.number == 1 for count in counts.values()) and next(_begun) % SWEEP_EVERY == 0:
        _sweep()
    return counts


def take_back(keys: Sequence[str]) -> None:
    """One less of each, as long as it lasts."""
    now = _NOW[connection.vendor]
    chosen = f"{_chosen(keys)} AND number > 0 AND ends_at > {now}"
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {_TABLE} SET number = number - 1 WHERE {chosen}", keys)


def forget(keys: Sequence[str]) -> None:
    """Nothing is left of them."""
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {_TABLE} WHERE {_chosen(keys)}", keys)


@contextmanager
def _without_disk() -> Iterator[str]:
    """Let an addition not wait for the disk, which would hold up all others of its name.

    Yields what PostgreSQL's statement returns besides. In a transaction of others, who may write what must not be lost
    with the machine, all is as usual.
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
    vendor = connection.vendor
    over = f"SELECT key FROM {_TABLE} WHERE ends_at <= {_NOW[vendor]} ORDER BY ends_at LIMIT {SWEEP_ROWS}"
    with connection.cursor() as cursor:
        # A row that is locked is about to begin anew; the next sweep would see to it otherwise.
        cursor.execute(f"DELETE FROM {_TABLE} WHERE key IN ({over} {_LOCK_FREE[vendor]})")


def _chosen(keys: Sequence[str]) -> str:
    """The condition that picks the rows of the keys, having locked them in order."""
    places = ", ".join(["%s"] * len(keys))
    lock = _LOCK[connection.vendor]
    return f"key IN (SELECT key FROM {_TABLE} WHERE key IN ({places}) ORDER BY key {lock})"
