"""The one error body of the API: `{"message": …, "code": …}` (design §4)."""

import logging
import math
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from rest_framework import exceptions
from rest_framework.response import Response

from cms_api.rest.json import dump

JSON = "application/json; charset=utf-8"
logger = logging.getLogger(__name__)


class Refusal(exceptions.APIException):
    """An answer that is no success: a sentence for people and a stable word for programs."""

    def __init__(self, code: str, message: str, **members: Any) -> None:
        super().__init__(message, code)
        self.code, self.message, self.members = code, message, members


class BadRequest(Refusal):
    """400: the request cannot be carried out as it was sent; nothing was stored."""

    status_code = HTTPStatus.BAD_REQUEST


class Unauthorized(Refusal):
    """401: the key is missing, wrong, or does not reach this far. The interface knows no 403."""

    status_code = HTTPStatus.UNAUTHORIZED


class NotFound(Refusal):
    """404: the path addresses something that does not exist."""

    status_code = HTTPStatus.NOT_FOUND


class TooManyRequests(Refusal):
    """429: a limit of the service is reached; the same request may be sent again after `wait` seconds."""

    status_code = HTTPStatus.TOO_MANY_REQUESTS

    def __init__(self, code: str, message: str, *, wait: int) -> None:
        super().__init__(code, message)
        self.wait = wait


class TooLarge(Refusal):
    """413: the body is larger than CMS_MAX_BODY_BYTES, or the file in it than CMS_AVATAR_MAX_BYTES."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class Unavailable(Refusal):
    """503: something that the service needs does not answer; nothing was changed."""

    status_code = HTTPStatus.SERVICE_UNAVAILABLE


def body_too_large(limit: int) -> TooLarge:
    """The refusal of a body over the limit, in bytes."""
    return TooLarge("body_too_large", f"The body is larger than {limit} bytes.")


def answer_exception(exception: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler: every exception of a view becomes an answer; a bug becomes a 500."""
    refusal = _as_refusal(exception)
    headers: dict[str, str] = {}
    if refusal is not None and refusal.status_code == HTTPStatus.UNAUTHORIZED:
        # HTTP wants a challenge with every 401; the view has none if it needs no key.
        challenge = context["view"].get_authenticate_header(context["request"])
        headers |= {"WWW-Authenticate": challenge} if challenge else {}
    if wait := getattr(exception, "wait", None):
        headers["Retry-After"] = str(math.ceil(wait))
    if refusal is None:
        request = context["request"]
        number = getattr(request, "request_id", "without a number")
        logger.error("Unexpected error in %s (request %s)", request.path, number, exc_info=exception)
        return Response(_body("server_error", _SERVER_ERROR), HTTPStatus.INTERNAL_SERVER_ERROR)
    body = _body(refusal.code, refusal.message) | refusal.members
    return Response(body, refusal.status_code, headers=headers)


def plain_answer(status: int, code: str, message: str) -> HttpResponse:
    """An error answer outside of DRF's views."""
    return HttpResponse(dump(_body(code, message)), JSON, status)


def route_not_found(request: HttpRequest) -> HttpResponse:
    """The answer to an unknown path under /api/; it needs no key and says that no record is meant."""
    message = f"There is no endpoint {request.path}. Paths begin with /api/v1/ and are listed in the README."
    return plain_answer(HTTPStatus.NOT_FOUND, "route_not_found", message)


_SERVER_ERROR = "An unexpected error happened here; it is in the server's log. Nothing was stored."
# DRF's and Django's exceptions: class, code, whether its own text is fit for people.
_OTHERS: list[tuple[type[Exception], type[Refusal], str, str]] = [
    (Http404, NotFound, "not_found", "The record was not found."),
    (exceptions.NotFound, NotFound, "not_found", "The record was not found."),
    (PermissionDenied, Unauthorized, "not_allowed", "The key does not allow this."),
    (exceptions.NotAuthenticated, Unauthorized, "key_missing", "No API key was sent."),
    (exceptions.AuthenticationFailed, Unauthorized, "key_unknown", "The API key is not known."),
    (exceptions.PermissionDenied, Unauthorized, "not_allowed", "The key does not allow this."),
    (
        exceptions.UnsupportedMediaType,
        BadRequest,
        "body_not_object",
        "A JSON object is expected in the body.",
    ),
    (SuspiciousOperation, BadRequest, "bad_request", "The request cannot be read."),
    (UnreadablePostError, BadRequest, "body_unreadable", "The body broke off or its chunks are malformed."),
]


def _as_refusal(exception: Exception) -> Refusal | None:
    if isinstance(exception, Refusal):
        return exception
    if isinstance(exception, RequestDataTooBig):
        return body_too_large(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    if isinstance(exception, exceptions.MethodNotAllowed):
        return _named(exception, "method_not_allowed", str(exception.detail))
    for kind, refusal, code, message in _OTHERS:
        if isinstance(exception, kind):
            return refusal(code, message)
    if isinstance(exception, exceptions.APIException):
        return _named(exception, str(exception.default_code), str(exception.detail))
    return None


def _named(exception: exceptions.APIException, code: str, message: str) -> Refusal:
    refusal = Refusal(code, message)
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
}


def replace_page(response: HttpResponse) -> HttpResponse:
    """Django's HTML error page with the API's error body; other answers as they are.

    The headers stay: those of CORS let a browser's page read the error.
    """
    if response.status_code < HTTPStatus.BAD_REQUEST:
        return response
    if response.headers.get("Content-Type", "").startswith("application/json"):
        return response
    code, message = _PLAIN.get(HTTPStatus(response.status_code), ("server_error", _SERVER_ERROR))
    response.content = dump(_body(code, message))
    response.headers["Content-Type"] = JSON
    response.headers["Content-Length"] = str(len(response.content))
    return response
