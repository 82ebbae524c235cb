"""The one error body of the API: `{"message": …, "code": …}` (design §4)."""

import errno
import logging
import math
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpResponse, UnreadablePostError
from rest_framework import exceptions
from rest_framework.response import Response

from cms_api.lib.database_faults import Fault, confirmed_fault_of, may_be_stored, told
from cms_api.lib.errors import InvalidInput, LimitReached, NotFound, NotPermitted, ServiceError, Unavailable
from cms_api.rest.json import dump

JSON = "application/json; charset=utf-8"
_RETRY = "Retry-After"
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
logger = logging.getLogger(__name__)


# The statuses of domain errors. The interface knows no 403.
STATUSES: dict[type[ServiceError], HTTPStatus] = {
    InvalidInput: HTTPStatus.BAD_REQUEST,
    NotPermitted: HTTPStatus.UNAUTHORIZED,
    NotFound: HTTPStatus.NOT_FOUND,
    LimitReached: HTTPStatus.TOO_MANY_REQUESTS,
    Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}


class HttpError(ServiceError):
    """An answer of HTTP that no domain error stands for."""

    status_code: int = HTTPStatus.INTERNAL_SERVER_ERROR


def status_of(refusal: ServiceError) -> int:
    if isinstance(refusal, HttpError):
        return refusal.status_code
    return next(STATUSES[kind] for kind in type(refusal).__mro__ if kind in STATUSES)


class TooLarge(HttpError):
    """413: the body is larger than CMS_MAX_BODY_BYTES, or the file in it than CMS_AVATAR_MAX_BYTES."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class Ready(Exception):
    """An answer that is there already, raised instead of being made: no error."""

    def answer(self) -> HttpResponse:
        raise NotImplementedError


def body_too_large(limit: int) -> TooLarge:
    """The refusal of a body over the limit, in bytes."""
    return TooLarge("body_too_large", f"The body is larger than {limit} bytes.")


def answer_exception(exception: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler: every exception of a view becomes an answer; a bug becomes a 500."""
    refusal = _as_refusal(exception)
    if refusal is None:
        away = database_refusal(exception, context["request"], context["view"].read_methods)
        if away is not None:
            return _answer_without_database(away)
    headers: dict[str, str] = {}
    if isinstance(refusal, NotPermitted):
        # HTTP wants a challenge with every 401; the view has none if it needs no key.
        challenge = context["view"].get_authenticate_header(context["request"])
        headers |= {"WWW-Authenticate": challenge} if challenge else {}
    if wait := getattr(exception, "wait", None):
        headers[_RETRY] = str(math.ceil(wait))
    if refusal is None:
        request = context["request"]
        number = getattr(request, "request_id", "without a number")
        logger.error("Unexpected error in %s (request %s)", _on_one_line(request), number, exc_info=exception)
        return Response(_body("server_error", _SERVER_ERROR), HTTPStatus.INTERNAL_SERVER_ERROR)
    body = _body(refusal.code, refusal.message) | refusal.members
    return Response(body, status_of(refusal), headers=headers)


# Sentence, and in how many seconds it may be better.
_WITHOUT_DATABASE = {
    Fault.UNAVAILABLE: ("The database does not answer at present. Nothing was stored; try again in a moment.", 5),
    Fault.BUSY: ("The database is busy with other changes. Nothing was stored; try again in a moment.", 2),
    Fault.FULL: ("There is no room left on the disk. Nothing was stored; the operator has to make room.", 60),
    Fault.DAMAGED: ("The database file is damaged. Nothing was stored; the operator has to restore it.", 60),
    Fault.NOT_MIGRATED: (
        "The database has not been migrated to this release. Nothing was stored; the operator has to migrate it.",
        60,
    ),
}
_DOUBT = "The connection to the database broke off while the change was being stored. Look whether it was."


def database_refusal(
    error: BaseException | None, request: Any, read_methods: frozenset[str] = _READS
) -> Unavailable | None:
    """The refusal of a request that the database or the disk failed, which it logs; None for other errors."""
    if error is None or (fault := confirmed_fault_of(error)) is None:
        return None
    number = getattr(request, "request_id", "without a number")
    logger.error("%s: %s %s (request %s): %s", fault.value, request.method, _on_one_line(request), number, told(error))
    if may_be_stored(error) and request.method not in read_methods:
        # Without Retry-After: sent again by a program, it might be stored twice.
        return Unavailable("outcome_unknown", _DOUBT)
    message, wait = _WITHOUT_DATABASE[fault]
    return Unavailable(fault.value, message, wait=wait)


