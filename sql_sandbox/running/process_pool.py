"""Runs statements in child processes that are killed at the deadline, a few at a time."""

import os
import secrets
import select
import signal
import subprocess
import threading
import time
import weakref
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, Any, cast

import orjson

from sql_sandbox import refusals
from sql_sandbox.compiled import STATEMENT_CHARACTERS, Answer
from sql_sandbox.running.messages import BUG, LENGTHS, BadFrame, Configuration, Request, pack, pack_request

_START_SECONDS = 10  # for a new child on a busy machine; until then statements are answered with Busy
_FREE_SECONDS = 0.5  # of a child's start that do not count as a statement's time
_GRACE_SECONDS = 0.3  # between the deadline, which the child observes itself, and the kill
_REAP_SECONDS = 5  # a killed process that remains longer hangs in the kernel
_WAITING_SECONDS = 10  # that a client counts as waiting after a request: a refused one retries
_MAX_STATEMENTS = 10_000  # per child
_MAX_MEMORY = 200 * 1024 * 1024  # peak bytes above which a child is replaced
_PIECE = 256 * 1024  # bytes read at once
_MAX_HEADER = 1024 * 1024  # bytes
_NOT_STARTING = "The process for statements does not start."

# For Python, its modules, a temporary folder and the database; passwords are sent through the pipe instead.
_PASSED_ON = frozenset({
    "PATH", "LANG", "TZ", "TMPDIR", "SQLITE_TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME",
    "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONUTF8", "PYTHONWARNINGS",
})  # fmt: skip
_PASSED_ON_PREFIXES = ("LC_", "PG")
_SECRET = frozenset({"PGPASSWORD", "PGPASSFILE", "PGSSLPASSWORD", "PGSERVICEFILE", "PGSERVICE"})


class Box:
    """The children of one worker; thread-safe, and empty after a fork."""

    def __init__(
        self, command: Sequence[str], configuration: Configuration, slots: int = 2, folder: Path | None = None
    ) -> None:
        self._slots = [_Slot(command, configuration, folder) for _ in range(slots)]
        # A stack, so that a second child starts only while two statements run concurrently. pop and append are atomic.
        self._free = list(self._slots)
        self._share = _FairShare(slots)
        self._is_open = True
        weakref.finalize(self, _stop_all, self._free)
        _boxes.add(self)

    def run(self, request: Request, client: Hashable = None) -> Answer:
        """Return the rows. Raise a Refused; Busy if all slots, or the client's share, are taken."""
        if len(request.text) > STATEMENT_CHARACTERS:
            raise refusals.TooLarge(f"The statement is longer than {STATEMENT_CHARACTERS} characters.")
        with self._share.held(client):
            try:
                slot = self._free.pop()
            except IndexError:
                raise refusals.Busy(refusals.BUSY) from None
            try:
                self.start()
                return slot.run(request)
            finally:
                self._free.append(slot)
                if not self._is_open:
                    _stop_all(self._free)

    def start(self) -> None:
        """Begin to start the child of the next statement, so that the statement need not wait for it."""
        with suppress(IndexError):
            self._free[-1].start()

    def close(self) -> None:
        """End the children, busy ones after their statement; a closed box raises Busy."""
        self._is_open = False
        _stop_all(self._free)

    def pids(self) -> list[int]:
        return [slot.child.pid for slot in self._slots if slot.child]

    def _forget(self) -> None:
        for slot in self._slots:
            slot.forget()
        self._free[:] = self._slots if self._is_open else []
        self._share.forget()


def _stop_all(slots: list["_Slot"]) -> None:
    with suppress(IndexError):  # of pop: several threads may empty the list together
        while True:
            slots.pop().stop()


_boxes: "weakref.WeakSet[Box]" = weakref.WeakSet()


def _forget_children() -> None:
    # The pipes too: while any copy of them is open, the children do not notice their worker's end.
    for box in _boxes:
        box._forget()


os.register_at_fork(after_in_child=_forget_children)


