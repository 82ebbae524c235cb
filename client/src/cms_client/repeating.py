"""When a request is sent again, and how long the client waits before."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cms_client.errors import AnswerError, CmsError, ConnectionFailed, OutcomeUnknown, TooManyRequests, Unavailable
from cms_client.operations import Operation, Repeats

_random = secrets.SystemRandom().random


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a request is sent again, where that is safe, and the waits before: each twice the one before.

    What a server asks for in Retry-After is waited for as it says, up to `longest_wait`; for more than that, the error
    is raised at once.
    """

    times: int = 4
    first_wait: float = 0.5  # seconds
    longest_wait: float = 30.0
    chance: Callable[[], float] = _random  # from 0 to 1; keeps clients from coming back all at once

    def wait_before(self, number: int, failure: CmsError) -> float | None:
        """Seconds before the request is sent for the `number`-th time again; None: not any more."""
        if number > self.times:
            return None
        asked = failure.retry_after if isinstance(failure, AnswerError) else None
        if asked is not None and asked > self.longest_wait:
            return None
        grown: float = self.first_wait * 2 ** (number - 1) * (1 + self.chance() / 4)
        return max(min(grown, self.longest_wait), asked or 0.0)


def nothing_happened(failure: CmsError) -> bool:
    """Whether the server has certainly done nothing, so that any request may be sent again."""
    if isinstance(failure, ConnectionFailed):
        return not failure.was_sent
    if isinstance(failure, OutcomeUnknown):
        return False
    is_asked_back = isinstance(failure, AnswerError) and failure.retry_after is not None
    return is_asked_back and (isinstance(failure, TooManyRequests) or _is_refused_for_now(failure))


def may_be_repeated(operation: Operation[Any], failure: CmsError) -> bool:
    """Whether to send it again does no harm although nobody knows what became of it.

    With an Idempotency-Key that holds only for servers which keep it.
    """
    if not isinstance(failure, ConnectionFailed | Unavailable):
        return False
    if isinstance(failure, OutcomeUnknown):
        return operation.repeats in {Repeats.READ, Repeats.KEYED}
    return operation.repeats is not Repeats.NEVER


def _is_refused_for_now(failure: CmsError) -> bool:
    return isinstance(failure, Unavailable) and failure.status == 503
