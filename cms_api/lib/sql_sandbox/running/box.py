"""Runs statements in child processes that are killed at the deadline, a few at a time."""

import os
import secrets
import threading
import time
import weakref
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from cms_api.lib.sql_sandbox.compiled import Answer
from cms_api.lib.sql_sandbox.limits import STATEMENT_CHARACTERS
from cms_api.lib.sql_sandbox.refusals import (
    BY_CODE,
    TOO_LONG,
    Busy,
    Failed,
    NotAllowed,
    TimedOut,
    TooLarge,
    Unavailable,
)
from cms_api.lib.sql_sandbox.running.child_process import ChildProcess, Gone, Silence, Unsent
from cms_api.lib.sql_sandbox.running.fair_share import BUSY, FairShare
from cms_api.lib.sql_sandbox.running.messages import (
    BUG,
    BadFrame,
    Configuration,
    Request,
    pack_configuration,
    pack_request,
)

_START_SECONDS = 10  # for a new child on a busy machine; statements that come meanwhile are told to come again
_FREE_SECONDS = 0.5  # of the start of a child, which do not count as a statement's time
_GRACE_SECONDS = 0.3  # from the deadline, which the child itself minds, to the kill
_MAX_STATEMENTS = 10_000  # of one child
_MAX_MEMORY = 200 * 1024 * 1024  # bytes that a child may have held and be kept
_STARTING = "The process for statements is still starting; try again in a second."


class Box:
    """The children of one worker; safe under threads, and after a fork without the children of before."""

    def __init__(
        self, command: Sequence[str], configuration: Configuration, slots: int = 2, folder: Path | None = None
    ) -> None:
        """`command` starts a child, in `folder` if it is given; nothing is started yet."""
        self._slots = [_Slot(command, configuration, folder) for _ in range(slots)]
        # The one that was given back last is taken first, so that a second child is started only while two
        # statements run at once. A list's pop and append are atomic.
        self._free = list(self._slots)
        self._share = FairShare(slots)
        self._is_open = True
        weakref.finalize(self, _stop_all, self._free)
        _boxes.add(self)

    def run(self, request: Request, client: Hashable = None) -> Answer:
        """The rows of the request. Raises a Refused; Busy at once if all slots, or the client's share, are taken."""
        if len(request.text) > STATEMENT_CHARACTERS:
            raise TooLarge(f"The statement is longer than {STATEMENT_CHARACTERS} characters.")
        with self._share.held(client):
            try:
                slot = self._free.pop()
            except IndexError:
                raise Busy(BUSY) from None
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
        """End the children, those in use after their statement; a closed box answers Busy."""
        self._is_open = False
        _stop_all(self._free)

    def pids(self) -> list[int]:
        """The numbers of the children that have been started and not been ended."""
        return [slot.child.pid for slot in self._slots if slot.child]

    def _forget(self) -> None:
        for slot in self._slots:
            slot.forget()
        self._free[:] = self._slots if self._is_open else []
        self._share.forget()


class _Slot:
    """The place of one child, for one thread at a time."""

    def __init__(self, command: Sequence[str], configuration: Configuration, folder: Path | None) -> None:
        self.child: ChildProcess | None = None
        self._command, self._folder = command, folder
        # By this number a database knows that a former child's statement is still busy.
        database = {**configuration.database, "slot": secrets.randbits(63)}
        self._configuration = replace(configuration, database=database)
        self._starting = threading.Lock()

    def run(self, request: Request) -> Answer:
        """The rows of the request. Raises a Refused."""
        arrival = time.monotonic()
        try:
            return self._run(request, arrival)
        except Unsent:
            # The child had ended while it was idle; the statement did not do it, and gets a new one.
            try:
                return self._run(request, arrival)
            except Unsent:
                raise Failed("The statement could not be handed over.") from None

    def start(self) -> None:
        """Begin to start a child if there is none; whatever goes wrong shows at the next statement."""
        with suppress(Unavailable):
            self._begin()

    def stop(self) -> None:
        child, self.child = self.child, None
        if child:
            child.stop()

    def forget(self) -> None:
        """Let go of the child without ending it."""
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
            raise NotAllowed("The statement holds characters that are no text.") from None
        header, rows = self._exchange(child, message, deadline + _GRACE_SECONDS)
        if child.answered > _MAX_STATEMENTS or header.get("memory", 0) > _MAX_MEMORY:
            self.stop()
            self.start()  # for the next statement
        return _read_answer(header, rows)

    def _exchange(self, child: ChildProcess, message: bytes, until: float) -> tuple[dict[str, Any], bytes]:
        try:
            return child.exchange(message, until)
        except BaseException as error:
            # Whatever ended the exchange, even the end of the worker: the next answer would be that of this one.
            self.stop()
            if isinstance(error, Silence | Gone):
                self.start()
            if isinstance(error, Silence) or (isinstance(error, Gone) and child.ended_itself()):
                raise TimedOut(TOO_LONG) from None
            if isinstance(error, Gone):
                raise Failed("The statement ended its process, such as by its need of memory.") from None
            if isinstance(error, BadFrame):
                raise RuntimeError("The process of the statement answered something unreadable.") from error
            raise

    def _ready_child(self, until: float) -> ChildProcess:
        if self.child and self.child.has_ended() and self.child.answered:
            self.stop()
        child = self._begin()
        if child.answered:
            return child
        try:
            child.receive(until)
        except Silence as error:
            if time.monotonic() < child.started + _START_SECONDS:
                raise Busy(_STARTING) from None
            self.stop()
            raise Unavailable("The process for statements does not start.") from error
        except (Gone, BadFrame) as error:
            self.stop()
            raise Unavailable("The process for statements does not start.") from error
        except BaseException:
            self.stop()
            raise
        return child

    def _begin(self) -> ChildProcess:
        """The child, which may still be starting; its first answer says that it is ready."""
        with self._starting:
            if self.child is None:
                self.child = self._start()
            return self.child

    def _start(self) -> ChildProcess:
        try:
            child = ChildProcess(self._command, self._folder, self._configuration.limits.bytes)
        except OSError as error:
            raise Unavailable("The process for statements cannot be started.") from error
        try:
            child.send(pack_configuration(self._configuration), time.monotonic() + _START_SECONDS)
        except (Unsent, Silence) as error:
            child.stop()
            raise Unavailable("The process for statements does not start.") from error
        except BaseException:
            child.stop()
            raise
        return child


def _read_answer(header: dict[str, Any], rows: bytes) -> Answer:
    code = header.get("code")
    if code is None:
        return Answer(rows, header["truncated"])
    if code == BUG:
        raise RuntimeError("A statement met a bug in its process, whose place is in the log.")
    raise BY_CODE[code](header["message"])


def _stop_all(slots: list[_Slot]) -> None:
    """Stop the children of the slots, and take the slots away."""
    with suppress(IndexError):  # the end of the list, which threads may reach together
        while True:
            slots.pop().stop()


# ---- Forks

_boxes: "weakref.WeakSet[Box]" = weakref.WeakSet()


def _forget_children() -> None:
    # The pipes too: as long as a copy of them is open anywhere, the children do not see their worker's end.
    for box in _boxes:
        box._forget()


os.register_at_fork(after_in_child=_forget_children)
