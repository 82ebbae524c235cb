"""A connection read without a thread until its request has arrived; gunicorn parses the same bytes."""

import errno
import math
import re
import socket
import time
from collections.abc import Callable
from typing import Any

from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import TConn

from core.rest.waiting import Waiting
from server.serving.responses import ReceivedRequest

# Bytes of a request that are awaited without a thread; a thread reads the rest of a longer one.
BATCH_SIZE = 64 * 1024
_END_OF_HEAD = b"\r\n\r\n"
_FRAMING = re.compile(
    rb"\r\n(?:content-length:[ \t]*(\d{1,12})[ \t]*\r\n|(transfer-encoding):|(expect):)", re.IGNORECASE
)
# Probes report the server's state, above all under load, and so have a thread of their own.
_PROBE = re.compile(rb"(?:GET|HEAD) /api/v1/(?:health/|metrics\b|ping\b)")
# POST /api/v1/contents lists contents and does not write.
_WRITE = re.compile(rb"(?:POST|PUT|PATCH|DELETE) (?!/api/v1/contents/?[ ?])")


class Connection(TConn):
    def __init__(self, cfg: Any, sock: socket.socket, client: Any, server: Any, linger: Callable[[Any], None]) -> None:
        super().__init__(cfg, sock, client, server)
        self.data_ready = True  # a thread does not wait for the first byte
        self.arrived = bytearray()
        self.begun = b""  # bytes received when a thread took the request, until it is answered
        self.deadline = self.waits_since = 0.0
        self._seconds = 0
        self.arrived_at = math.inf  # monotonic, of the latest bytes
        self._linger = linger
        self.outgoing: Any = None  # the latest response
        self.queued = 0  # bytes of it in the system's buffer at the last progress
        self.given_back: Any = None  # the parsed request, until it is looked at again

    def begin(self, seconds: int) -> None:
        """Await a request within `seconds`; each further portion of a long one has as many."""
        self._seconds, self.deadline = seconds, time.monotonic() + seconds
        self._whole: int | None = None  # bytes of head and body; None: unknown
        self._head = 0  # bytes
        self.must_be_read = self.is_whole = self.is_probe = self.is_write = self.is_put_back = False
        self.waiting = Waiting()
        self.is_awake = False  # there is news for a request that its view returned to the loop
        self.looks, self.rests_until = 0, 0.0  # monotonic
        self.given_back = None

    @property
    def may_wait(self) -> bool:
        return self.is_whole and self._whole == self._head

    def receive(self) -> bool:
        """Read available bytes; false if the client has disconnected without a request."""
        try:
            data = self.sock.recv(BATCH_SIZE)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.arrived += data
        self.arrived_at = time.monotonic()
        self.look()
        # A truncated body gets a 400.
        self.must_be_read |= not data and self._head > 0
        return bool(data) or self.must_be_read

    def look(self) -> None:
        """Set `is_whole` if the request is complete, and `must_be_read` if a thread must take it in any case."""
        if not self._head and (end := self.arrived.find(_END_OF_HEAD)) >= 0:
            self._head = self._whole = end + len(_END_OF_HEAD)
            self.is_probe = _PROBE.match(self.arrived) is not None
            self.is_write = _WRITE.match(self.arrived) is not None
            for length, chunked, expect in _FRAMING.findall(self.arrived[: end + 2]):
                if length:
                    self._whole = self._head + int(length)
                elif chunked:
                    self._whole = None
                elif expect:
                    self.must_be_read = True  # the client waits for an interim response
        if self._head:
            # These bytes may be the end of the chunks; if they are not, a thread reads the rest.
            end_of_chunks = len(self.arrived) > self._head and self.arrived.endswith(_END_OF_HEAD)
            self.is_whole = end_of_chunks if self._whole is None else len(self.arrived) >= self._whole
        self.must_be_read |= self.is_whole or len(self.arrived) >= BATCH_SIZE

    def init(self) -> None:
        """Override: gunicorn calls it before each request, in the thread that takes it."""
        if not self.initialized:
            super().init()
            self.parser.unreader = PacedUnreader(self.sock, self._seconds)
        self.parser.unreader.begin()
        if self.waiting.is_again:
            return  # the request was parsed before
        self.begun = bytes(self.arrived)
        self.parser.unreader.unread(self.begun)
        self.arrived.clear()

    def asked(self) -> ReceivedRequest:
        address = self.client[0] if isinstance(self.client, tuple) else ""
        return ReceivedRequest(self.begun or bytes(self.arrived), address)

    def close(self, graceful: bool = False) -> None:
        """Override: the poller waits for a graceful end, so that no thread has to."""
        if graceful:
            self._linger(self)
        else:
            super().close()


class PacedUnreader(SocketUnreader):
    """Reads the rest of a request in a thread; each portion has `seconds`, counting only time spent waiting."""

    def __init__(self, sock: socket.socket, seconds: int) -> None:
        super().__init__(sock)
        self._seconds = seconds
        self.begin()

    def begin(self) -> None:
        self._left, self._received = float(self._seconds), 0

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Override; raises `ConnectionResetError` if the client is too slow."""
        begun = time.monotonic()
        # Bytes that have arrived are read even after the deadline.
        self.sock.settimeout(max(self._left, 0.001))
        try:
            data: bytes = super().chunk(size_hint)
        except TimeoutError as error:
            raise too_slow() from error
        finally:
            self.sock.settimeout(None)
        self._left -= time.monotonic() - begun
        self._received += len(data)
        if self._received >= BATCH_SIZE:
            self.begin()
        return data


def too_slow() -> ConnectionResetError:
    """Return the error for a slow client, which gunicorn treats as a client that has left."""
    return ConnectionResetError(errno.ECONNRESET, "The client was too slow.")
