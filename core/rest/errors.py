"""The API's only error body: `{"message": …, "code": …}`."""

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

from core.lib.database_faults import Fault, confirmed_fault_of, may_be_stored, told
from core.lib.errors import InvalidInput, LimitReached, NotFound, NotPermitted, ServiceError, Unavailable
from core.rest.json import dump

JSON = "application/json; charset=utf-8"
logger = logging.getLogger(__name__)

# Statuses of domain errors. Like SiteServer v6, the API never responds 403.
STATUSES: dict[type[ServiceError], HTTPStatus] = {
    InvalidInput: HTTPStatus.BAD_REQUEST,
    NotPermitted: HTTPStatus.UNAUTHORIZED,
    NotFound: HTTPStatus.NOT_FOUND,
    LimitReached: HTTPStatus.TOO_MANY_REQUESTS,
    Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}


class HttpError(ServiceError):
    status_code: int = HTTPStatus.INTERNAL_SERVER_ERROR


def status_of(refusal: ServiceError) -> int:
    if isinstance(refusal, HttpError):
        return refusal.status_code
    return next(STATUSES[kind] for kind in type(refusal).__mro__ if kind in STATUSES)


class TooLarge(HttpError):
    """413: the body exceeds CMS_MAX_BODY_BYTES, or a file in it CMS_AVATAR_MAX_BYTES."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class ImmediateResponse(Exception):
    """A finished response, raised to skip the rest of a view; not an error."""

    def answer(self) -> HttpResponse:
        raise NotImplementedError


def body_too_large(limit: int) -> TooLarge:
    return TooLarge("body_too_large", f"The body is larger than {limit} bytes.")


def answer_exception(exception: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler: turn every exception of a view into a response, a bug into a 500."""
    request, view = context["request"], context["view"]
    refusal, is_of_database = _as_refusal(exception), False
    if refusal is None:
        refusal = database_refusal(exception, request, view.read_methods)
        is_of_database = refusal is not None
    if refusal is None:
        number = getattr(request, "request_id", "without a number")
        logger.error("Unexpected error in %s (request %s)", _on_one_line(request), number, exc_info=exception)
        return Response(_body("server_error", _SERVER_ERROR), HTTPStatus.INTERNAL_SERVER_ERROR)
    headers: dict[str, str] = {}
    if isinstance(refusal, NotPermitted):
        # HTTP requires a challenge with every 401; views without a key have none.
        challenge = view.get_authenticate_header(request)
        headers |= {"WWW-Authenticate": challenge} if challenge else {}
    if wait := getattr(refusal, "wait", None):
        headers["Retry-After"] = str(math.ceil(wait))
    answer = Response(body_of(refusal), status_of(refusal), headers=headers)
    answer._has_been_logged = is_of_database  # type: ignore[attr-defined]  # otherwise Django would log it again
    return answer


# Message, and seconds for Retry-After.
_WITHOUT_DATABASE = {
    Fault.UNAVAILABLE: ("The database does not respond. Nothing was stored; try again in a moment.", 5),
    Fault.BUSY: ("The database is busy with other changes. Nothing was stored; try again in a moment.", 2),
    Fault.FULL: ("The disk is full. Nothing was stored; the operator must free space.", 60),
    Fault.DAMAGED: ("The database file is damaged. Nothing was stored; the operator must restore it.", 60),
    Fault.NOT_MIGRATED: (
        "The database has not been migrated to this release. Nothing was stored; the operator must migrate it.",
        60,
    ),
}


def database_refusal(
    error: BaseException | None, request: Any, read_methods: frozenset[str] = frozenset({"GET", "HEAD", "OPTIONS"})
) -> Unavailable | None:
    """Log a failure of the database or disk and return the refusal; None for other errors."""
    if error is None or (fault := confirmed_fault_of(error)) is None:
        return None
    number = getattr(request, "request_id", "without a number")
    logger.error("%s: %s %s (request %s): %s", fault.value, request.method, _on_one_line(request), number, told(error))
    if may_be_stored(error) and request.method not in read_methods:
        # No Retry-After: an automatic retry could store the change twice.
        message = (
            "The connection to the database was lost while the change was being stored. Check whether it was stored."
        )
        return Unavailable("outcome_unknown", message)
    message, wait = _WITHOUT_DATABASE[fault]
    return Unavailable(fault.value, message, wait=wait)


