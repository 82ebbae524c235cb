"""How many requests a key may send in a minute: counted by all processes together, and told with each answer.

A minute begins with the first request that is counted, so that keys do not all come back at once, and the next one with
the first request after its end. Within 60 seconds around that end up to twice the limit may pass.
"""

import logging
from time import monotonic
from typing import TYPE_CHECKING, cast

from django.db import Error, connection
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from apikeys.grants import Grant
from cms_api import shared_counts
from cms_api.lib.circuit_breaker import CircuitBreaker
from cms_api.lib.database_faults import told
from cms_api.lib.errors import LimitReached
from cms_api.lib.statement_limit import waiting_at_most
from cms_api.shared_counts import Count

if TYPE_CHECKING:  # rest_framework.views imports this module by its name in the settings
    from cms_api.rest.views import ApiView

SECONDS = 60
_POLICY = '"key"'  # its name in the headers
_PATIENCE = 0.5  # seconds for another writer of SQLite, which may be an import of minutes
_PAUSE = 5.0  # seconds without counting, once that has failed
logger = logging.getLogger(__name__)


class KeyThrottle(BaseThrottle):
    """Lets so many requests of a key pass as its grant says. Keeps nothing: views have one object for all requests."""

    def allow_request(self, request: Request, view: "ApiView") -> bool:  # type: ignore[override]
        """True; the headers of the answer tell how many are left. Raises LimitReached (`rate_limited`)."""
        if request.auth is None:  # an access token came in place of a key
            return True
        grant = cast(Grant, request.auth)
        limit = grant.requests_per_minute
        if not limit or (count := _count(grant.key_id, limit)) is None:
            return True
        view.headers |= _headers(limit, count)
        if count.number > limit:
            raise _too_many(limit, count.seconds_left)
        return True


def _warn(error: Exception) -> None:
    logger.warning("Requests cannot be counted, so keys are not limited meanwhile: %s", told(error))


_counting = CircuitBreaker(_PAUSE, _warn)
# Keys at their limit: which that was, and until when (monotonic seconds). A flood beyond it costs no count.
_full: dict[int, tuple[int, float]] = {}


def _count(key_id: int, limit: int) -> Count | None:
    """The requests of the key in this minute, with the present one; None where they are not counted at present."""
    full_limit, ends_at = _full.get(key_id, (0, 0.0))
    if full_limit == limit and (left := ends_at - monotonic()) > 0:
        return Count.until(limit + 1, left)
    count = _add(f"requests of key {key_id}")
    if count is not None and count.number > limit:
        _full[key_id] = (limit, monotonic() + count.seconds_left)
    return count


def _add(name: str) -> Count | None:
    """The count with this request; None where it could not be counted."""
    if not _counting.may_be_asked():
        return None
    try:
        with waiting_at_most(connection, _PATIENCE):
            count = shared_counts.add([name], seconds=SECONDS)[name]
    except Error as error:
        _counting.note_failure(error)
        return None
    _counting.note_answer()
    return count


def _headers(limit: int, count: Count) -> dict[str, str]:
    """As draft-ietf-httpapi-ratelimit-headers-11 has them."""
    left = max(0, limit - count.number)
    return {
        "RateLimit-Policy": f"{_POLICY};q={limit};w={SECONDS}",
        "RateLimit": f"{_POLICY};r={left};t={count.seconds_left}",
    }


def _too_many(limit: int, seconds: int) -> LimitReached:
    message = f"The API key has sent the {limit} requests that it may send in a minute; try again in {seconds} seconds."
    return LimitReached("rate_limited", message, wait=seconds)
