import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

FAILURES = (redis.RedisError, OSError)  # OSError: unreadable certificates


def connect(url: str, seconds: float) -> redis.Redis:
    """Return a client with this timeout for connecting and for each response; it raises FAILURES."""
    # A retry would double the time, and might count twice.
    retry = Retry(NoBackoff(), 0)
    return redis.Redis.from_url(url, socket_timeout=seconds, socket_connect_timeout=seconds, retry=retry)
