"""What may go wrong, one class for each meaning.

No error holds the request, whose headers have the API key.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from time import time
from typing import Any

import httpx


class CmsError(Exception):
    """Whatever a request can end in but its answer."""


class ConnectionFailed(CmsError):
    """The connection could not be made or broke off.

    `was_sent` tells whether the request may have reached the server, which may then have done what it asks.
    """

    def __init__(self, message: str, was_sent: bool = True) -> None:
        super().__init__(message, was_sent)
        self.message, self.was_sent = message, was_sent

    def __str__(self) -> str:
        return self.message


class TimedOut(ConnectionFailed):
    """The server did not answer, or the connection was not made, within the time that the client gives it."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is no success; `code` is None from servers that send no code."""

    status: int
    message: str
    code: str | None = None
    request_id: str | None = None
    retry_after: float | None = None  # seconds
    etag: str | None = None
    members: Mapping[str, Any] = field(default_factory=dict)  # of the body


class AnswerError(CmsError):
    """The server answered, and not with a success."""

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
    """304: what was asked for is still what `if_none_match` names."""


class BadRequest(AnswerError):
    """400: the request is wrong; nothing was stored."""


class Unauthorized(AnswerError):
    """401: the key is missing, wrong, or does not reach this far."""


class NotFound(AnswerError):
    """404: what the path names does not exist."""


class NotSupported(AnswerError):
    """The server has no such operation: it is older, or of another kind."""


class PreconditionFailed(AnswerError):
    """412: the record is not any more what `if_match` names; nothing was changed."""

    @property
    def record(self) -> Any:
        """The record as it is now; its ETag is `etag`."""
        return self.members.get("value")

    @property
    def version(self) -> int | None:
        """The present version of a content or channel."""
        return self.members.get("version")


class TooLarge(AnswerError):
    """413: the body or file is larger than the server takes."""


class IdempotencyKeyReused(AnswerError):
    """422: the key belongs to another request of the last 24 hours; nothing was done."""


class TooManyRequests(AnswerError):
    """429: a limit is reached; `retry_after` says when again."""


class Unavailable(AnswerError):
    """502, 503, 504: the server cannot answer at present."""


class OutcomeUnknown(Unavailable):
    """The server lost its database while a change was being stored: look whether it was."""


class ServerError(AnswerError):
    """500: a fault of the server."""


class UnexpectedAnswer(AnswerError):
    """A success that is none of this interface: a page instead of JSON, a redirect."""


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
# What servers of the original leave unsaid.
_UNSAID = {
    304: "It has not changed.",
    401: "The API key is missing, unknown, or does not reach this far; the server did not say which.",
    404: "The server has nothing at this address.",
}
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


def connection_failure(error: httpx.RequestError) -> CmsError:
    """The failure that an exception of httpx stands for, without what that one holds of the request."""
    if isinstance(error, httpx.LocalProtocolError):
        # Its text shows the header that cannot be sent, and sent again it would be the same.
        return CmsError(f"The request cannot be sent: {type(error).__name__}")
    kind = TimedOut if isinstance(error, httpx.TimeoutException) else ConnectionFailed
    told = str(error) or type(error).__name__
    return kind(f"The connection failed: {told}", not isinstance(error, _NOT_SENT))


def answer_failure(response: httpx.Response) -> AnswerError:
    """The error of an answer that is no success."""
    refusal = refusal_of(response, object_of(response) or {})
    return _class_of(refusal)(refusal)


def unexpected(response: httpx.Response, message: str) -> UnexpectedAnswer:
    """The error of a success that cannot be read."""
    return UnexpectedAnswer(refusal_of(response, {}, message))


def refusal_of(response: httpx.Response, members: Mapping[str, Any], message: str = "") -> Refusal:
    """What an answer says, from its body's members and its headers."""
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
    """The JSON object of the body; None where it is something else."""
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _message_of(response: httpx.Response, members: Mapping[str, Any]) -> str:
    # Faults of the original say what they are in the second, and the same sentence each time in the first.
    for name in ("exceptionMessage", "message"):
        if isinstance(members.get(name), str) and members[name]:
            return str(members[name])
    if response.has_redirect_location:
        host = httpx.URL(response.headers["Location"]).host or "another path"
        return f"The server redirects to {host}; give the address that it redirects to as base_url."
    status = response.status_code
    return _UNSAID.get(status, f"The server answered {status} {response.reason_phrase} and did not say why.")


def _seconds_of(header: str) -> float | None:
    if header.strip().isdecimal():
        return float(header)
    try:
        return max(parsedate_to_datetime(header).timestamp() - time(), 0.0)
    except ValueError:
        return None
