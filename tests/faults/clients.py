"""Clients that send requests at a given rate, whatever the answers take.

Raw sockets and one selector, so that one process offers thousands of requests a second and holds hundreds of them open.
"""

import selectors
import socket
import time
from collections import Counter
from dataclasses import dataclass, field

GIVEN_UP = 30.0  # seconds after which a request counts as failed


@dataclass
class Figures:
    """What clients have seen: answers by their status, seconds of those that were served, and what went wrong."""

    statuses: Counter = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    failures: Counter = field(default_factory=Counter)
    without_retry_after: int = 0
    offered: int = 0
    settled: float = 0.0  # seconds from the last request until all had ended

    def quantile(self, share):
        """Milliseconds within which that share of the served were answered."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000 if ordered else float("nan")

    def add(self, answer, seconds):
        """Note one answer, as it came."""
        head = answer.partition(b"\r\n\r\n")[0]
        status = head[9:12].decode("ascii", "replace")
        self.statuses[status] += 1
        if status == "200":
            self.seconds.append(seconds)
        elif status == "503" and b"\r\nretry-after: " not in head.lower():
            self.without_retry_after += 1


class Clients:
    """Sends one request over and over, a connection for each; `most` may be open at a time."""

    def __init__(self, port, request, most=2000):
        self._address, self._request, self._most = ("127.0.0.1", port), request, most
        self._selector = selectors.DefaultSelector()
        self._open = {}  # socket: (when it was begun, what has come)
        self.figures = Figures()

    def offer(self, rate, seconds):
        """So many requests a second, for so long, whatever the answers take. Returns when all have ended."""
        begun = time.monotonic()
        while (now := time.monotonic()) < begun + seconds:
            for _ in range(int((now - begun) * rate) - self.figures.offered):
                self._begin()
            self._look(0.002)
        self._end()
        return self.figures

    def keep_busy(self, number, seconds):
        """So many at a time, for so long: as much as the server bears. Returns when all have ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            while len(self._open) < number:
                self._begin()
            self._look(0.05)
        self._end()
        return self.figures

    def _begin(self):
        self.figures.offered += 1
        if len(self._open) >= self._most:
            self.figures.failures["not sent, since too many are open"] += 1
            return
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(self._address)
        self._open[client] = (time.monotonic(), bytearray())
        self._selector.register(client, selectors.EVENT_WRITE)

    def _look(self, timeout):
        for key, event in self._selector.select(timeout):
            try:
                if event & selectors.EVENT_WRITE:
                    key.fileobj.send(self._request)
                    self._selector.modify(key.fileobj, selectors.EVENT_READ)
                else:
                    self._read(key.fileobj)
            except OSError as error:
                self._close(key.fileobj, type(error).__name__)

    def _read(self, client):
        begun, answer = self._open[client]
        if data := client.recv(262_144):
            answer += data
        elif not answer:
            self._close(client, "ended without an answer")
        else:
            self.figures.add(bytes(answer), time.monotonic() - begun)
            self._close(client)

    def _close(self, client, failure=""):
        if failure:
            self.figures.failures[failure] += 1
        self._selector.unregister(client)
        del self._open[client]
        client.close()

    def _end(self):
        begun = time.monotonic()
        while self._open and time.monotonic() < begun + GIVEN_UP:
            self._look(0.1)
        for client in list(self._open):
            self._close(client, f"no answer within {GIVEN_UP:.0f} seconds")
        self.figures.settled = time.monotonic() - begun


def request(method, path, key, body=b""):
    """The bytes of a request, after whose answer the server closes the connection."""
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-SS-API-KEY: {key}\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body
