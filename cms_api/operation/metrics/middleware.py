"""Counts requests. In use only where metrics are on.

Not by django-prometheus: the dozen figures that its middleware counts take five times as long, routes without names,
as ours, are one to it, and it knows no keys.
"""

import logging
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

from django.http import HttpRequest, HttpResponse

from cms_api.operation.logs.present import method_of, route_of
from cms_api.operation.logs.statements import watch
from cms_api.operation.metrics import instruments

_log = logging.getLogger(__name__)
_MANY_KEYS = 500  # by name, in each process; those beyond are counted together
_MANY_GRANTS = 10_000
_OTHERS = "(others)"
_KINDS = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT", "WITH", "SAVEPOINT", "SET"})


class MetricsMiddleware:
    """Tells how many requests there are, of whom, how they end and how long they take."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        # As labels() does, without its lock and its look at each label.
        self._counts: dict[tuple[str, str, int], Any] = {}
        self._times: dict[tuple[str, str], Any] = {}
        self._keys: dict[tuple[str, str], Any] = {}
        self._grants: dict[int, Any] = {}
        self._hits = instruments.CACHE_HITS.labels("keys")
        self._misses = instruments.CACHE_MISSES.labels("keys")
        watch(Statements())

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun = perf_counter()
        instruments.IN_FLIGHT.inc()
        response = None
        try:
            response = self.get_response(request)
            return response
        finally:
            instruments.IN_FLIGHT.dec()
            if response is not None:
                self._note(request, response, begun)

    def _note(self, request: HttpRequest, response: Any, begun: float) -> None:
        route, method, status = route_of(request), method_of(request), response.status_code
        if (count := self._counts.get((route, method, status))) is None:
            count = instruments.REQUESTS.labels(route, method, status)
            self._counts[route, method, status] = count
        count.inc()
        if (times := self._times.get((route, method))) is None:
            times = self._times[route, method] = instruments.REQUEST_SECONDS.labels(route, method)
        if response.streaming and getattr(response, "file_to_stream", None) is None:
            response.streaming_content = _timed(response.streaming_content, times, begun)
        else:
            times.observe(perf_counter() - begun)
        if (grant := getattr(request, "grant", None)) is not None:
            self._note_key(grant, status)

    def _note_key(self, grant: Any, status: int) -> None:
        name, group = grant.key_name, f"{status // 100}xx"
        if (count := self._keys.get((name, group))) is None:
            shown = name if len(self._keys) < _MANY_KEYS else _OTHERS
            count = instruments.KEY_REQUESTS.labels(shown, group)
            if shown is name:
                self._keys[name, group] = count
        count.inc()
        # What memory still has is the very same object.
        if self._grants.get(grant.token_id) is grant:
            self._hits.inc()
            return
        self._misses.inc()
        if len(self._grants) >= _MANY_GRANTS:
            self._grants.clear()
        self._grants[grant.token_id] = grant


class Statements:
    """A watcher of statements."""

    def __init__(self) -> None:
        self._times: dict[str, Any] = {}

    def __call__(self, sql: str, seconds: float) -> None:
        word = sql.lstrip()[:9].split(None, 1)[:1]
        kind = word[0].upper() if word and word[0].upper() in _KINDS else "other"
        if (times := self._times.get(kind)) is None:
            times = self._times[kind] = instruments.STATEMENT_SECONDS.labels(kind)
        times.observe(seconds)

    def __eq__(self, other: object) -> bool:
        # One for each process is enough, however many handlers are made in it.
        return isinstance(other, Statements)

    def __hash__(self) -> int:
        return hash(Statements)


def _timed(parts: Any, times: Any, begun: float) -> Iterator[Any]:
    try:
        yield from parts
    finally:
        times.observe(perf_counter() - begun)
