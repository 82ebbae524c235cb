"""A connection whose request is read without a thread until it is there.

What is looked for here decides when a thread is taken, and never what the request is: gunicorn parses the same bytes.
"""

import errno
import re
import socket
import time
from collections.abc import Callable
from typing import Any

from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import TConn

from cms_api.operation.serving.answers import Asked

# Bytes of a request that are waited for without a thread. Of a longer one a thread reads the rest.
PORTION = 64 * 1024
_END_OF_HEAD = b"\r\n\r\n"
_FRAMING = re.compile(
    rb"\r\n(?:content-length:[ \t]*(\d{1,12})[ \t]*\r\n|(transfer-encoding):|(expect):)", re.IGNORECASE
)
# They tell how the server is, most of all while it is busy, and so have a thread of their own.
_PROBE = re.compile(rb"(?:GET|HEAD) /api/v1/(?:health/|metrics\b|ping\b)")
# The list of contents is read by POST.
_WRITE = re.compile(rb"(?:POST|PUT|PATCH|DELETE) (?!/api/v1/contents/?[ ?])")


class Connection(TConn):
    """gunicorn's, with what has come of the present request and the time by which it has to be there (monotonic)."""

    def __init__(self, cfg: Any, sock: socket.socket, client: Any, server: Any, linger: Callable[[Any], None]) -> None:
        super().__init__(cfg, sock, client, server)
        self.data_ready = True  # a thread need not wait for the first byte
        self.arrived = bytearray()
        self.begun = b""  # what had arrived when a thread took the request, until it is answered
        self.deadline = self.waits_since = 0.0
        self._seconds = 0
        self._linger = linger
        self.outgoing: Any = None  # the latest answer
        self.queued = 0  # bytes of it that the system had when it last took some

    def begin(self, seconds: int) -> None:
        """Await a request, which has so many seconds; so has each further portion of a long one."""
        self._seconds, self.deadline = seconds, time.monotonic() + seconds
        self._whole: int | None = None  # bytes of head and body; None: not known yet
        self._head = 0  # bytes
        self.must_be_read = self.is_whole = self.is_probe = self.is_write = self.is_put_back = False

    def receive(self) -> bool:
        """Take what has come; false if the client has gone and left nothing to answer."""
        try:
            data = self.sock.recv(PORTION)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.arrived += data
        self.look()
        # A body that breaks off is answered with 400.
        self.must_be_read |= not data and self._head > 0
        return bool(data) or self.must_be_read

    def look(self) -> None:
        """Find out whether the request is there (`is_whole`), and whether a thread must take it in any case."""
        if not self._head:
            self._look_at_head()
        if self._head:
            self.is_whole = self._is_over() if self._whole is None else len(self.arrived) >= self._whole
        self.must_be_read |= self.is_whole or len(self.arrived) >= PORTION

    def init(self) -> None:
        """gunicorn's, in the thread that takes the request; called before each one."""
        if not self.initialized:
            super().init()
            self.parser.unreader = PacedUnreader(self.sock, self._seconds)
        self.parser.unreader.begin()
        self.begun = bytes(self.arrived)
        self.parser.unreader.unread(self.begun)
        self.arrived.clear()

    def asked(self) -> Asked:
        """The present request, as far as it is known without a parser."""
        address = self.client[0] if isinstance(self.client, tuple) else ""
        return Asked(self.begun or bytes(self.arrived), address)

    def close(self, graceful: bool = False) -> None:
        """gunicorn's; a graceful end is waited for by the poller and not by the thread that everybody waits for."""
        if graceful:
            self._linger(self)
        else:
            super().close()

    def _look_at_head(self) -> None:
        end = self.arrived.find(_END_OF_HEAD)
        if end < 0:
            return
        self._head = self._whole = end + len(_END_OF_HEAD)
        self.is_probe = _PROBE.match(self.arrived) is not None
        self.is_write = _WRITE.match(self.arrived) is not None
        for length, chunked, expect in _FRAMING.findall(self.arrived[: end + 2]):
            if length:
                self._whole = self._head + int(length)
            elif chunked:
                self._whole = None
            elif expect:
                self.must_be_read = True  # the client waits for an interim answer

    def _is_over(self) -> bool:
        """Whether chunks may be at their end. Where it only looks so, a thread reads the rest."""
        return len(self.arrived) > self._head and self.arrived.endswith(_END_OF_HEAD)


class PacedUnreader(SocketUnreader):
    """Reads what a thread needs of a request; each portion has so many seconds, of which only waiting counts."""

    def __init__(self, sock: socket.socket, seconds: int) -> None:
        super().__init__(sock)
        self._seconds = seconds
        self.begin()

    def begin(self) -> None:
        """Read a portion, which has all its time."""
        self._left, self._received = float(self._seconds), 0

    def chunk(self, size_hint: int | None = None) -> bytes:
        """gunicorn's. Raises ConnectionResetError where the client is too slow."""
        begun = time.monotonic()
        # What is there already is read even when the time is over.
        self.sock.settimeout(max(self._left, 0.001))
        try:
            data: bytes = super().chunk(size_hint)
        except TimeoutError as error:
            raise too_slow() from error
        finally:
            self.sock.settimeout(None)
        self._left -= time.monotonic() - begun
        self._received += len(data)
        if self._received >= PORTION:
            self.begin()
        return data


def too_slow() -> ConnectionResetError:
    """What ends a connection whose client does not keep up: for gunicorn the same as one that has left."""
    return ConnectionResetError(errno.ECONNRESET, "The client was too slow.")
