"""Log positions of each key's latest write, in Redis for all nodes.

A mark lasts until every usable replica has caught up. A restarted Redis has lost its marks; the epoch, a random name
beside them, shows that, and marks are trusted once the old epoch's would have expired.
"""

import logging
import math
import os
import threading
from functools import cache, partial
from time import monotonic
from uuid import uuid4

from django.conf import settings

from core.lib.circuit_breaker import CircuitBreaker
from core.lib.redis_client import FAILURES, connect

_EPOCH = "cms:epoch"
_PREFIX = "cms:wrote:"
_TIMEOUT = 0.25  # seconds
_PAUSE = 5.0  # seconds without requests to an unresponsive Redis
_MARGIN = 5  # seconds: measurements are not instantaneous, and an asynchronous commit reaches the log later
logger = logging.getLogger(__name__)

# Requests of one key may arrive in any order: the mark only rises.
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
    """The key's writes are unknown: Redis does not respond, or may have lost its marks."""


def seconds() -> int:
    lag: float = settings.CMS_REPLICA_MAX_LAG_SECONDS
    return math.ceil(lag) + _MARGIN


class Marks:
    def __init__(self, url: str) -> None:
        client = connect(url, _TIMEOUT)
        self._put, self._get = client.register_script(_PUT), client.register_script(_GET)
        warn = partial(logger.warning, "Redis does not respond, so reads go to the primary for a while: %s")
        self._breaker = CircuitBreaker(_PAUSE, warn)
        self._lock = threading.Lock()
        self._epoch, self._trusted_from = b"", 0.0  # empty: unknown; monotonic seconds

    def put(self, key_id: int, position: int) -> None:
        """Raise the key's mark to the position. Without Redis this process trusts no mark for a while."""
        try:
            # Fixed width, so that texts compare like numbers.
            self._put([f"{_PREFIX}{key_id}"], [f"{position:016x}", seconds()])
        except FAILURES as error:
            self._lose(error)

    def get(self, key_id: int) -> int:
        """Return the key's mark; 0 if it has written nothing lately. Raises `NoAnswer`."""
        if (self._epoch and monotonic() < self._trusted_from) or not self._breaker.may_be_asked():
            raise NoAnswer
        try:
            epoch, mark = self._get([_EPOCH, f"{_PREFIX}{key_id}"], [uuid4().hex])
        except FAILURES as error:
            self._lose(error)
            raise NoAnswer from error
        self._breaker.record_success()
        if epoch != self._epoch:
            with self._lock:
                was_known = bool(self._epoch)
                self._epoch, self._trusted_from = epoch, monotonic() + seconds()
            if was_known:
                logger.warning("Redis has been emptied, so reads go to the primary for %d seconds.", seconds())
            raise NoAnswer
        return int(mark, 16) if mark else 0

    def _lose(self, error: Exception) -> None:
        with self._lock:
            self._epoch = b""
        self._breaker.record_failure(error)


@cache
def known_marks() -> Marks:
    return Marks(settings.CMS_CACHE_URL)


# Forked processes need their own connections and lock.
os.register_at_fork(after_in_child=known_marks.cache_clear)
