"""Connections to Redis, for what nobody waits for long."""

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

FAILURES = (redis.RedisError, OSError)  # the second is what certificates that cannot be read raise


def connect(url: str, seconds: float) -> redis.Redis:
    """A client that waits so long for a connection, and for an answer, and raises one of FAILURES then."""
    # A second attempt would double the time, and perhaps a count.
    retry = Retry(NoBackoff(), 0)
    return redis.Redis.from_url(url, socket_timeout=seconds, socket_connect_timeout=seconds, retry=retry)