def _on_one_line(request: Any) -> str:
    """The path as the log may have it: a client could make lines of its own with it."""
    return str(request.path).encode("unicode_escape").decode()


def _answer_without_database(refusal: Unavailable) -> Response:
    headers = {_RETRY: str(refusal.wait)} if refusal.wait else {}
    answer = Response(_body(refusal.code, refusal.message), status_of(refusal), headers=headers)
    # Django would give it a second line.
    answer._has_been_logged = True  # type: ignore[attr-defined]
    return answer


def until_cut(parts: Iterable[Any], request: Any) -> Iterator[Any]:
    """The parts of an answer that is written while it is sent, up to where the database goes away.

    Raises ConnectionResetError there: the server ends the connection, by which the client sees that the answer is
    not whole. Other errors would leave a traceback in the server's log.
    """
    try:
        yield from parts
    except Exception as error:
        if database_refusal(error, request) is None:
            raise
        raise ConnectionResetError(errno.ECONNRESET, "The answer breaks off without its database.") from error


def plain_answer(status: int, code: str, message: str) -> HttpResponse:
    """An error answer outside of DRF's views."""
    return HttpResponse(dump(_body(code, message)), JSON, status)


_SERVER_ERROR = (
    "An unexpected error happened here; it is in the server's log. A change may have been stored: look first."
)
# DRF's and Django's exceptions: class, code, whether its own text is fit for people.
_OTHERS: list[tuple[type[Exception], type[ServiceError], str, str]] = [
    (Http404, NotFound, "not_found", "The record was not found."),
    (exceptions.NotFound, NotFound, "not_found", "The record was not found."),
    (PermissionDenied, NotPermitted, "not_allowed", "The key does not allow this."),
    (exceptions.NotAuthenticated, NotPermitted, "key_missing", "No API key was sent."),
    (exceptions.AuthenticationFailed, NotPermitted, "key_unknown", "The API key is not known."),
    (exceptions.PermissionDenied, NotPermitted, "not_allowed", "The key does not allow this."),
    (
        exceptions.UnsupportedMediaType,
        InvalidInput,
        "body_not_object",
        "A JSON object is expected in the body.",
    ),
    (SuspiciousOperation, InvalidInput, "bad_request", "The request cannot be read."),
    (UnreadablePostError, InvalidInput, "body_unreadable", "The body broke off or its chunks are malformed."),
]


def _as_refusal(exception: Exception) -> ServiceError | None:
    if isinstance(exception, ServiceError):
        return exception
    if isinstance(exception, RequestDataTooBig):
        return body_too_large(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    if isinstance(exception, exceptions.MethodNotAllowed):
        return _named(exception, "method_not_allowed", str(exception.detail))
    for kind, refusal, code, message in _OTHERS:
        if isinstance(exception, kind):
            return refusal(code, message)
    if isinstance(exception, exceptions.APIException):
        # DRF's own words are no part of the interface.
        code, _ = _PLAIN.get(HTTPStatus(exception.status_code), _PLAIN[HTTPStatus.BAD_REQUEST])
        return _named(exception, code, str(exception.detail))
    return None


def _named(exception: exceptions.APIException, code: str, message: str) -> ServiceError:
    refusal = HttpError(code, message)
    refusal.status_code = exception.status_code
    return refusal


def _body(code: str, message: str) -> dict[str, Any]:
    return {"message": message, "code": code}


# ---- Django's own error pages, for paths outside of the API

_PLAIN = {
    HTTPStatus.BAD_REQUEST: ("bad_request", "The request cannot be read."),
    HTTPStatus.NOT_FOUND: ("route_not_found", "There is no endpoint at this path."),
    HTTPStatus.METHOD_NOT_ALLOWED: ("method_not_allowed", "The verb is not allowed at this path."),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ("body_too_large", "The body is too large."),
    HTTPStatus.INTERNAL_SERVER_ERROR: ("server_error", _SERVER_ERROR),
}


def replace_page(response: HttpResponse) -> HttpResponse:
    """Django's HTML error page with the API's error body; an error of the API as it is.

    The headers stay: those of CORS let a browser's page read the error.
    """
    if response.headers.get("Content-Type", "").startswith("application/json"):
        return response
    code, message = _PLAIN.get(HTTPStatus(response.status_code), ("server_error", _SERVER_ERROR))
    response.content = dump(_body(code, message))
    response.headers["Content-Type"] = JSON
    response.headers["Content-Length"] = str(len(response.content))
    return response
