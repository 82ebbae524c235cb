"""The worker of the server, gunicorn's with threads."""

import errno
import selectors
import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from gunicorn.http.errors import (
    ConfigurationProblem,
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
)
from gunicorn.workers.gthread import ThreadWorker

from cms_api.operation.metrics.server import note_shed, note_slow_client
from cms_api.operation.serving import answers
from cms_api.operation.serving.answers import Answer, Asked
from cms_api.operation.serving.arriving import PORTION, Connection, too_slow
from cms_api.operation.serving.outgoing import Answering, Outgoing, Room
from cms_api.operation.serving.queue import Kind, Queue

_SECONDS = 10  # between two lines of a tally
_LOOK = 0.1  # seconds between two looks for what has waited too long
_LINGER = 2.0  # seconds that a client has to take its last answer and close the connection
_SLOW = 1.0  # seconds after which a request that is not there may be left for the sake of others
_ACCEPTED_AT_ONCE = 32
# Bytes of an answer that the system takes without its client, as far as it allows so many (net.core.wmem_max).
_KEPT_BY_SYSTEM = 1024 * 1024
_KEPT_IN_FILES = 1024 * 1024 * 1024  # bytes of answers that clients of a worker have not taken yet
_NOBODY_THERE = {errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED}
_NO_FILES_LEFT = {errno.EMFILE, errno.ENFILE}
_OVERLOADED = "Overloaded: %d requests were answered with 503 since the last such line (CMS_MAX_QUEUE_SECONDS)."
_TOO_SLOW = "Too slow: %d clients were left since the last such line (CMS_CLIENT_SECONDS)."


class Tally:
    """Tells the log once in a while how often it has happened. `sentence` has a place for the number; `note` counts."""

    def __init__(self, log: Any, sentence: str, note: Callable[[], None]) -> None:
        self._log, self._sentence, self._note = log, sentence, note
        self._number, self._next = 0, 0.0

    def add(self) -> None:
        self._number += 1
        self._note()

    def tell(self, now: float) -> None:
        """Write the line, if there is something to tell and the last one is old enough (monotonic)."""
        if self._number and now >= self._next:
            self._log.warning(self._sentence, self._number)
            self._number, self._next = 0, now + _SECONDS


@dataclass(frozen=True, slots=True)
class Bounds:
    client_seconds: int  # for a request to be there, for each further 64 KiB of it, and without taking of an answer
    has_one_writer: bool  # the database, for which others wait
    queue_seconds: int  # that a request waits for a thread
    queue_length: int  # requests that wait


