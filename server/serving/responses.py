import json
import re
from http import HTTPStatus
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest
from gunicorn.util import http_date

from core.audit.middleware import REQUEST_ID, request_id_of

_ORIGIN = re.compile(rb"^[A-Z]+ /api/.*?\r\nOrigin:[ \t]*([!-~]{1,255})[ \t]*\r\n", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(rb"\r\nX-Request-Id:[ \t]*([!-~]{1,64})[ \t]*\r\n", re.IGNORECASE)
_END_OF_HEAD = b"\r\n\r\n"


class ReceivedRequest(NamedTuple):
    """The part of a request that has arrived, and the client's address (empty for a Unix socket)."""

    sent: bytes
    address: str


class ServerResponse(NamedTuple):
    head: bytes
    body: bytes
    number: str


def overloaded(asked: ReceivedRequest, wait: int) -> ServerResponse:
    message = "The service is overloaded. Nothing was done; try again in a moment."
    return _answer(asked, HTTPStatus.SERVICE_UNAVAILABLE, "overloaded", message, {"Retry-After": str(wait)})


def too_slow(asked: ReceivedRequest, seconds: int) -> ServerResponse:
    message = f"The request did not arrive within {seconds} seconds (CMS_CLIENT_SECONDS). Nothing was done."
    return _answer(asked, HTTPStatus.REQUEST_TIMEOUT, "request_timeout", message, {})


def line_too_long(asked: ReceivedRequest, limit: int) -> ServerResponse:
    message = (
        f"The URL is too long: the request line may have at most {limit} bytes. Shorten the query, or list "
        "contents with POST /api/v1/contents."
    )
    return _answer(asked, HTTPStatus.REQUEST_URI_TOO_LONG, "uri_too_long", message, {})


def headers_too_large(asked: ReceivedRequest, number: int, limit: int) -> ServerResponse:
    message = (
        f"The request headers are too large: at most {number} headers of {limit} bytes each are allowed. Send "
        "fewer or shorter ones."
    )
    return _answer(asked, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "headers_too_large", message, {})


def unreadable(asked: ReceivedRequest) -> ServerResponse:
    message = "The request is not valid HTTP; check its first line, its headers and the framing of its body."
    return _answer(asked, HTTPStatus.BAD_REQUEST, "bad_request", message, {})


def failed(asked: ReceivedRequest) -> ServerResponse:
    message = "The service could not answer the request; its log has the reason, with the X-Request-Id."
    return _answer(asked, HTTPStatus.INTERNAL_SERVER_ERROR, "server_error", message, {})


def _answer(
    asked: ReceivedRequest, status: HTTPStatus, code: str, message: str, headers: dict[str, str]
) -> ServerResponse:
    head = asked.sent.partition(_END_OF_HEAD)[0] + b"\r\n"
    # Numbered as by the application: a trusted proxy's id, else a new one.
    request, found = HttpRequest(), _NUMBER.search(head)
    request.META = {"REMOTE_ADDR": asked.address, "HTTP_X_REQUEST_ID": found[1].decode("ascii") if found else ""}
    number = request_id_of(request)
    body = json.dumps({"message": message, "code": code}).encode()
    headers |= _for_other_origins(head) | {
        "Date": http_date(),
        "Connection": "close",
        "Cache-Control": "no-store",
        "Content-Type": "application/json; charset=utf-8",
        "Content-Length": str(len(body)),
        REQUEST_ID: number,
    }
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    shown = b"" if head.startswith(b"HEAD ") else body
    return ServerResponse("\r\n".join([*lines, "", ""]).encode("ascii"), shown, number)


def _for_other_origins(head: bytes) -> dict[str, str]:
    """Return CORS headers so that a page of another origin can read the response; `head` may be incomplete."""
    found = _ORIGIN.match(head)
    if found is None:
        return {}
    origin = found[1].decode("ascii")
    if not settings.CORS_ALLOW_ALL_ORIGINS and origin not in settings.CORS_ALLOWED_ORIGINS:
        return {"Vary": "origin"}
    return {
        "Vary": "origin",
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Expose-Headers": ", ".join(settings.CORS_EXPOSE_HEADERS),
    }
