"""Answers that the server gives by itself, in the form of the API's errors; each ends its connection."""

import json
from http import HTTPStatus

from gunicorn.util import http_date


def overloaded(wait: int) -> tuple[bytes, bytes]:
    """Head and body of 503: the same request may be sent again after so many seconds."""
    message = "The service has more requests than it can answer at present. Nothing was done; try again in a moment."
    return _answer(HTTPStatus.SERVICE_UNAVAILABLE, "overloaded", message, f"Retry-After: {wait}\r\n")


def too_slow(seconds: int) -> tuple[bytes, bytes]:
    """Head and body of 408."""
    message = f"The request was not there after {seconds} seconds (CMS_CLIENT_SECONDS). Nothing was done."
    return _answer(HTTPStatus.REQUEST_TIMEOUT, "request_timeout", message)


def _answer(status: HTTPStatus, code: str, message: str, more: str = "") -> tuple[bytes, bytes]:
    body = json.dumps({"message": message, "code": code}).encode()
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nDate: {http_date()}\r\nConnection: close\r\n{more}"
        "Cache-Control: no-store\r\nContent-Type: application/json; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode("ascii"), body
