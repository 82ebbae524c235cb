"""Sends one request to a receiver: to checked addresses only, without redirects and proxies, within limits."""

import http.client
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from threading import Timer

from webhooks.receivers import AddressRefused, Receiver, read_url, resolve

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
        addresses = resolve(receiver.host, receiver.port)
        with _deadline(receiver, addresses) as connection:
            connection.request("POST", receiver.target, body, {"Host": receiver.authority, **headers})
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
        return str(fault)
    if isinstance(fault, socket.gaierror):
        return "The host name cannot be resolved."
    return f"{type(fault).__name__}: {fault}"[:300].replace("\0", "\ufffd")


class _Connection(http.client.HTTPConnection):
    """Connects to one of the checked addresses; TLS and Host use the receiver's name."""

    def __init__(self, receiver: Receiver, addresses: list[str], seconds: float) -> None:
        super().__init__(receiver.host, receiver.port, timeout=seconds)
        self._receiver, self._addresses = receiver, addresses
        self._is_over = False

    def connect(self) -> None:
        error: OSError = OSError("The host name has no address.")
        for address in self._addresses:
            try:
                plain = socket.create_connection((address, self._receiver.port), self.timeout)
            except TimeoutError:
                raise
            except OSError as fault:
                error = fault
                continue
            break
        else:
            raise error
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._receiver.scheme == "http":
            self.sock = plain
            self.raise_if_over()
            return
        # The handshake comes after the assignment, so that the deadline ends it, too.
        self.sock = secure = tls_context().wrap_socket(
            plain, server_hostname=self._receiver.host, do_handshake_on_connect=False
        )
        self.raise_if_over()
        secure.do_handshake()

    def raise_if_over(self) -> None:
        if self._is_over:
            raise TimeoutError

    def end(self) -> None:
        """Make every operation on the socket fail immediately."""
        self._is_over = True
        if self.sock is not None:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)


@cache
def tls_context() -> ssl.SSLContext:
    return ssl.create_default_context()


@contextmanager
def _deadline(receiver: Receiver, addresses: list[str]) -> Iterator[_Connection]:
    # A time limit of the socket starts again with each byte that a slow receiver sends.
    connection = _Connection(receiver, addresses, SECONDS)
    timer = Timer(SECONDS, connection.end)
    timer.daemon = True
    timer.start()
    try:
        yield connection
    except Exception:
        connection.raise_if_over()
        raise
    finally:
        timer.cancel()
        connection.close()
