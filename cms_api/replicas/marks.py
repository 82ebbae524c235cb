"""Up to where in the primary's log each key has written lately: in Redis, so that every node knows at once.

A mark lasts until no replica that serves can be without what it stands for.
"""

import logging
import math
import os
import threading
import time
from functools import cache
from typing import Any

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

_PREFIX = "cms:wrote:"
_TIMEOUT = 0.25  # seconds
_MARGIN = 5  # seconds: measures are not of this moment, and a commit without waiting reaches the log later
logger = logging.getLogger(__name__)

# Requests of one key may come in any order: the mark only goes up.
_PUT = """
local present = redis.call('GET', KEYS[1])
if not present or present < ARGV[1] then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
else redis.call('EXPIRE', KEYS[1], ARGV[2]) end
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
        self._client = redis.Redis.from_url(
            url, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT, retry=Retry(NoBackoff(), 0)
        )
        self._put = self._client.register_script(_PUT)
        # Redis may have been started a moment ago, and be without the marks of before.
        self._trusted_from = time.monotonic() + seconds()
        self._lock = threading.Lock()

    def put(self, key_id: int, position: int) -> None:
        try:
            # Digits of a fixed number, so that texts compare as the numbers do.
            self._put([f"{_PREFIX}{key_id}"], [f"{position:016x}", seconds()])
        except (redis.RedisError, OSError) as error:
            self._distrust(error)

    def get(self, key_id: int) -> int:
        if time.monotonic() < self._trusted_from:
            raise NoAnswer
        try:
            text: Any = self._client.get(f"{_PREFIX}{key_id}")
        except (redis.RedisError, OSError) as error:
            self._distrust(error)
            raise NoAnswer from error
        return int(text, 16) if text else 0

    def _distrust(self, error: Exception) -> None:
        with self._lock:
            was_trusted = time.monotonic() >= self._trusted_from
            self._trusted_from = time.monotonic() + seconds()
        if was_trusted:
            logger.warning("Redis does not answer, so nothing is read from replicas for a while: %s", error)


@cache
def _marks() -> _Marks:
    return _Marks(settings.CMS_CACHE_URL)


# A process that is forked makes connections and a lock of its own.
os.register_at_fork(after_in_child=_marks.cache_clear)
