"""Counts in Redis; after a failure it is not used for a while, then tried by one request at a time."""

import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any

from django.conf import settings

from core.lib.circuit_breaker import CircuitBreaker
from core.lib.redis_client import FAILURES, connect

PREFIX = "cms:count:"
_TIMEOUT = 0.5  # seconds
PAUSE = 5.0  # seconds without requests to a failed server
logger = logging.getLogger(__name__)

# Time is frozen within a script, so that no count expires between its steps or is left without expiry.
_ADD = """
local counts = {}
for place, key in ipairs(KEYS) do
    redis.call('SET', key, 0, 'PX', ARGV[1], 'NX')
    counts[place] = {redis.call('INCR', key), redis.call('PTTL', key)}
end
return counts
"""
_TAKE_BACK = """
for _, key in ipairs(KEYS) do
    local number = tonumber(redis.call('GET', key))
    if number and number > 0 then redis.call('DECR', key) end
end
"""
_FORGET = "for _, key in ipairs(KEYS) do redis.call('DEL', key) end"


class NoAnswer(Exception):
    """CMS_CACHE_URL is empty, or Redis does not respond."""


def add(keys: Sequence[str], seconds: int) -> dict[str, tuple[int, float]]:
    """Return the incremented counts by key, with the seconds until they expire. Raises `NoAnswer`."""
    answer = _run(_ADD, keys, seconds * 1000)
    return {key: (number, left / 1000) for key, (number, left) in zip(keys, answer, strict=True)}


def take_back(keys: Sequence[str]) -> None:
    """Decrement the counts that have not expired. Raises `NoAnswer`."""
    _run(_TAKE_BACK, keys)


def forget(keys: Sequence[str]) -> None:
    with suppress(NoAnswer):
        _run(_FORGET, keys)


def _run(script: str, keys: Sequence[str], *arguments: Any) -> Any:
    if not settings.CMS_CACHE_URL:
        raise NoAnswer
    return _server(settings.CMS_CACHE_URL).run(script, [PREFIX + key for key in keys], arguments)


class _Server:
    def __init__(self, url: str) -> None:
        self._client = connect(url, _TIMEOUT)
        warn = partial(logger.warning, "Redis does not respond, so counts are stored in the database for now: %s")
        self._breaker = CircuitBreaker(PAUSE, warn)

    def run(self, script: str, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        if not self._breaker.may_be_asked():
            raise NoAnswer
        try:
            answer = self._client.register_script(script)(keys, arguments)
        except FAILURES as error:
            self._breaker.record_failure(error)
            raise NoAnswer from error
        self._breaker.record_success()
        return answer


@cache
def _server(url: str) -> _Server:
    return _Server(url)


# Forked processes need their own connections and lock.
os.register_at_fork(after_in_child=_server.cache_clear)
