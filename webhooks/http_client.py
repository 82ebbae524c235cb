"""Sends one request to a receiver: to checked addresses only, without redirects and proxies, within limits."""

import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass

from core.lib.pinned_connection import connecting
from core.lib.public_addresses import AddressRefused
from webhooks.receivers import read_url, resolve

SECONDS = 10.0  # for the whole request, from the connection to the last byte that is read
MAX_RESPONSE = 64 * 1024  # bytes that are read
SHOWN = 1024  # bytes of the response that are stored


@dataclass(frozen=True, slots=True)
class Outcome:
    status: int | None  # None: no response
    response: str  # its beginning
    error: str
    milliseconds: int

    @property
    def is_success(self) -> bool:
        return self.status is not None and 200 <= self.status < 300 and not self.error


def post(url: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
    """Return the response or the reason for its absence; raises nothing."""
    began, status, text, error = time.monotonic(), None, b"", ""
    try:
        receiver = read_url(url)
        with connecting(receiver, resolve(receiver), SECONDS) as connection:
            connection.request("POST", receiver.path, body, {"Host": receiver.authority, **headers})
            response = connection.getresponse()
            status, text = response.status, response.read(MAX_RESPONSE)
            connection.raise_if_over()
            if 300 <= response.status < 400:
                error = "The receiver redirects; redirects are not followed."
    except TimeoutError:
        error = _TOO_LATE
    except Exception as fault:  # noqa: BLE001 - receivers may cause any error, and each is shown in the log
        error = _told(fault)
    milliseconds = round((time.monotonic() - began) * 1000)
    # PostgreSQL stores no NUL.
    shown = text[:SHOWN].decode("utf-8", "replace").replace("\0", "\ufffd")
    return Outcome(status, shown, error, milliseconds)


_TOO_LATE = f"The receiver did not respond within {SECONDS:g} seconds."


def _told(fault: Exception) -> str:
    if isinstance(fault, AddressRefused):
        return f"{fault} CMS_WEBHOOK_NETWORKS lists further networks."
    if isinstance(fault, socket.gaierror):
        return "The host name cannot be resolved."
    return f"{type(fault).__name__}: {fault}"[:300].replace("\0", "\ufffd")
