"""Answers that the server gives by itself, in the form of the API's errors; each ends its connection."""

import json
import re
from http import HTTPStatus

from django.conf import settings
from gunicorn.util import http_date

_ORIGIN = re.compile(rb"^[A-Z]+ /api/.*?\r\nOrigin:[ \t]*([!-~]{1,255})[ \t]*\r\n", re.IGNORECASE | re.DOTALL)
_END_OF_HEAD = b"\r\n\r\n"


def overloaded(request: bytes, wait: int) -> tuple[bytes, bytes]:
    """Head and body of 503: the same request may be sent again after so many seconds."""
    message = "The service has more requests than it can answer at present. Nothing was done; try again in a moment."
    return _answer(request, HTTPStatus.SERVICE_UNAVAILABLE, "overloaded", message, {"Retry-After": str(wait)})


def too_slow(request: bytes, seconds: int) -> tuple[bytes, bytes]:
    """Head and body of 408."""
    message = f"The request was not there after {seconds} seconds (CMS_CLIENT_SECONDS). Nothing was done."
    return _answer(request, HTTPStatus.REQUEST_TIMEOUT, "request_timeout", message, {})


def _answer(
    request: bytes, status: HTTPStatus, code: str, message: str, headers: dict[str, str]
) -> tuple[bytes, bytes]:
    body = json.dumps({"message": message, "code": code}).encode()
    headers |= _for_other_origins(request) | {
        "Date": http_date(),
        "Connection": "close",
        "Cache-Control": "no-store",
        "Content-Type": "application/json; charset=utf-8",
        "Content-Length": str(len(body)),
    }
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii"), body


def _for_other_origins(request: bytes) -> dict[str, str]:
    """What lets a page of another origin read the answer, as it reads all others of the API (design §4.8).

    Of the request there is what has come so far.
    """
    found = _ORIGIN.match(request.partition(_END_OF_HEAD)[0] + b"\r\n")
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