def _on_one_line(request: Any) -> str:
    return str(request.path).encode("unicode_escape").decode()


def until_cut(parts: Iterable[Any], request: Any) -> Iterator[Any]:
    """Yield the parts; if the database fails, raise `ConnectionResetError`, so that the client sees the cut."""
    try:
        yield from parts
    except Exception as error:
        if database_refusal(error, request) is None:
            raise
        raise ConnectionResetError(
            errno.ECONNRESET, ("The response is cut off because the database connection was lost.")
        ) from error


def plain_answer(status: int, code: str, message: str) -> HttpResponse:
    return HttpResponse(dump(_body(code, message)), JSON, status)


_SERVER_ERROR = (
    "An unexpected error occurred; the server's log has the details. A change may have been stored: "
    "check before you try again."
)
# Exceptions of DRF and Django: class, refusal, code, message.
_OTHERS: list[tuple[type[Exception], type[ServiceError], str, str]] = [
    (Http404, NotFound, "not_found", "The record was not found."),
    (exceptions.NotFound, NotFound, "not_found", "The record was not found."),
    (PermissionDenied, NotPermitted, "not_allowed", "The key does not allow this."),
    (exceptions.NotAuthenticated, NotPermitted, "key_missing", "No API key was sent."),
    (exceptions.AuthenticationFailed, NotPermitted, "key_unknown", "The API key is not known."),
    (exceptions.PermissionDenied, NotPermitted, "not_allowed", "The key does not allow this."),
    (exceptions.UnsupportedMediaType, InvalidInput, "body_not_object", "The body must be a JSON object."),
    (SuspiciousOperation, InvalidInput, "bad_request", "The request cannot be read."),
    (UnreadablePostError, InvalidInput, "body_unreadable", "The body is incomplete or its chunks are malformed."),
]


def _as_refusal(exception: Exception) -> ServiceError | None:
    if isinstance(exception, ServiceError):
        return exception
    if isinstance(exception, RequestDataTooBig):
        return body_too_large(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    for kind, refusal, code, message in _OTHERS:
        if isinstance(exception, kind):
            return refusal(code, message)
    if isinstance(exception, exceptions.APIException):
        # DRF's own codes are not part of the interface.
        code, _ = _PLAIN.get(HTTPStatus(exception.status_code), _PLAIN[HTTPStatus.BAD_REQUEST])
        answer = HttpError(code, str(exception.detail))
        answer.status_code = exception.status_code
        return answer
    return None


def body_of(refusal: ServiceError) -> dict[str, Any]:
    return _body(refusal.code, refusal.message) | refusal.members


def _body(code: str, message: str) -> dict[str, Any]:
    return {"message": message, "code": code}


_PLAIN = {
    HTTPStatus.BAD_REQUEST: ("bad_request", "The request cannot be read."),
    HTTPStatus.NOT_FOUND: ("route_not_found", "There is no endpoint at this path."),
    HTTPStatus.METHOD_NOT_ALLOWED: ("method_not_allowed", "The method is not allowed at this path."),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ("body_too_large", "The body is too large."),
    HTTPStatus.INTERNAL_SERVER_ERROR: ("server_error", _SERVER_ERROR),
}


def replace_page(response: HttpResponse) -> HttpResponse:
    """Replace Django's HTML error page by the API's error body, keeping the headers; API errors pass unchanged."""
    if response.headers.get("Content-Type", "").startswith("application/json"):
        return response
    code, message = _PLAIN.get(HTTPStatus(response.status_code), ("server_error", _SERVER_ERROR))
    response.content = dump(_body(code, message))
    response.headers["Content-Type"] = JSON
    response.headers["Content-Length"] = str(len(response.content))
    return response
