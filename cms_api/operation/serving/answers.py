"""Answers that the server gives by itself, in the form of the API's errors; each ends its connection."""

import json
import re
from http import HTTPStatus
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest
from gunicorn.util import http_date

from cms_api.lib.request_headers import REQUEST_ID, request_id_of

_ORIGIN = re.compile(rb"^[A-Z]+ /api/.*?\r\nOrigin:[ \t]*([!-~]{1,255})[ \t]*\r\n", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(rb"\r\nX-Request-Id:[ \t]*([!-~]{1,64})[ \t]*\r\n", re.IGNORECASE)
_END_OF_HEAD = b"\r\n\r\n"


class Asked(NamedTuple):
    """A request as far as it has come, and the address that it came from; empty for that of a Unix socket."""

    sent: bytes
    address: str


class Answer(NamedTuple):
    """What is sent of an answer, and the number of its request."""

    head: bytes
    body: bytes
    number: str


def overloaded(asked: Asked, wait: int) -> Answer:
    """503: the same request may be sent again after so many seconds."""
    message = "The service has more requests than it can answer at present. Nothing was done; try again in a moment."
    return _answer(asked, HTTPStatus.SERVICE_UNAVAILABLE, "overloaded", message, {"Retry-After": str(wait)})


def too_slow(asked: Asked, seconds: int) -> Answer:
    """408."""
    message = f"The request was not there after {seconds} seconds (CMS_CLIENT_SECONDS). Nothing was done."
    return _answer(asked, HTTPStatus.REQUEST_TIMEOUT, "request_timeout", message, {})


def line_too_long(asked: Asked, limit: int) -> Answer:
    """414: the line with the address has more than so many bytes."""
    message = (
        f"The address of the request is too long, since its line may have {limit} bytes; shorten the query, or list "
        "contents by POST /api/v1/contents."
    )
    return _answer(asked, HTTPStatus.REQUEST_URI_TOO_LONG, "uri_too_long", message, {})


def headers_too_large(asked: Asked, number: int, limit: int) -> Answer:
    """431: more than so many headers, or one of more than so many bytes."""
    message = (
        f"The headers of the request are too large, of which there may be {number} of {limit} bytes each; send fewer "
        "and shorter ones."
    )
    return _answer(asked, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "headers_too_large", message, {})


def unreadable(asked: Asked) -> Answer:
    """400: no HTTP, or one that the server does not speak."""
    message = "The request cannot be read as HTTP; look at its first line, its headers and how its body is framed."
    return _answer(asked, HTTPStatus.BAD_REQUEST, "bad_request", message, {})


def failed(asked: Asked) -> Answer:
    """500: what went wrong outside of the application stands in the log."""
    message = "The service could not answer the request; the reason is in its log, with the X-Request-Id."
    return _answer(asked, HTTPStatus.INTERNAL_SERVER_ERROR, "server_error", message, {})


def _answer(asked: Asked, status: HTTPStatus, code: str, message: str, headers: dict[str, str]) -> Answer:
    """Ends the connection; the one to HEAD has no body."""
    head = asked.sent.partition(_END_OF_HEAD)[0] + b"\r\n"
    body, number = json.dumps({"message": message, "code": code}).encode(), _number_of(head, asked.address)
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
    return Answer("\r\n".join([*lines, "", ""]).encode("ascii"), shown, number)


def _number_of(head: bytes, address: str) -> str:
    """As the application numbers a request: that of a trusted proxy, else a new one."""
    request, found = HttpRequest(), _NUMBER.search(head)
    request.META = {"REMOTE_ADDR": address, "HTTP_X_REQUEST_ID": found[1].decode("ascii") if found else ""}
    return request_id_of(request)


def _for_other_origins(head: bytes) -> dict[str, str]:
    """What lets a page of another origin read the answer, as it reads all others of the API (design §4.8).

    Of the request there is what has come so far.
    """
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
