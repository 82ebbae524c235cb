"""The limit of requests per key and minute, counted across all processes.

A minute begins with a key's first counted request, so that keys do not all return at the same time. In the 60 seconds
around the end of a minute, a key may send up to twice its limit.
"""

import logging
from time import monotonic
from typing import TYPE_CHECKING, cast

from django.db import Error, connection
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from apikeys.grants import Grant
from core import shared_counts
from core.lib.circuit_breaker import CircuitBreaker
from core.lib.database_faults import told
from core.lib.errors import LimitReached
from core.lib.statement_limit import waiting_at_most
from core.shared_counts import Count

if TYPE_CHECKING:  # the settings make rest_framework.views import this module
    from core.rest.views import ApiView

SECONDS = 60
_PATIENCE = 0.5  # seconds to wait for another writer on SQLite, which may be an import of minutes
_PAUSE = 5.0  # seconds without counting after a failure
logger = logging.getLogger(__name__)


class KeyThrottle(BaseThrottle):
    """Limits the requests of a key that has a limit; ApiView checks no others. One object serves all requests."""

    def allow_request(self, request: Request, view: "ApiView") -> bool:  # type: ignore[override]
        """Count the request and send the remaining number in headers. Raises LimitReached (`rate_limited`)."""
        grant = cast(Grant, request.auth)
        limit = grant.requests_per_minute
        if (count := _count(grant.key_id, limit)) is None:
            return True
        # In the form of draft-ietf-httpapi-ratelimit-headers-11.
        view.headers["RateLimit-Policy"] = f'"key";q={limit};w={SECONDS}'
        view.headers["RateLimit"] = f'"key";r={max(0, limit - count.number)};t={count.seconds_left}'
        if count.number > limit:
            told = f"The API key has sent the {limit} requests that it may send in a minute"
            wait = count.seconds_left
            raise LimitReached("rate_limited", f"{told}; try again in {wait} seconds.", wait=wait)
        return True


def _warn(error: Exception) -> None:
    logger.warning("Requests cannot be counted, so keys are not limited for now: %s", told(error))


_counting = CircuitBreaker(_PAUSE, _warn)
# Keys at their limit: the limit and its end (monotonic seconds), so that a flood beyond it costs no count.
_full: dict[int, tuple[int, float]] = {}


def _count(key_id: int, limit: int) -> Count | None:
    full_limit, ends_at = _full.get(key_id, (0, 0.0))
    if full_limit == limit and (left := ends_at - monotonic()) > 0:
        return Count.until(limit + 1, left)
    if not _counting.may_be_asked():
        return None
    name = f"requests of key {key_id}"
    try:
        with waiting_at_most(connection, _PATIENCE):
            count = shared_counts.add([name], seconds=SECONDS)[name]
    except Error as error:
        _counting.record_failure(error)
        return None
    _counting.record_success()
    if count.number > limit:
        _full[key_id] = (limit, monotonic() + count.seconds_left)
    return count
