import errno
import math
import selectors
import socket
import sys
import threading
import time
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
    UnsupportedTransferCoding,
)
from gunicorn.workers.gthread import ThreadWorker

from core.lib.arrival import ARRIVED_AT
from core.rest import waiting
from server.metrics import count
from server.serving import responses
from server.serving.arriving import BATCH_SIZE, Connection, too_slow
from server.serving.leadership import Leadership
from server.serving.outgoing import Answering, ByteBudget, Outgoing
from server.serving.queue import Queue, QueueKind
from server.serving.responses import ServerResponse
from server.serving.waiting import MAX_WAITING, Again, GivenBack, WaitingRoom

_SECONDS = 10  # between two lines of a tally
_LOOK = 0.1  # seconds between two looks for overdue connections
_LINGER = 2.0  # seconds for a client to take its last response and close the connection
_SLOW = 1.0  # seconds until an incomplete request may be dropped in favour of others
_ACCEPTED_AT_ONCE = 32
# Bytes of a response that the system buffers, limited by net.core.wmem_max.
_KEPT_BY_SYSTEM = 1024 * 1024
_KEPT_IN_FILES = 1024 * 1024 * 1024  # bytes of responses per worker that clients have not taken yet
_NOBODY_THERE = {errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED}
_NO_FILES_LEFT = {errno.EMFILE, errno.ENFILE}
_OVERLOADED = "Overloaded: %d requests were rejected with 503 since the last such line (CMS_MAX_QUEUE_SECONDS)."
_TOO_SLOW = "Too slow: %d clients were disconnected since the last such line (CMS_CLIENT_SECONDS)."


class ThrottledLogger:
    """Logs every _SECONDS at most how often something happened; `sentence` has a placeholder for the number."""

    def __init__(self, log: Any, sentence: str, figure: str) -> None:
        self._log, self._sentence, self._figure = log, sentence, figure
        self._number, self._next = 0, 0.0

    def add(self) -> None:
        self._number += 1
        count(self._figure)

    def tell(self, now: float) -> None:
        if self._number and now >= self._next:
            self._log.warning(self._sentence, self._number)
            self._number, self._next = 0, now + _SECONDS


@dataclass(frozen=True, slots=True)
class Bounds:
    client_seconds: int  # for a request, for each further 64 KiB of it, and without progress in taking a response
    has_one_writer: bool  # the database allows one writer at a time
    queue_seconds: int  # that a request waits for a thread
    queue_length: int  # requests in the queue


