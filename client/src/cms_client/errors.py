"""Exceptions that the client raises, one class for each meaning.

No exception holds the request, because its headers contain the API key.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from math import isfinite
from time import time
from typing import Any

import httpx


class CmsError(Exception):
    """Base class of all errors that a request can raise."""


class ConnectionFailed(CmsError):
    """The connection could not be established or was lost.

    If `was_sent` is True, the request may have reached the server, and the server may have processed it.
    """

    def __init__(self, message: str, was_sent: bool = True) -> None:
        super().__init__(message, was_sent)
        self.message, self.was_sent = message, was_sent

    def __str__(self) -> str:
        return self.message


class TimedOut(ConnectionFailed):
    """The server did not accept the connection or did not respond before the client's timeout."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The details of an error response; `code` is None if the server sends no code."""

    status: int
    message: str
    code: str | None = None
    request_id: str | None = None
    retry_after: float | None = None  # seconds
    etag: str | None = None
    members: Mapping[str, Any] = field(default_factory=dict)  # members of the body


class AnswerError(CmsError):
    """The server responded with an error, or with something that the client cannot read."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.status, self.code, self.message = refusal.status, refusal.code, refusal.message
        self.request_id, self.retry_after = refusal.request_id, refusal.retry_after
        self.etag, self.members = refusal.etag, refusal.members

    def __str__(self) -> str:
        code = f" {self.code}" if self.code else ""
        number = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.status}{code}: {self.message}{number}"


class NotModified(AnswerError):
    """304: the resource is unchanged; its ETag still matches `if_none_match`."""


class BadRequest(AnswerError):
    """400: the request is wrong; nothing was stored."""


class Unauthorized(AnswerError):
    """401, 403: the API key is missing, invalid, or not authorised for this request."""


class NotFound(AnswerError):
    """404: the record does not exist."""


class NotSupported(AnswerError):
    """405, or 404 for the route: the server, such as an older release or SiteServer CMS, lacks this operation."""


class PreconditionFailed(AnswerError):
    """412: the record has changed and its ETag no longer matches `if_match`; nothing was stored."""

    @property
    def record(self) -> Any:
        """The current record; `etag` is its ETag."""
        return self.members.get("value")

    @property
    def version(self) -> int | None:
        """The current version number of a content or channel; None for other records."""
        return self.members.get("version")


class TooLarge(AnswerError):
    """413: the body or file exceeds the server's limit."""


class IdempotencyKeyReused(AnswerError):
    """422: a different request used this Idempotency-Key within the last 24 hours; nothing was stored."""


class TooManyRequests(AnswerError):
    """429: the client has reached a rate limit; `retry_after` is the time to wait, in seconds."""


class Unavailable(AnswerError):
    """502, 503, 504: the server is temporarily unavailable."""


class OutcomeUnknown(Unavailable):
    """503: the server lost its database connection while storing a change; check whether the change was stored."""


class ServerError(AnswerError):
    """500 and other 5xx statuses without a class of their own: the server failed."""


class UnexpectedAnswer(AnswerError):
    """The response does not follow this interface: an HTML page instead of JSON, or a redirect."""


_BY_STATUS: dict[int, type[AnswerError]] = {
    304: NotModified,
    400: BadRequest,
    401: Unauthorized,
    403: Unauthorized,
    404: NotFound,
    405: NotSupported,
    412: PreconditionFailed,
    413: TooLarge,
    422: IdempotencyKeyReused,
    429: TooManyRequests,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}
_BY_CODE: dict[str | None, type[AnswerError]] = {
    "outcome_unknown": OutcomeUnknown,
    "route_not_found": NotSupported,
}
# Messages for responses that SiteServer CMS sends without one.
_UNSAID = {
    304: "It has not changed.",
    401: "The API key is missing, unknown, or does not reach this far; the server did not say which.",
    404: "The server has nothing at this address.",
}
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


def connection_failure(error: httpx.RequestError) -> CmsError:
    """Convert an httpx exception to a CmsError that does not hold the request."""
    if isinstance(error, httpx.LocalProtocolError):
        # Its text would show the invalid header. A retry would fail in the same way.
        return CmsError(f"The request cannot be sent: {type(error).__name__}")
    kind = TimedOut if isinstance(error, httpx.TimeoutException) else ConnectionFailed
    told = str(error) or type(error).__name__
    return kind(f"The connection failed: {told}", not isinstance(error, _NOT_SENT))


def answer_failure(response: httpx.Response) -> AnswerError:
    """Return the exception for an error response."""
    refusal = refusal_of(response, object_of(response) or {})
    return _class_of(refusal)(refusal)


def item_failure(response: httpx.Response, status: int, members: Mapping[str, Any]) -> AnswerError:
    """Return the exception for one item of a batch."""
    refusal = replace(refusal_of(response, members), status=status)
    return _class_of(refusal)(refusal)


def unexpected(response: httpx.Response, message: str) -> UnexpectedAnswer:
    """Return the exception for a successful response that the client cannot read."""
    return UnexpectedAnswer(refusal_of(response, {}, message))


def refusal_of(response: httpx.Response, members: Mapping[str, Any], message: str = "") -> Refusal:
    """Collect the details of a response from the members of its body and its headers."""
    code = members.get("code")
    return Refusal(
        status=response.status_code,
        message=message or _message_of(response, members),
        code=code if isinstance(code, str) else None,
        request_id=response.headers.get("X-Request-Id"),
        retry_after=_seconds_of(response.headers.get("Retry-After", "")),
        etag=response.headers.get("ETag"),
        members=members,
    )


def _class_of(refusal: Refusal) -> type[AnswerError]:
    if kind := _BY_CODE.get(refusal.code):
        return kind
    if refusal.status < HTTPStatus.BAD_REQUEST and refusal.status != HTTPStatus.NOT_MODIFIED:
        return UnexpectedAnswer
    other = ServerError if refusal.status >= HTTPStatus.INTERNAL_SERVER_ERROR else AnswerError
    return _BY_STATUS.get(refusal.status, other)


def object_of(response: httpx.Response) -> dict[str, Any] | None:
    """Return the JSON object in the body; None if the body is anything else."""
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _message_of(response: httpx.Response, members: Mapping[str, Any]) -> str:
    # Server errors of SiteServer CMS put the cause in exceptionMessage and the same generic sentence in message.
    for name in ("exceptionMessage", "message"):
        if isinstance(members.get(name), str) and members[name]:
            return str(members[name])
    if response.has_redirect_location:
        host = httpx.URL(response.headers["Location"]).host or "another path"
        return f"The server redirects to {host}; give the address that it redirects to as base_url."
    status = response.status_code
    return _UNSAID.get(status, f"The server answered {status} {response.reason_phrase} and did not say why.")


def _seconds_of(header: str) -> float | None:
    try:
        seconds = float(header) if header.strip().isdecimal() else parsedate_to_datetime(header).timestamp() - time()
    except (ValueError, OverflowError):
        return None
    return max(seconds, 0.0) if isfinite(seconds) else None
