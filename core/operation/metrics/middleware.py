"""Request metrics; django-prometheus is five times slower, merges unnamed routes (all of ours) and knows no keys."""

import logging
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

from django.http import HttpRequest, HttpResponse

from core.operation.logs.current import method_of, route_of
from core.operation.logs.statements import watch
from core.operation.metrics import figures

_log = logging.getLogger(__name__)
_MANY_KEYS = 500  # key names per process; further ones are counted together
_MANY_GRANTS = 10_000
_OTHERS = "(others)"
_KINDS = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT", "WITH", "SAVEPOINT", "SET"})


class MetricsMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        # Caches labels(), avoiding its lock and its validation.
        self._counts: dict[tuple[str, str, int], Any] = {}
        self._times: dict[tuple[str, str], Any] = {}
        self._keys: dict[tuple[str, str], Any] = {}
        self._grants: dict[Any, Any] = {}
        self._hits = figures.CACHE_HITS.labels("keys")
        self._misses = figures.CACHE_MISSES.labels("keys")
        watch(_time_statement)  # idempotent: one watcher per process, for any number of handlers

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun = perf_counter()
        figures.IN_FLIGHT.inc()
        try:
            response = self.get_response(request)
        finally:
            figures.IN_FLIGHT.dec()
        self._note(request, response, begun)
        return response

    def _note(self, request: HttpRequest, response: Any, begun: float) -> None:
        route, method, status = route_of(request), method_of(request), response.status_code
        if (count := self._counts.get((route, method, status))) is None:
            count = figures.REQUESTS.labels(route, method, status)
            self._counts[route, method, status] = count
        count.inc()
        if (times := self._times.get((route, method))) is None:
            times = self._times[route, method] = figures.REQUEST_SECONDS.labels(route, method)
        if response.streaming and getattr(response, "file_to_stream", None) is None:
            response.streaming_content = _timed(response.streaming_content, times, begun)
        else:
            times.observe(perf_counter() - begun)
        if (grant := getattr(request, "grant", None)) is None:
            return
        name, group = grant.key_name, f"{status // 100}xx"
        if (count := self._keys.get((name, group))) is None:
            shown = name if len(self._keys) < _MANY_KEYS else _OTHERS
            count = figures.KEY_REQUESTS.labels(shown, group)
            if shown is name:
                self._keys[name, group] = count
        count.inc()
        # A cached grant is the identical object.
        if self._grants.get(grant.token) is grant:
            self._hits.inc()
            return
        self._misses.inc()
        if len(self._grants) >= _MANY_GRANTS:
            self._grants.clear()
        self._grants[grant.token] = grant


_statement_times: dict[str, Any] = {}


def _time_statement(sql: str, seconds: float) -> None:
    word = sql.lstrip()[:9].split(None, 1)[:1]
    kind = word[0].upper() if word and word[0].upper() in _KINDS else "other"
    if (times := _statement_times.get(kind)) is None:
        times = _statement_times[kind] = figures.STATEMENT_SECONDS.labels(kind)
    times.observe(seconds)


def _timed(parts: Any, times: Any, begun: float) -> Iterator[Any]:
    try:
        yield from parts
    finally:
        times.observe(perf_counter() - begun)
