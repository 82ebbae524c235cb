"""When the client retries a request, and how long it waits before a retry."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cms_client.errors import AnswerError, CmsError, ConnectionFailed, OutcomeUnknown, TooManyRequests, Unavailable
from cms_client.operations import Operation, Repeats

_random = secrets.SystemRandom().random


@dataclass(frozen=True, slots=True)
class Retries:
    """How often the client retries a request if that is safe, and how long it waits; the wait doubles each time.

    The client waits at least as long as Retry-After requires. If that exceeds `longest_wait`, it raises the error
    immediately.
    """

    times: int = 4
    first_wait: float = 0.5  # seconds
    longest_wait: float = 30.0
    chance: Callable[[], float] = _random  # from 0 to 1; jitter, so that clients do not retry simultaneously

    def wait_before(self, number: int, failure: CmsError) -> float | None:
        """Return the seconds to wait before retry `number`, counted from 1; None means do not retry."""
        if number > self.times:
            return None
        asked = failure.retry_after if isinstance(failure, AnswerError) else None
        if asked is not None and asked > self.longest_wait:
            return None
        grown: float = self.first_wait * 2 ** (number - 1) * (1 + self.chance() / 4)
        return max(min(grown, self.longest_wait), asked or 0.0)


def nothing_happened(failure: CmsError) -> bool:
    """Return whether the server certainly did not process the request, so that any retry is safe."""
    if isinstance(failure, ConnectionFailed):
        return not failure.was_sent
    if isinstance(failure, OutcomeUnknown):
        return False
    is_asked_back = isinstance(failure, AnswerError) and failure.retry_after is not None
    return is_asked_back and (isinstance(failure, TooManyRequests) or _is_refused_for_now(failure))


def may_be_repeated(operation: Operation[Any], failure: CmsError) -> bool:
    """Return whether a retry is safe although the server may have processed the request.

    For a request with an Idempotency-Key, this is true only if the server supports such keys.
    """
    if not isinstance(failure, ConnectionFailed | Unavailable):
        return False
    if isinstance(failure, OutcomeUnknown):
        return operation.repeats in {Repeats.READ, Repeats.KEYED}
    return operation.repeats is not Repeats.NEVER


def _is_refused_for_now(failure: CmsError) -> bool:
    return isinstance(failure, Unavailable) and failure.status == 503
