"""Up to where in the primary's log each key has written lately: in Redis, so that every node knows at once.

A mark lasts until no replica that serves can be without what it stands for. A Redis that has been started anew is
without marks, and connections to it are renewed in silence; so beside them stands the epoch, a name that it is given
when it is empty. Marks are trusted as soon as none of another epoch could last any more.
"""

import logging
import math
import os
import threading
from functools import cache
from time import monotonic
from uuid import uuid4

from django.conf import settings

from cms_api.lib.circuit_breaker import CircuitBreaker
from cms_api.lib.redis_client import FAILURES, connect

_EPOCH = "cms:epoch"
_PREFIX = "cms:wrote:"
_TIMEOUT = 0.25  # seconds
_PAUSE = 5.0  # seconds that a Redis is left alone that does not answer
_MARGIN = 5  # seconds: measures are not of this moment, and a commit without waiting reaches the log later
logger = logging.getLogger(__name__)

# Requests of one key may come in any order: the mark only goes up.
_PUT = """
local present = redis.call('GET', KEYS[1])
if not present or present < ARGV[1] then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
else redis.call('EXPIRE', KEYS[1], ARGV[2]) end
"""
_GET = """
local epoch = redis.call('GET', KEYS[1])
if not epoch then
    epoch = ARGV[1]
    redis.call('SET', KEYS[1], epoch)
end
return {epoch, redis.call('GET', KEYS[2])}
"""


class NoAnswer(Exception):
    """Nobody knows what the key has written: Redis does not answer, or may have lost its marks."""


def seconds() -> int:
    """How long a mark lasts."""
    lag: float = settings.CMS_REPLICA_MAX_LAG_SECONDS
    return math.ceil(lag) + _MARGIN


def put(key_id: int, position: int) -> None:
    """Raise the key's mark to the position. Without Redis this process trusts no mark for a while."""
    _marks().put(key_id, position)


def get(key_id: int) -> int:
    """The key's mark; 0 where it has written nothing lately. Raises NoAnswer."""
    return _marks().get(key_id)


class _Marks:
    def __init__(self, url: str) -> None:
        client = connect(url, _TIMEOUT)
        self._put, self._get = client.register_script(_PUT), client.register_script(_GET)
        self._breaker = CircuitBreaker(_PAUSE, _warn)
        self._lock = threading.Lock()
        self._epoch, self._trusted_from = b"", 0.0  # empty: not known; monotonic seconds

    def put(self, key_id: int, position: int) -> None:
        try:
            # Digits of a fixed number, so that texts compare as the numbers do.
            self._put([f"{_PREFIX}{key_id}"], [f"{position:016x}", seconds()])
        except FAILURES as error:
            self._lose(error)

    def get(self, key_id: int) -> int:
        if self._epoch and monotonic() < self._trusted_from:
            raise NoAnswer
        if not self._breaker.may_be_asked():
            raise NoAnswer
        try:
            epoch, mark = self._get([_EPOCH, f"{_PREFIX}{key_id}"], [uuid4().hex])
        except FAILURES as error:
            self._lose(error)
            raise NoAnswer from error
        self._breaker.note_answer()
        if epoch != self._epoch:
            self._begin(epoch)
            raise NoAnswer
        return int(mark, 16) if mark else 0

    def _begin(self, epoch: bytes) -> None:
        with self._lock:
            was_known = bool(self._epoch)
            self._epoch, self._trusted_from = epoch, monotonic() + seconds()
        if was_known:
            logger.warning("Redis has been emptied, so nothing is read from replicas for %d seconds.", seconds())

    def _lose(self, error: Exception) -> None:
        with self._lock:
            self._epoch = b""
        self._breaker.note_failure(error)


def _warn(error: Exception) -> None:
    logger.warning("Redis does not answer, so nothing is read from replicas for a while: %s", error)


@cache
def _marks() -> _Marks:
    return _Marks(settings.CMS_CACHE_URL)


# A process that is forked makes connections and a lock of its own.
os.register_at_fork(after_in_child=_marks.cache_clear)
