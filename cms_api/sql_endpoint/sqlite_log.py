"""Pauses clients' statements until SQLite's write-ahead log is emptied, once it is large."""
# SQLite restarts the log only while there are no readers, which may never happen. All processes see the same file.

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from sql_sandbox.refusals import Busy

LARGE = 16 * 1024 * 1024  # bytes; SQLite itself tries at 4 MB
_RESUMED_SECONDS = 30  # that statements continue although a reader of another kind holds the log


class LogPause:
    def __init__(self, pause_seconds: float) -> None:
        self._pause_seconds = pause_seconds
        self._paused_at: float | None = None
        self._resumed_until = 0.0

    def check(self, path: str) -> None:
        """Empty the log if it is large. Raise Busy while statements still read it."""
        now = time.monotonic()
        if now < self._resumed_until:
            return
        if _size(path) <= LARGE or _empty(path):
            self._paused_at = None
            return
        if self._paused_at is None:
            self._paused_at = now
        if now - self._paused_at < self._pause_seconds:
            raise Busy("The database is writing back its log; try again in a second.")
        self._paused_at, self._resumed_until = None, now + _RESUMED_SECONDS


def _size(path: str) -> int:
    try:
        return Path(f"{path}-wal").stat().st_size
    except OSError:
        return 0


def _empty(path: str) -> bool:
    try:
        with closing(sqlite3.connect(path, timeout=0)) as connection:
            (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error:
        return False
    return not is_busy
