"""The protocol of an operation, without I/O: what to send, how long to wait, and how to interpret the outcome.

A generator yields steps, and a driver runs each step and sends back the outcome. Both drivers share this logic.
"""

import logging
from collections.abc import Generator
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, TypeVar

import httpx

from cms_client.answers import body_of
from cms_client.errors import AnswerError, CmsError, answer_failure, connection_failure
from cms_client.operations import Operation, Repeats, get
from cms_client.repeating import Retries, may_be_repeated, nothing_happened

T = TypeVar("T")
_log = logging.getLogger("cms_client")


@dataclass(frozen=True, slots=True)
class Wait:
    """A step that pauses before the next request."""

    seconds: float


# Statuses that do not show whether the server has an OpenAPI document.
_SAYS_NOTHING = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}
Step = Operation[Any] | Wait
Reply = httpx.Response | httpx.RequestError | None
Steps = Generator[Step, Reply, T]


@dataclass(slots=True)
class Known:
    """What the client knows about a server; None means unknown."""

    keeps_keys: bool | None = None
    has_cursors: bool | None = None


def exchange(operation: Operation[T], known: Known, retries: Retries) -> Steps[T]:
    """Run the operation, retry it if that is safe, and return its result. Raises CmsError."""
    number = 0
    while True:
        failure, answer = _outcome((yield operation))
        _log.debug("%s %s: %s", operation.method, operation.path, failure or answer.status_code)
        if failure is None:
            return operation.read(answer)
        number += 1
        stands_on_key = operation.repeats is Repeats.KEYED and not nothing_happened(failure)
        wait = retries.wait_before(number, failure)
        if wait is None or not _may_be_sent_again(operation, failure) or (stands_on_key and known.keeps_keys is False):
            raise failure
        _log.warning("%s %s is sent again in %.1f seconds: %s", operation.method, operation.path, wait, failure)
        yield Wait(wait)
        if stands_on_key and not (yield from _keeps_keys(known, retries)):
            raise failure


def _may_be_sent_again(operation: Operation[Any], failure: CmsError) -> bool:
    return nothing_happened(failure) or may_be_repeated(operation, failure)


def _outcome(reply: Reply) -> tuple[CmsError | None, httpx.Response]:
    if isinstance(reply, httpx.RequestError):
        return connection_failure(reply), httpx.Response(0)
    if reply is None:
        raise RuntimeError("A driver answers what it is told to send.")
    return (None if reply.is_success else answer_failure(reply)), reply


def _keeps_keys(known: Known, retries: Retries) -> Steps[bool]:
    """Return whether the server supports Idempotency-Keys, according to its OpenAPI document.

    Remembers a definite result for later calls. Returns False if the document is temporarily unavailable.
    """
    if known.keeps_keys is None:
        try:
            known.keeps_keys = yield from exchange(_DESCRIPTION, known, retries)
        except AnswerError as error:
            if error.status in _SAYS_NOTHING or error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                return False
            known.keeps_keys = False
        except CmsError:
            return False
    return known.keeps_keys


def _describes_keys(answer: httpx.Response) -> bool:
    return "openapi" in body_of(answer) and '"Idempotency-Key"' in answer.text


_DESCRIPTION = replace(get("openapi.json", read=_describes_keys), with_key=False)
