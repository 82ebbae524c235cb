"""Timing of each statement on Django's connections; nothing is patched until `watch` is called."""

import logging
import re
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from core.operation.logs.current import current_members
from core.operation.logs.json_lines import EXTRA

Watcher = Callable[[str, float], object]
_log = logging.getLogger(__name__)
_watchers: list[Watcher] = []
_LITERAL = re.compile(r"'(?:[^']|'')*'")
_LENGTH = 2000  # characters of a statement that the log shows
_END = object()


def watch(watcher: Watcher) -> None:
    """Call `watcher` with each statement's text (no values) and the caller's waiting seconds, fetching included."""
    if not _watchers:
        # On the class, so that it covers current and future connections of every thread.
        setattr(BaseDatabaseWrapper, "make_cursor", lambda connection, cursor: TimedCursor(cursor, connection))  # noqa: B010
        setattr(BaseDatabaseWrapper, "_commit", _timed_commit)  # noqa: B010
    if watcher not in _watchers:
        _watchers.append(watcher)


def log_slow(sql: str, seconds: float) -> None:
    """Warn of a statement that took CMS_SLOW_STATEMENT_MILLISECONDS or longer; a watcher."""
    milliseconds = seconds * 1000
    if milliseconds < settings.CMS_SLOW_STATEMENT_MILLISECONDS:
        return
    # Values are bound, but quoted literals in the text may be values, too.
    text = " ".join(_LITERAL.sub("'…'", sql).split())
    shown = text if len(text) <= _LENGTH else f"{text[:_LENGTH]} …"
    present = current_members()
    origin = (
        f"{present['method']} {present.get('route', '')} (request {present['request']})" if present else "no request"
    )
    members = {
        "message": f"A statement took {milliseconds:.0f} ms.",
        "milliseconds": round(milliseconds, 1),
        "statement": shown,
    }
    _log.warning("A statement took %.0f ms in %s: %s", milliseconds, origin, shown, extra={EXTRA: members})


class TimedCursor(CursorWrapper):
    """Django's cursor; reports a statement when its last row is fetched or the next one begins."""

    def __init__(self, cursor: Any, db: BaseDatabaseWrapper) -> None:
        super().__init__(cursor, db)
        self._sql, self._seconds = "", 0.0

    def execute(self, sql: Any, params: Any = None) -> Any:
        return self._begin(sql, super().execute, params)

    def executemany(self, sql: Any, param_list: Any) -> Any:
        return self._begin(sql, super().executemany, param_list)

    def fetchone(self) -> Any:
        return self._fetch(self.cursor.fetchone)

    def fetchmany(self, *arguments: Any, **named: Any) -> Any:
        return self._fetch(self.cursor.fetchmany, *arguments, **named)

    def fetchall(self) -> Any:
        rows = self._fetch(self.cursor.fetchall)
        self._tell()
        return rows

    def __iter__(self) -> Iterator[Any]:
        rows = iter(self.cursor)
        while (row := self._fetch(next, rows, _END)) is not _END:
            yield row
        self._tell()

    def close(self) -> Any:
        self._tell()
        return self.cursor.close()

    def _begin(self, sql: Any, execute: Callable[[Any, Any], Any], values: Any) -> Any:
        self._tell()
        self._sql = sql if isinstance(sql, str) else str(sql)
        begun, has_rows = perf_counter(), False
        try:
            result = execute(sql, values)
            has_rows = self.cursor.description is not None
        finally:
            self._seconds = perf_counter() - begun
            if not has_rows:
                self._tell()
        return result

    def _fetch(self, fetch: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        begun = perf_counter()
        try:
            with self.db.wrap_database_errors:
                return fetch(*arguments, **named)
        finally:
            self._seconds += perf_counter() - begun

    def _tell(self) -> None:
        if self._sql:
            _tell(self._sql, self._seconds)
            self._sql, self._seconds = "", 0.0


_commit: Callable[[BaseDatabaseWrapper], None] = getattr(BaseDatabaseWrapper, "_commit")  # noqa: B009


def _timed_commit(connection: BaseDatabaseWrapper) -> None:
    begun = perf_counter()
    try:
        _commit(connection)
    finally:
        _tell("COMMIT", perf_counter() - begun)


def _tell(sql: str, seconds: float) -> None:
    for watcher in _watchers:
        watcher(sql, seconds)
