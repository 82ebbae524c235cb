"""The counts in Redis, as long as it answers.

A server that does not answer is left alone for a while, and then asked by one request at a time: a dead one costs a
request half a second now and then, and not each of them.
"""

import logging
import os
from collections.abc import Sequence
from functools import cache
from typing import Any

from django.conf import settings

from cms_api.lib.circuit_breaker import CircuitBreaker
from cms_api.lib.redis_client import FAILURES, connect
from cms_api.shared_counts.count import Count

PREFIX = "cms:count:"
_TIMEOUT = 0.5  # seconds
PAUSE = 5.0  # seconds that a server is left alone
logger = logging.getLogger(__name__)

# In a script time stands still, so that no count ends between two of its steps and none is left without an end.
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
    """Redis is not there: CMS_CACHE_URL names none, or it does not answer."""


def add(keys: Sequence[str], seconds: int) -> dict[str, Count]:
    """The counts by key, each one higher than before, or 1. Raises NoAnswer."""
    answer = _run(_ADD, keys, seconds * 1000)
    return {key: Count.until(number, left / 1000) for key, (number, left) in zip(keys, answer, strict=True)}


def take_back(keys: Sequence[str]) -> None:
    """One less of each, as long as it lasts. Raises NoAnswer."""
    _run(_TAKE_BACK, keys)


def forget(keys: Sequence[str]) -> None:
    """Nothing is left of them in a Redis that answers; in another they end by themselves."""
    try:
        _run(_FORGET, keys)
    except NoAnswer:
        return


def _run(script: str, keys: Sequence[str], *arguments: Any) -> Any:
    if not settings.CMS_CACHE_URL:
        raise NoAnswer
    return _server(settings.CMS_CACHE_URL).run(script, [PREFIX + key for key in keys], arguments)


class _Server:
    """A Redis server, and whether it is left alone at present."""

    def __init__(self, url: str) -> None:
        self._client = connect(url, _TIMEOUT)
        self._breaker = CircuitBreaker(PAUSE, _warn)

    def run(self, script: str, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """What the script answers. Raises NoAnswer."""
        if not self._breaker.may_be_asked():
            raise NoAnswer
        try:
            answer = self._client.register_script(script)(keys, arguments)
        except FAILURES as error:
            self._breaker.note_failure(error)
            raise NoAnswer from error
        self._breaker.note_answer()
        return answer


def _warn(error: Exception) -> None:
    logger.warning("Redis does not answer, so counts are kept in the database meanwhile: %s", error)


@cache
def _server(url: str) -> _Server:
    return _Server(url)


# A process that is forked makes connections and a lock of its own.
os.register_at_fork(after_in_child=_server.cache_clear)