class Worker(ThreadWorker):
    """Reads requests in its event loop until they are complete, and refuses requests that wait too long for a thread.

    gunicorn's own worker blocks a thread while the client sends and takes, and its queue is unbounded. One thread at a
    time, the leader (`leadership`), runs the loop and owns all state that is not marked as a thread's.
    """

    bounds: Bounds  # set by the server's hook

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._arriving: dict[Connection, None] = {}
        self._lingering: dict[Connection, float] = {}  # deadline (monotonic)
        self._taking: dict[Connection, Future[Any]] = {}  # in the order of their responses
        self._room = ByteBudget(_KEPT_IN_FILES)
        self._next_look = 0.0
        self._waiting = WaitingRoom(self.method_queue.defer)
        self._leadership = Leadership()
        self._carries_out_itself = False  # in this round of the loop
        self._next: tuple[Connection, QueueKind] | None = None  # request for the leader itself
        self._present = threading.local()  # `conn`: the connection whose request the thread has taken
        self._shed = ThrottledLogger(self.log, _OVERLOADED, "SHED")
        self._slow = ThrottledLogger(self.log, _TOO_SLOW, "SLOW_CLIENTS")

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Override; exits if options prevent reading requests before a thread takes them."""
        if cfg.is_ssl or "h2" in cfg.http_protocols or cfg.protocol != "http":
            log.critical("TLS, HTTP/2 and uwsgi belong in the proxy: leave out these options, or add -k gthread.")
            sys.exit(1)
        super().check_config(cfg, log)

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """Override: the first thing gunicorn creates in the worker's own process."""
        self._main = threading.get_ident()
        for listener in self.sockets:  # connections inherit the option
            listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _KEPT_BY_SYSTEM)
        self._requests = Queue(self.cfg.threads, self.bounds.queue_length)
        self._probes = Queue(1, self.bounds.queue_length)
        return self._requests.pool

    def load_wsgi(self) -> None:
        """Override: offer requests without a body to wait without a thread (core.rest.waiting)."""
        super().load_wsgi()
        application: Any = self.wsgi

        def answer_or_give_back(environ: dict[str, Any], start_response: Any) -> Any:
            # gunicorn takes the chunks off `gzip, chunked`, and leaves the rest to an application that decodes it.
            coding = environ.get("HTTP_TRANSFER_ENCODING", "chunked")
            if coding.lower() != "chunked":
                raise UnsupportedTransferCoding(coding)
            conn = self._present.conn
            environ[ARRIVED_AT] = conn.arrived_at if conn.may_wait else math.inf
            asked = environ[waiting.NAME] = conn.waiting
            asked.is_wanted = False
            asked.is_offered = self.alive and conn.may_wait and (asked.is_again or len(self._waiting) < MAX_WAITING)
            answer = application(environ, start_response)
            if asked.is_wanted:
                if hasattr(answer, "close"):
                    answer.close()
                raise GivenBack
            return answer

        self.wsgi: Any = answer_or_give_back

    # ---- From a connection to a request

    def accept(self, listener: Any) -> None:
        """Accept a connection, or several if requests are queued here: those in the system's queue are invisible."""
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
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._await_request(conn)

    def enqueue_req(self, conn: Connection) -> None:
        """Override: a client sent its next request before it had the last response."""
        conn.sock.setblocking(False)
        conn.begin(self.bounds.client_seconds)
        conn.arrived += conn.parser.unreader.take_buffered()
        conn.look()
        self._go_on(conn)

    def _await_request(self, conn: Connection) -> None:
        conn.begin(self.bounds.client_seconds)
        if self._next is None and self._requests.take_idle():
            # The thread reads a request that most clients have sent in one piece.
            self._submit(self._requests, conn, QueueKind.NOTHING)
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
            return  # dropped in the same round
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
        now, seconds = time.monotonic(), self.bounds.client_seconds
        if (slowest := next(iter(self._arriving), None)) and slowest.deadline - now < seconds - _SLOW:
            self._leave_slow(slowest)
        elif (slowest := next(iter(self._taking), None)) and slowest.waits_since + seconds < now:
            self._leave_untaken(slowest)

    # ---- From a request to its response

    def _enqueue(self, conn: Connection) -> None:
        queue = self._probes if conn.is_probe else self._requests
        if queue.put(conn, self._kind_of(conn), time.monotonic()):
            self._start(queue)
        else:
            self._refuse(conn)

    def _kind_of(self, conn: Connection) -> QueueKind:
        if not conn.is_whole:
            return QueueKind.CLIENT
        return QueueKind.OTHER_WRITERS if conn.is_write and self.bounds.has_one_writer else QueueKind.NOTHING

    def _start(self, queue: Queue) -> None:
        while (self._next is None or queue is self._probes) and (taken := queue.take()) is not None:
            self._submit(queue, *taken)

    def _submit(self, queue: Queue, conn: Connection, kind: QueueKind) -> None:
        if self._carries_out_itself and queue is self._requests:
            self._next = conn, kind
            return
        future = queue.pool.submit(self.handle, conn)
        future.add_done_callback(partial(self.method_queue.defer, self._finish, queue, kind, conn))

    def _lead(self, term: int, conn: Connection, kind: QueueKind) -> None:
        """Carry out the request and run the loop, in a thread of the pool, until the main thread leads."""
        leadership = self._leadership
        try:
            while True:
                future: Future[Any] = Future()
                try:
                    future.set_result(self.handle(conn))
                except BaseException as error:  # noqa: BLE001 - `_finish` raises it, as it does for the pool
                    future.set_exception(error)
                if not leadership.resume(term):
                    self.method_queue.defer(self._finish, self._requests, kind, conn, future)
                    return
                self._carries_out_itself = True
                self._finish(self._requests, kind, conn, future)
                if self._next is not None:
                    self._run_round(0.0)  # others are accepted, and perhaps refused, between any two requests
                while self._next is None:
                    if leadership.is_wanted or not self.alive:
                        leadership.hand_back()
                        return
                    self._run_round(1.0)
                (conn, kind), self._next = self._next, None
                leadership.begin()
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            leadership.hand_back(error)

    def _run_round(self, timeout: float) -> None:
        """A round of gunicorn's main thread."""
        self.set_accept_enabled(self.nr_conns < self.worker_connections)
        self._dispatch(timeout)
        self.murder_keepalived()
        self.murder_pending()

    def _finish(self, queue: Queue, kind: QueueKind, conn: Connection, future: Future[Any]) -> None:
        queue.give_back(kind)
        if conn.is_put_back:
            conn.is_put_back = False
            self._go_on(conn)
        elif conn.given_back is not None:
            self._wait(conn)
        elif conn.outgoing:
            conn.sock.setblocking(False)
            conn.waits_since = time.monotonic()
            self._prolong(conn)
            self._taking[conn] = future
            self.poller.register(conn.sock, selectors.EVENT_WRITE, partial(self._on_taking, conn))
        else:
            self.finish_request(conn, future)
        self._start(queue)

    def handle(self, conn: Connection) -> Any:
        """Override, in a thread. A request that is incomplete or may have to wait goes back to the main thread."""
        if not conn.must_be_read:
            if not conn.receive():
                return False
            if self._kind_of(conn) is not QueueKind.NOTHING:
                conn.is_put_back = True
                return None
        self._present.conn = conn
        if conn.given_back is not None:
            conn.parser, conn.given_back = Again(conn.parser, conn.given_back), None
        try:
            return super().handle(conn)
        finally:
            del self._present.conn
            if isinstance(conn.parser, Again):
                conn.parser = conn.parser.parser
            if conn.given_back is None:
                conn.begun = b""

    def handle_request(self, req: Any, conn: Connection) -> Any:
        """Override, in a thread; raises `ConnectionResetError` if the client does not take the response."""
        conn.outgoing = Outgoing(conn.sock, self._room, self.bounds.client_seconds)
        try:
            is_kept = super().handle_request(req, Answering(conn.outgoing, conn.client, conn.server))
            conn.outgoing.flush()
            return is_kept
        except GivenBack:
            self.nr -= 1
            conn.given_back = req
            return False
        except BaseException as error:
            conn.outgoing.close()
            if isinstance(error, TimeoutError):
                self.method_queue.defer(self._slow.add)
                raise too_slow() from error
            raise

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: Exception) -> None:
        """Override, in a thread: gunicorn's version responds in HTML and echoes the request."""
        asked = self._present.conn.asked()
        # Parse errors caused by the application or the settings, not by the request.
        ours = (ConfigurationProblem, InvalidResponseHeader, InvalidResponseHeaderName)
        is_of_client = isinstance(exc, ParseException) and not isinstance(exc, ours)
        if isinstance(exc, LimitRequestLine):
            answer = responses.line_too_long(asked, self.cfg.limit_request_line)
        elif isinstance(exc, LimitRequestHeaders):
            answer = responses.headers_too_large(
                asked, self.cfg.limit_request_fields, self.cfg.limit_request_field_size
            )
        else:
            answer = responses.unreadable(asked) if is_of_client else responses.failed(asked)
        if is_of_client:
            self.log.warning("Unreadable request from %s (request %s): %s", asked.address, answer.number, exc)
        else:
            self.log.exception("A request could not be answered (request %s)", answer.number)
        _send(client, answer)

    # ---- Requests that wait

    def _wait(self, conn: Connection) -> None:
        conn.sock.setblocking(False)
        conn.waiting.is_again = True
        self._waiting.enter(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._on_waiting, conn))

    def _on_waiting(self, conn: Connection, _: Any) -> None:
        """Leave a connection whose client has disconnected; one that sends its next request already gets its response
        now."""
        if conn not in self._waiting:
            return
        try:
            is_there = bool(conn.sock.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return
        except OSError:
            is_there = False
        self._stop_waiting(conn)
        if is_there:
            conn.waiting.deadline = 0.0
            self._enqueue(conn)
        else:
            self._leave(conn)

    def _stop_waiting(self, conn: Connection) -> None:
        self._waiting.leave(conn)
        self.poller.unregister(conn.sock)

    def _look_at_waiting(self, now: float) -> None:
        # A few at a time, so that they stay behind other requests.
        free = self.cfg.threads - len(self._requests)
        for conn in self._waiting.due(now, every=not self.alive)[: max(0, free)]:
            self._stop_waiting(conn)
            self._enqueue(conn)

    # ---- From a response to its client

    def _on_taking(self, conn: Connection, _: Any) -> None:
        if conn not in self._taking:
            return  # dropped in the same round
        try:
            sent = conn.outgoing.send_on()
        except OSError:  # the client has disconnected
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
        """Override, called in each round: end everything that has waited too long."""
        if not self._is_leader():
            return
        now = time.monotonic()
        for queue in filter(None, (self._requests, self._probes)):
            for conn in queue.take_overdue(now, self.bounds.queue_seconds):
                self._refuse(conn)
        if self._waiting:
            self._look_at_waiting(now)
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

    def _dispatch(self, timeout: float) -> None:
        waits = (self._requests, self._probes, self._arriving, self._taking, self._lingering, self._waiting)
        super().wait_for_and_dispatch_events(min(timeout, _LOOK) if any(waits) else timeout)

    # ---- Called by gunicorn in the main thread, even if another thread leads

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Override: watch the leader, or lead and wake up in time for waiting connections."""
        if not self._leadership.is_main:
            self._leadership.watch(timeout)
            if self._leadership.error is not None:
                raise self._leadership.error
            if not self._leadership.is_main:
                return
        self._carries_out_itself = self.alive and self._leadership.may_be_given()
        self._start(self._requests)  # events from before a request that took so long that this thread took over
        self._dispatch(timeout if self._next is None else 0.0)
        if self._next is not None:
            taken, self._next = self._next, None
            self._requests.pool.submit(self._lead, self._leadership.give(), *taken)

    def set_accept_enabled(self, enabled: bool) -> None:
        """Override: gunicorn's main thread calls it in each round, and to begin the end of the worker."""
        if self._is_main() and not self.alive:
            self._leadership.regain(partial(self.method_queue.defer, bool))
        if self._is_leader():
            super().set_accept_enabled(enabled)

    def murder_keepalived(self, force: bool = False) -> None:
        """Override: for the leader only."""
        if self._is_leader():
            super().murder_keepalived(force)

    def _is_main(self) -> bool:
        return threading.get_ident() == self._main

    def _is_leader(self) -> bool:
        return self._is_main() == self._leadership.is_main

    def _cap_keepalive(self, deadline: float) -> None:
        """Override: a worker that is shutting down also waits less for connections without a request."""
        super()._cap_keepalive(deadline)
        for conn in self._arriving:
            if not conn.arrived:
                conn.deadline = min(conn.deadline, deadline)

    def _refuse(self, conn: Connection) -> None:
        self._shed.add()
        self._answer(conn, responses.overloaded(conn.asked(), self.bounds.queue_seconds))

    def _leave_slow(self, conn: Connection) -> None:
        self._forget(conn)
        if conn.arrived:
            self._slow.add()
            self._answer(conn, responses.too_slow(conn.asked(), self.bounds.client_seconds))
        else:
            self._leave(conn)

    def _answer(self, conn: Connection, answer: ServerResponse) -> None:
        _send(conn.sock, answer)
        self.nr_conns -= 1
        conn.close(graceful=not conn.is_whole)  # unread bytes could make an abrupt close discard the response

    def _leave(self, conn: Connection) -> None:
        self.nr_conns -= 1
        conn.close()

    def _linger(self, conn: Connection) -> None:
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
            ends = not conn.sock.recv(BATCH_SIZE)
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


def _send(sock: socket.socket, answer: ServerResponse) -> None:
    with suppress(OSError):  # the client has disconnected, or its buffer is full
        sock.send(answer.head + answer.body)
