"""Recognises repeated visits. A visit is a hash with a random key of the day, and forgotten after CMS_VISIT_MINUTES."""

import os
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache, partial
from hashlib import blake2b
from logging import getLogger
from secrets import token_bytes
from threading import Lock
from typing import Any

from cachetools import TTLCache
from django.conf import settings
from django.http import HttpRequest

from core.lib import clock
from core.lib.circuit_breaker import CircuitBreaker
from core.lib.client_address import client_address, network_of
from core.lib.redis_client import FAILURES, connect

_MOST = 100_000  # visits that a process remembers
_BYTES = 16
_DAY = 86_400
_TOGETHER = 1_000  # visits in one request to Redis
_TIMEOUT, _PAUSE = 0.25, 5.0  # seconds for a response of Redis, and without requests to a failed one
_PREFIX = "cms:visit:"
logger = getLogger(__name__)


def new_visit(request: HttpRequest, content_id: int) -> bytes | None:
    """Return a name for the visit; None if this process has just counted the visitor for the content."""
    if not settings.CMS_VISIT_MINUTES:
        return token_bytes(_BYTES)
    return _known(settings.CMS_VISIT_MINUTES * 60, settings.CMS_CACHE_URL).new_visit(request, content_id)


def unseen(visits: Sequence[bytes]) -> Sequence[bytes]:
    """Return the visits that no other process has counted; all of them without Redis."""
    if not settings.CMS_VISIT_MINUTES or not settings.CMS_CACHE_URL or not visits:
        return visits
    return _server(settings.CMS_CACHE_URL).unseen(visits, settings.CMS_VISIT_MINUTES * 60)


class _Known:
    """The visits that this process has seen."""

    def __init__(self, seconds: int, url: str) -> None:
        self._url, self._lock = url, Lock()
        self._visits: TTLCache[bytes, None] = TTLCache(_MOST, seconds)
        self._day, self._key = date.min, b""

    def new_visit(self, request: HttpRequest, content_id: int) -> bytes | None:
        address, agent = network_of(client_address(request)), request.META.get("HTTP_USER_AGENT", "")
        text = f"{content_id} {address} {agent}".encode("utf-8", "surrogateescape")
        visit = blake2b(text, digest_size=_BYTES, key=self._key_of_today()).digest()
        with self._lock:
            if visit in self._visits:
                return None
            self._visits[visit] = None
        return visit

    def _key_of_today(self) -> bytes:
        today = clock.now().date()
        if self._day != today:
            shared = _server(self._url).key_of(today) if self._url else token_bytes(_BYTES)
            if shared:
                self._day, self._key = today, shared
            elif not self._key:
                self._key = token_bytes(_BYTES)  # until Redis responds
        return self._key


class _Server:
    """The visits and the key of the day that all processes share, in Redis; while it is down, none."""

    def __init__(self, url: str) -> None:
        self._client = connect(url, _TIMEOUT)
        warn = partial(logger.warning, "Redis does not respond, so each process recognises its own visitors: %s")
        self._breaker = CircuitBreaker(_PAUSE, warn)

    def key_of(self, day: date) -> bytes:
        name = f"{_PREFIX}key:{day}"
        answers = self._ask([("SET", name, token_bytes(_BYTES), "NX", "EX", _DAY), ("GET", name)])
        return answers[1] or b"" if answers else b""

    def unseen(self, visits: Sequence[bytes], seconds: int) -> list[bytes]:
        found: list[bytes] = []
        for start in range(0, len(visits), _TOGETHER):
            some = visits[start : start + _TOGETHER]
            answers = self._ask([("SET", f"{_PREFIX}{visit.hex()}", 1, "NX", "EX", seconds) for visit in some])
            found += some if answers is None else [visit for visit, is_new in zip(some, answers, strict=True) if is_new]
        return found

    def _ask(self, commands: Iterable[tuple[Any, ...]]) -> list[Any] | None:
        if not self._breaker.may_be_asked():
            return None
        try:
            with self._client.pipeline(transaction=False) as asked:
                for command in commands:
                    asked.execute_command(*command)  # type: ignore[no-untyped-call]
                answers: list[Any] = asked.execute()
        except FAILURES as error:
            self._breaker.record_failure(error)
            return None
        self._breaker.record_success()
        return answers


@cache
def _known(seconds: int, url: str) -> _Known:
    return _Known(seconds, url)


@cache
def _server(url: str) -> _Server:
    return _Server(url)


# Forked processes need their own connections and locks.
os.register_at_fork(after_in_child=_server.cache_clear)
os.register_at_fork(after_in_child=_known.cache_clear)