class Worker(ThreadWorker):
    """Reads requests in its main thread until they are there, and refuses what has waited too long for a thread.

    gunicorn's own gives each connection a thread, which then waits for the client's first byte, the rest of the
    request, and for the answer to be taken; and lets requests wait for threads without any bound.
    """

    bounds: Bounds  # given by the server's hook

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # In the order in which they began.
        self._arriving: dict[Connection, None] = {}
        self._lingering: dict[Connection, float] = {}  # until when (monotonic)
        self._taking: dict[Connection, Future[Any]] = {}  # in the order in which their answers were made
        self._room = Room(_KEPT_IN_FILES)
        self._next_look = 0.0
        self._present = threading.local()  # `conn`: whose request the thread has taken
        self._shed = Tally(self.log, _OVERLOADED, note_shed)
        self._slow = Tally(self.log, _TOO_SLOW, note_slow_client)

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """gunicorn's. Ends the program where requests could not be read before they are given to a thread."""
        if cfg.is_ssl or "h2" in cfg.http_protocols or cfg.protocol != "http":
            log.critical("TLS, HTTP/2 and uwsgi are the proxy's: leave these options out, or add -k gthread.")
            sys.exit(1)
        super().check_config(cfg, log)

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """gunicorn's; the first thing that is made in the worker's own process."""
        for listener in self.sockets:  # from which connections inherit
            listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _KEPT_BY_SYSTEM)
        self._requests = Queue(self.cfg.threads, self.bounds.queue_length)
        self._probes = Queue(1, self.bounds.queue_length)
        return self._requests.pool

    # ---- From a connection to a request

    def accept(self, listener: Any) -> None:
        """Take a connection. While requests wait here, take more: those of the system's queue wait unseen."""
        for _ in range(_ACCEPTED_AT_ONCE if self._requests else 1):
            if self.nr_conns >= self.worker_connections:
                return
            try:
                sock, address = listener.accept()
            except OSError as error:
                if error.errno in _NO_FILES_LEFT:
                    self._leave_slowest()
                elif error.errno not in _NOBODY_THERE:
                    raise
                return
            self.nr_conns += 1
            if self.nr_conns >= self.worker_connections:
                self._leave_slowest()
            self._await_request(Connection(self.cfg, sock, address, listener.getsockname(), self._linger))

    def on_client_socket_readable(self, conn: Connection, client: Any) -> None:
        """A connection that was kept has something to read."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._await_request(conn)

    def enqueue_req(self, conn: Connection) -> None:
        """A client has sent its next request before it had the last answer."""
        conn.sock.setblocking(False)
        conn.begin(self.bounds.client_seconds)
        conn.arrived += conn.parser.unreader.take_buffered()
        conn.look()
        self._go_on(conn)

    def _await_request(self, conn: Connection) -> None:
        conn.begin(self.bounds.client_seconds)
        if self._requests.take_idle():
            self._submit(self._requests, conn, Kind.NOTHING)  # which then reads what most clients have sent at once
        elif conn.receive():
            self._go_on(conn)
        else:
            self._leave(conn)

    def _go_on(self, conn: Connection) -> None:
        if conn.must_be_read:
            self._enqueue(conn)
        else:
            self._arriving[conn] = None
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._on_arriving, conn))

    def _on_arriving(self, conn: Connection, _: Any) -> None:
        if conn not in self._arriving:
            return  # given up in the same round
        is_there = conn.receive()
        if is_there and not conn.must_be_read:
            return
        self._forget(conn)
        if is_there:
            self._enqueue(conn)
        else:
            self._leave(conn)

    def _forget(self, conn: Connection) -> None:
        del self._arriving[conn]
        self.poller.unregister(conn.sock)

    def _leave_slowest(self) -> None:
        """Make room for another connection, if one has waited for long."""
        now, seconds = time.monotonic(), self.bounds.client_seconds
        if (slowest := next(iter(self._arriving), None)) and slowest.deadline - now < seconds - _SLOW:
            self._leave_slow(slowest)
        elif (slowest := next(iter(self._taking), None)) and slowest.waits_since + seconds < now:
            self._leave_untaken(slowest)

    # ---- From a request to its answer

    def _enqueue(self, conn: Connection) -> None:
        queue = self._probes if conn.is_probe else self._requests
        if queue.put(conn, self._kind_of(conn), time.monotonic()):
            self._start(queue)
        else:
            self._refuse(conn)

    def _kind_of(self, conn: Connection) -> Kind:
        if not conn.is_whole:
            return Kind.CLIENT
        return Kind.OTHER_WRITERS if conn.is_write and self.bounds.has_one_writer else Kind.NOTHING

    def _start(self, queue: Queue) -> None:
        while (taken := queue.take()) is not None:
            self._submit(queue, *taken)

    def _submit(self, queue: Queue, conn: Connection, kind: Kind) -> None:
        future = queue.pool.submit(self.handle, conn)
        future.add_done_callback(partial(self.method_queue.defer, self._finish, queue, kind, conn))

    def _finish(self, queue: Queue, kind: Kind, conn: Connection, future: Future[Any]) -> None:
        queue.give_back(kind)
        if conn.is_put_back:
            conn.is_put_back = False
            self._go_on(conn)
        elif conn.outgoing:
            self._await_taking(conn, future)
        else:
            self.finish_request(conn, future)
        self._start(queue)

    def handle(self, conn: Connection) -> Any:
        """gunicorn's, in a thread. A request that is not there, or may have to wait, goes back to the main thread."""
        if not conn.must_be_read:
            if not conn.receive():
                return False
            if self._kind_of(conn) is not Kind.NOTHING:
                conn.is_put_back = True
                return None
        self._present.conn = conn
        try:
            return super().handle(conn)
        finally:
            del self._present.conn
            conn.begun = b""

    def handle_request(self, req: Any, conn: Connection) -> Any:
        """gunicorn's, in a thread. Raises ConnectionResetError where the client does not take the answer."""
        conn.outgoing = Outgoing(conn.sock, self._room, self.bounds.client_seconds)
        try:
            return super().handle_request(req, Answering(conn.outgoing, conn.client, conn.server))
        except BaseException as error:
            conn.outgoing.close()
            if isinstance(error, TimeoutError):
                self.method_queue.defer(self._slow.add)
                raise too_slow() from error
            raise

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: Exception) -> None:
        """gunicorn's, in a thread, which answers in HTML and repeats the request there."""
        asked = self._present.conn.asked()
        answer = self._refusal(asked, exc)
        if _is_of_client(exc):
            self.log.warning("Unreadable request from %s (request %s): %s", asked.address, answer.number, exc)
        else:
            self.log.exception("A request could not be answered (request %s)", answer.number)
        _send(client, answer)

    def _refusal(self, asked: Asked, error: Exception) -> Answer:
        if isinstance(error, LimitRequestLine):
            return answers.line_too_long(asked, self.cfg.limit_request_line)
        if isinstance(error, LimitRequestHeaders):
            return answers.headers_too_large(asked, self.cfg.limit_request_fields, self.cfg.limit_request_field_size)
        return answers.unreadable(asked) if _is_of_client(error) else answers.failed(asked)

    # ---- From an answer to its client

    def _await_taking(self, conn: Connection, future: Future[Any]) -> None:
        conn.sock.setblocking(False)
        conn.waits_since = time.monotonic()
        self._prolong(conn)
        self._taking[conn] = future
        self.poller.register(conn.sock, selectors.EVENT_WRITE, partial(self._on_taking, conn))

    def _on_taking(self, conn: Connection, _: Any) -> None:
        if conn not in self._taking:
            return  # given up in the same round
        try:
            sent = conn.outgoing.send_on()
        except OSError:  # the client has gone
            self._stop_taking(conn)
            self._leave(conn)
            return
        if not conn.outgoing:
            self.finish_request(conn, self._stop_taking(conn))
        elif sent:
            self._prolong(conn)

    def _prolong(self, conn: Connection) -> None:
        conn.queued, conn.deadline = conn.outgoing.queued(), time.monotonic() + self.bounds.client_seconds

    def _stop_taking(self, conn: Connection) -> Future[Any]:
        self.poller.unregister(conn.sock)
        conn.outgoing.close()
        return self._taking.pop(conn)

    def _leave_untaken(self, conn: Connection) -> None:
        self._slow.add()
        self._stop_taking(conn)
        self._leave(conn)

    # ---- Ends

    def murder_pending(self) -> None:
        """End what has waited too long; gunicorn calls this in each round."""
        now = time.monotonic()
        for queue in filter(None, (self._requests, self._probes)):
            for conn in queue.take_overdue(now - self.bounds.queue_seconds):
                self._refuse(conn)
        if now < self._next_look:
            return
        self._next_look = now + _LOOK
        for conn in [conn for conn in self._arriving if conn.deadline < now]:
            self._leave_slow(conn)
        for conn in [conn for conn in self._taking if conn.deadline < now]:
            if conn.outgoing.queued() < conn.queued:
                self._prolong(conn)
            else:
                self._leave_untaken(conn)
        for conn in [conn for conn, end in self._lingering.items() if end < now]:
            self._stop_lingering(conn)
        self._shed.tell(now)
        self._slow.tell(now)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """gunicorn's, woken up in time for what waits."""
        waits = self._requests or self._probes or self._arriving or self._taking or self._lingering
        super().wait_for_and_dispatch_events(min(timeout, _LOOK) if waits else timeout)

    def _cap_keepalive(self, deadline: float) -> None:
        """gunicorn's, when the worker is told to end: connections without a request are not waited for for long."""
        super()._cap_keepalive(deadline)
        for conn in self._arriving:
            if not conn.arrived:
                conn.deadline = min(conn.deadline, deadline)

    def _refuse(self, conn: Connection) -> None:
        self._shed.add()
        self._answer(conn, answers.overloaded(conn.asked(), self.bounds.queue_seconds))

    def _leave_slow(self, conn: Connection) -> None:
        self._forget(conn)
        if conn.arrived:
            self._slow.add()
            self._answer(conn, answers.too_slow(conn.asked(), self.bounds.client_seconds))
        else:
            self._leave(conn)

    def _answer(self, conn: Connection, answer: Answer) -> None:
        _send(conn.sock, answer)
        self.nr_conns -= 1
        conn.close(graceful=not conn.is_whole)  # of a whole request nothing follows that could take the answer away

    def _leave(self, conn: Connection) -> None:
        self.nr_conns -= 1
        conn.close()

    def _linger(self, conn: Connection) -> None:
        """Close once the client has: before, what it still sends would take the answer away from it."""
        conn.sock.setblocking(False)
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            conn.close()
            return
        self.nr_conns += 1
        self._lingering[conn] = time.monotonic() + _LINGER
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._on_lingering, conn))

    def _on_lingering(self, conn: Connection, _: Any) -> None:
        if conn not in self._lingering:
            return
        try:
            ends = not conn.sock.recv(PORTION)
        except BlockingIOError:
            return
        except OSError:
            ends = True
        if ends:
            self._stop_lingering(conn)

    def _stop_lingering(self, conn: Connection) -> None:
        del self._lingering[conn]
        self.poller.unregister(conn.sock)
        self._leave(conn)


def _is_of_client(error: Exception) -> bool:
    """Whether the request is to blame, and not what the application or the settings say."""
    ours = (ConfigurationProblem, InvalidResponseHeader, InvalidResponseHeaderName)
    return isinstance(error, ParseException) and not isinstance(error, ours)


def _send(sock: socket.socket, answer: Answer) -> None:
    with suppress(OSError):  # it has gone, or takes not even this
        sock.send(answer.head + answer.body)
