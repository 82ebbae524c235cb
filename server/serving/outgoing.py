import os
import select
import socket
import struct
import tempfile
import termios
import threading
import time
from collections import deque
from contextlib import suppress
from fcntl import ioctl
from typing import Any, NamedTuple

_BATCH_SIZE = 128 * 1024  # bytes sent at a time
_IN_MEMORY = 64 * 1024  # bytes of a response; the rest goes to a temporary file
_PATIENCE = 0.05  # seconds in all that a thread waits for a client; enough for most


class ByteBudget:
    """Bytes of temporary files that a worker may fill with responses."""

    def __init__(self, size: int) -> None:
        self._left, self._lock = size, threading.Lock()

    def take(self, number: int) -> bool:
        """Reserve bytes; false if fewer are left."""
        with self._lock:
            if number > self._left:
                return False
            self._left -= number
            return True

    def give_back(self, number: int) -> None:
        with self._lock:
            self._left += number


class _Memory:
    def __init__(self, data: memoryview) -> None:
        self._data = bytearray(data)

    def peek(self) -> bytes:
        return bytes(self._data[:_BATCH_SIZE])

    def advance(self, number: int) -> bool:
        del self._data[:number]
        return bool(self._data)

    def append(self, data: Any) -> bool:
        if len(self._data) + len(data) > _IN_MEMORY:
            return False
        self._data += data
        return True

    def close(self) -> None:
        self._data.clear()


class _File:
    def __init__(self, handle: int, start: int, end: int) -> None:
        self._handle, self._next, self._end = handle, start, end

    def peek(self) -> bytes:
        data = os.pread(self._handle, min(_BATCH_SIZE, self._end - self._next), self._next)
        if not data:
            raise ConnectionResetError("The file has been truncated.")
        return data

    def advance(self, number: int) -> bool:
        self._next += number
        return self._next < self._end

    def append(self, data: Any) -> bool:
        return False

    def close(self) -> None:
        os.close(self._handle)


class _Temporary(_File):
    def __init__(self, room: ByteBudget) -> None:
        self._file, self._room = tempfile.TemporaryFile(buffering=0), room  # noqa: SIM115 - `close` closes it
        super().__init__(self._file.fileno(), 0, 0)

    def append(self, data: Any) -> bool:
        if not self._room.take(len(data)):
            return False
        written = 0
        with suppress(OSError):  # the disk is full
            while written < len(data):
                written += os.pwrite(self._handle, data[written:], self._end + written)
        if written < len(data):
            self._room.give_back(len(data))
            return False
        self._end += written
        return True

    def close(self) -> None:
        self._file.close()
        self._room.give_back(self._end)


class Answering(NamedTuple):
    sock: "Outgoing"
    client: Any
    server: Any


class Outgoing:
    """The socket of a response, for the thread that writes it; true while part of it is unsent.

    Data that the client does not take immediately go to memory or a temporary file, or stay in the sent file; without
    room the thread waits.
    """

    def __init__(self, sock: socket.socket, room: ByteBudget, seconds: int) -> None:
        self._sock, self._room, self._seconds = sock, room, seconds
        self._parts: deque[_Memory | _File] = deque()
        self._patience = _PATIENCE
        self._head: bytes | None = None
        self._has_begun = False

    def __bool__(self) -> bool:
        return bool(self._parts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def sendall(self, data: bytes) -> None:
        """Send or store the data. Raises `TimeoutError` if there is no room and the client takes nothing.

        gunicorn passes the head first, and immediately afterwards the body. It is held back so that one call sends
        both.
        """
        if not self._has_begun:
            self._has_begun, self._head = True, data
            return
        if self._head is not None and len(data) <= _IN_MEMORY:
            data, self._head = self._head + data, None
        self._send_all(data)

    def flush(self) -> None:
        """Send the head of a response without a body."""
        if (head := self._head) is not None:
            self._head = None
            self._send_all(head)

    def _send_all(self, data: bytes) -> None:
        self.flush()
        self._push()
        rest = memoryview(data)
        while rest and not self._parts:
            sent = self._send(rest)
            rest = rest[sent:]
            if not sent and not self._wait():
                break
        if rest and not self._keep(rest):
            self._parts.append(_Memory(rest))
            while self._parts:
                if not self.send_on() and not self._is_writable(self._seconds):
                    raise TimeoutError

    def sendfile(self, file: Any, offset: int = 0, count: int = 0) -> None:
        self.flush()
        self._parts.append(_File(os.dup(file.fileno()), offset, offset + count))
        self._push()

    def _push(self) -> None:
        while self._parts and (self.send_on() or self._wait()):
            pass

    def _keep(self, data: memoryview) -> bool:
        if self._parts and self._parts[-1].append(data):
            return True
        if self._parts and isinstance(self._parts[-1], _Temporary):
            return False
        if not self._parts and len(data) <= _IN_MEMORY:
            self._parts.append(_Memory(data))
            return True
        try:
            kept = _Temporary(self._room)
        except OSError:
            return False
        if not kept.append(data):
            kept.close()
            return False
        self._parts.append(kept)
        return True

    def _wait(self) -> bool:
        if self._patience <= 0:
            return False
        begun = time.monotonic()
        is_writable = self._is_writable(self._patience)
        self._patience -= time.monotonic() - begun
        return is_writable

    def _is_writable(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._sock, select.POLLOUT)
        return bool(poll.poll(seconds * 1000))

    def send_on(self) -> int:
        """Send as much of a portion as the client takes; return the number of bytes."""
        part = self._parts[0]
        sent = self._send(part.peek())
        if sent and not part.advance(sent):
            self._parts.popleft().close()
        return sent

    def queued(self) -> int:
        try:
            (number,) = struct.unpack("i", ioctl(self._sock, termios.TIOCOUTQ, b"\0" * 4))
        except OSError:
            return 0
        return int(number)

    def close(self) -> None:
        while self._parts:
            self._parts.popleft().close()

    def _send(self, data: Any) -> int:
        try:
            return self._sock.send(data, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0
