"""HTTP connections to checked addresses of a host, with a time limit for the whole request and without proxies."""

import http.client
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from threading import Timer

from core.lib.public_addresses import Target

ERRORS = (OSError, http.client.HTTPException)  # that a host may cause


class PinnedConnection(http.client.HTTPConnection):
    """Connects to one of the checked addresses; TLS and Host use the name of the host."""

    def __init__(self, target: Target, addresses: list[str], seconds: float) -> None:
        super().__init__(target.host, target.port, timeout=seconds)
        self._target, self._addresses = target, addresses
        self._is_over = False

    def connect(self) -> None:
        error: OSError = OSError("The host name has no address.")
        for address in self._addresses:
            try:
                plain = socket.create_connection((address, self._target.port), self.timeout)
            except TimeoutError:
                raise
            except OSError as fault:
                error = fault
                continue
            break
        else:
            raise error
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._target.scheme == "http":
            self.sock = plain
            self.raise_if_over()
            return
        # The handshake comes after the assignment, so that the deadline ends it, too.
        self.sock = secure = tls_context().wrap_socket(
            plain, server_hostname=self._target.host, do_handshake_on_connect=False
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
def connecting(target: Target, addresses: list[str], seconds: float) -> Iterator[PinnedConnection]:
    """A connection that ends after `seconds`. Raises TimeoutError then, and any error of the block before."""
    # A time limit of the socket starts again with each byte that a slow host sends.
    connection = PinnedConnection(target, addresses, seconds)
    timer = Timer(seconds, connection.end)
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
