"""Hand-over of sockets and workers from a master process to its successor, which then loads the application.

A failed load must not end the service: files may change after the check, and gunicorn would exit with all workers.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Self

from django.core.exceptions import ImproperlyConfigured

from core.lib.key_filter import hide_keys
from server.restarts.start_check import StartCheck, serious_problems

_PAUSE, _LOOK = 1.0, 0.1  # seconds
_VARIABLE = "CMS_SUCCESSION"
# While it is set, gunicorn's option --daemon does not fork.
_DAEMON = "GUNICORN_FD"
ENDING = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGQUIT})


@dataclass(frozen=True)
class Handover:
    """Open file numbers and process ids that survive the execve."""

    process: int  # of the master; the execve does not change it
    begun_at: str  # wall-clock time in ISO form
    listeners: list[int]
    from_systemd: bool  # systemd opened the listeners
    workers: list[tuple[int, int]]  # process, file of its heartbeat

    @classmethod
    def take(cls) -> Self | None:
        """Return the sockets that the previous master of this process left; None at a fresh start."""
        text = os.environ.pop(_VARIABLE, "")
        try:
            handover = cls(**json.loads(text or "null"))
        except (ValueError, TypeError):  # absent, or not ours
            return None
        if handover.process != os.getpid():  # a child of that master that inherited the variable
            return None
        os.environ.pop(_DAEMON, None)
        return handover

    def environment(self, original: Mapping[str, str], *, daemon: bool) -> dict[str, str]:
        marks = {_VARIABLE: json.dumps(asdict(self))} | ({_DAEMON: ""} if daemon else {})
        return without_handover(original) | marks

    def set_inheritable(self, inheritable: bool) -> None:
        for _, heartbeat in self.workers:
            os.set_inheritable(heartbeat, inheritable)


class OldWorker:
    """A worker started by the previous master, with the attributes gunicorn uses."""

    age = 0  # older than any of the current master's
    aborted = False

    def __init__(self, process: int, heartbeat: int) -> None:
        self.pid = process
        self.tmp = _Heartbeat(heartbeat)


class _Heartbeat:
    """gunicorn's WorkerTmp for a file that another process created."""

    def __init__(self, file: int) -> None:
        self._file = open(file, "rb", buffering=0)  # noqa: SIM115 - closed when the worker has ended

    def last_update(self) -> float:
        return os.fstat(self._file.fileno()).st_mtime

    def fileno(self) -> int:
        return self._file.fileno()

    def close(self) -> None:
        self._file.close()


def without_handover(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in environment.items() if name not in (_VARIABLE, _DAEMON)}


def is_own_child(process: int) -> bool:
    try:
        return os.waitpid(process, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False


def load(server: Any, handover: Handover) -> None:
    """Load the application; on failure retry with execve once the code starts. Signals are blocked and polled here."""
    try:
        server.app.wsgi()
        if problems := serious_problems():  # loads modules that the application itself loads lazily
            raise ImproperlyConfigured(" ".join(problems))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - new code may raise anything
        told = hide_keys(f"{type(error).__name__}: {error}")
        server.log.error(
            ("The new code started in the check but does not start now. The old workers keep running. %s"), told
        )
        while not _starts(server, handover):
            pass
        environment = handover.environment(server.cfg.env_orig, daemon=server.cfg.daemon)
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)  # noqa: S606 - our own command


def _starts(server: Any, handover: Handover) -> bool:
    _rest(server, handover, _PAUSE)  # files may still be being copied
    check = StartCheck(os.getcwd(), without_handover(server.cfg.env_orig))
    while not check.has_ended():
        _rest(server, handover, _LOOK, check)
    return not check.problem()


def _rest(server: Any, handover: Handover, seconds: float, check: StartCheck | None = None) -> None:
    time.sleep(seconds)
    if not ENDING & signal.sigpending():
        return
    if check is not None:
        check.stop()
    former = [process for process, _ in handover.workers if is_own_child(process)]
    for process in former:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
    deadline = time.monotonic() + server.cfg.graceful_timeout
    while any(map(is_own_child, former)) and time.monotonic() < deadline:
        time.sleep(_LOOK)
    server.log.info("Shutting down: Master")
    sys.exit(0)