class _FairShare:
    """Lets a client take at most half of the slots, but at least one, while others wait."""

    def __init__(self, slots: int) -> None:
        self._half = max(1, slots // 2)
        self.forget()

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._held: Counter[Hashable] = Counter()
        self._asked: dict[Hashable, float] = {}

    @contextmanager
    def held(self, client: Hashable) -> Iterator[None]:
        """Count a slot as the client's during the block. Raise Busy above its share."""
        now = time.monotonic()
        with self._lock:
            self._asked[client] = now
            self._asked = {one: asked for one, asked in self._asked.items() if now - asked < _WAITING_SECONDS}
            if len(self._asked) > 1 and self._held[client] >= self._half:
                raise refusals.Busy(refusals.BUSY)
            self._held[client] += 1
        try:
            yield
        finally:
            with self._lock:
                self._held[client] -= 1
                if not self._held[client]:
                    del self._held[client]


class _Slot:
    """The place of one child, for one thread at a time."""

    def __init__(self, command: Sequence[str], configuration: Configuration, folder: Path | None) -> None:
        self.child: _ChildProcess | None = None
        self._command, self._folder = command, folder
        # By this number a database knows that a former child's statement is still running.
        database = {**configuration.database, "slot": secrets.randbits(63)}
        self._configuration = replace(configuration, database=database)
        self._starting = threading.Lock()

    def run(self, request: Request) -> Answer:
        arrival = time.monotonic()
        for _ in range(2):
            # A child that ended while idle is replaced once: the statement did not end it.
            with suppress(_Unsent):
                return self._run(request, arrival)
        raise refusals.Failed("The statement could not be sent to its process.")

    def start(self) -> None:
        with suppress(refusals.Unavailable):
            self._begin()

    def stop(self) -> None:
        child, self.child = self.child, None
        if child:
            child.stop()

    def forget(self) -> None:
        child, self.child = self.child, None
        self._starting = threading.Lock()
        if child:
            child.forget()

    def _run(self, request: Request, arrival: float) -> Answer:
        seconds = self._configuration.limits.seconds
        child = self._ready_child(arrival + max(seconds, _FREE_SECONDS))
        deadline = min(time.monotonic(), arrival + _FREE_SECONDS) + seconds
        try:
            message = pack_request(request, deadline)
        except orjson.JSONEncodeError:
            raise refusals.NotAllowed("The statement contains characters that are not valid text.") from None
        try:
            child.send(message, deadline + _GRACE_SECONDS)
            header, rows = child.receive(deadline + _GRACE_SECONDS)
        except BaseException as error:
            # After any interruption, even the worker's end, the next frame would belong to this statement.
            self.stop()
            if isinstance(error, _Silence | _Gone):
                self.start()
            if isinstance(error, _Silence) or (isinstance(error, _Gone) and child.ended_itself()):
                raise refusals.TimedOut(refusals.TOO_LONG) from None
            if isinstance(error, _Gone):
                raise refusals.Failed(
                    "The statement terminated its process, for example because it needed too much memory."
                ) from None
            if isinstance(error, BadFrame):
                raise RuntimeError("The process of the statement returned an unreadable response.") from error
            raise
        if child.answered > _MAX_STATEMENTS or header.get("memory", 0) > _MAX_MEMORY:
            self.stop()
            self.start()  # for the next statement
        return _read_answer(header, rows)

    def _ready_child(self, until: float) -> "_ChildProcess":
        if self.child and self.child.answered and self.child.has_ended():
            self.stop()
        child = self._begin()
        if child.answered:
            return child
        try:
            child.receive(until)
        except BaseException as error:
            if isinstance(error, _Silence) and time.monotonic() < child.started + _START_SECONDS:
                raise refusals.Busy("The process for statements is still starting; try again in a second.") from None
            self.stop()
            if isinstance(error, _Silence | _Gone | BadFrame):
                raise refusals.Unavailable(_NOT_STARTING) from error
            raise
        return child

    def _begin(self) -> "_ChildProcess":
        with self._starting:
            if self.child is not None:
                return self.child
            try:
                child = _ChildProcess(self._command, self._folder, self._configuration.limits.bytes)
            except OSError as error:
                raise refusals.Unavailable("The process for statements cannot be started.") from error
            try:
                child.send(pack(asdict(self._configuration)), time.monotonic() + _START_SECONDS)
            except BaseException as error:
                child.stop()
                if isinstance(error, _Unsent | _Silence):
                    raise refusals.Unavailable(_NOT_STARTING) from error
                raise
            self.child = child
            return child


def _read_answer(header: dict[str, Any], rows: bytes) -> Answer:
    code = header.get("code")
    if code is None:
        return Answer(rows, header["truncated"])
    if code == BUG:
        raise RuntimeError("A statement hit a bug in its process; the log shows where.")
    raise refusals.BY_CODE[code](header["message"])


class _Unsent(Exception):
    """The child ended before it had the message."""


class _Gone(Exception):
    """The child ended without a response."""


class _Silence(Exception):
    """The child did not respond in time."""


class _ChildProcess:
    """One child with its pipes; for one thread at a time. After any exception it can only be stopped."""

    def __init__(self, command: Sequence[str], folder: Path | None, max_payload: int) -> None:
        self.answered = 0
        self.started = time.monotonic()
        self._max_payload = max_payload
        # A session of its own: a signal to the worker's group must not end a statement half-way.
        self._process = subprocess.Popen(  # noqa: S603 - the command is the project's own
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            env=pass_on(os.environ),
            start_new_session=True,
        )
        self.pid = self._process.pid
        self._stdin, self._stdout = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        for pipe in (self._stdin, self._stdout):
            os.set_blocking(pipe.fileno(), False)

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def ended_itself(self) -> bool:
        """Return whether the stopped process was ended by its own timer."""
        return self._process.returncode == -signal.SIGALRM

    def stop(self) -> None:
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_SECONDS)
        self._close()

    def forget(self) -> None:
        """Release a child that belongs to the process this one was forked from."""
        self._process.returncode = 0  # subprocess would warn about a child that was not waited for
        self._close()

    def _close(self) -> None:
        for pipe in (self._stdin, self._stdout):
            pipe.close()

    def send(self, message: bytes, until: float) -> None:
        """Send a frame; `until` is a time of time.monotonic(). Raise _Unsent and _Silence."""
        rest = memoryview(message)
        while rest:
            # Wait with a deadline: a child that is stuck would never empty a full pipe.
            _wait(self._stdin, select.POLLOUT, until)
            try:
                rest = rest[os.write(self._stdin.fileno(), rest) :]
            except BrokenPipeError as error:
                raise _Unsent from error

    def receive(self, until: float) -> tuple[dict[str, Any], bytes]:
        """Return the next frame. Raise _Gone, _Silence and messages.BadFrame."""
        header_size, payload_size = LENGTHS.unpack(self._read(LENGTHS.size, until))
        if header_size > _MAX_HEADER or payload_size > self._max_payload:
            raise BadFrame(f"Lengths of {header_size} and {payload_size} bytes.")
        try:
            header = orjson.loads(self._read(header_size, until))
        except orjson.JSONDecodeError as error:
            raise BadFrame("The header is not JSON.") from error
        if not isinstance(header, dict):
            raise BadFrame("The header is not an object.")
        payload = self._read(payload_size, until)
        with suppress(BlockingIOError):
            if os.read(self._stdout.fileno(), 1):
                raise BadFrame("More bytes than announced.")
        self.answered += 1
        return header, payload

    def _read(self, size: int, until: float) -> bytes:
        arrived = bytearray()
        while len(arrived) < size:
            _wait(self._stdout, select.POLLIN, until)
            piece = os.read(self._stdout.fileno(), min(size - len(arrived), _PIECE))
            if not piece:
                raise _Gone
            arrived += piece
        return bytes(arrived)


def _wait(pipe: IO[bytes], event: int, until: float) -> None:
    """Return when the pipe is ready or broken. Raise _Silence."""
    poll = select.poll()
    poll.register(pipe.fileno(), event)
    milliseconds = (until - time.monotonic()) * 1000
    if milliseconds <= 0 or not poll.poll(milliseconds):
        raise _Silence


def pass_on(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name in _PASSED_ON or (name.startswith(_PASSED_ON_PREFIXES) and name not in _SECRET)
    }
