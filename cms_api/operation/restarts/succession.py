"""What a master process hands to the one that takes its place: sockets that listen, and workers that serve."""

import json
import os
import signal
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Self

_VARIABLE = "CMS_SUCCESSION"
# While it is set, gunicorn's option --daemon makes no new process.
_DAEMON = "GUNICORN_FD"
# The signals that end a server.
ENDING = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGQUIT})


@dataclass(frozen=True)
class Succession:
    """Numbers of open files and running processes, which outlive the exchange of the program."""

    process: int  # of the master, before and after
    begun_at: str  # wall-clock time in ISO form
    listeners: list[int]
    from_systemd: bool  # whether systemd opened the listeners
    workers: list[tuple[int, int]]  # process, file of its heartbeat

    @classmethod
    def take(cls) -> Self | None:
        """What the former master of this very process left; None at a fresh start."""
        text = os.environ.pop(_VARIABLE, "")
        try:
            succession = cls(**json.loads(text or "null"))
        except (ValueError, TypeError):  # nothing, or nothing of ours
            return None
        if succession.process != os.getpid():  # a child of that master, that kept the variable
            return None
        os.environ.pop(_DAEMON, None)
        return succession

    @property
    def begun(self) -> datetime:
        """When the former master began to give way."""
        return datetime.fromisoformat(self.begun_at)

    def environment(self, original: Mapping[str, str], *, daemon: bool) -> dict[str, str]:
        marks = {_VARIABLE: json.dumps(asdict(self))} | ({_DAEMON: ""} if daemon else {})
        return without_succession(original) | marks

    def set_inheritable(self, inheritable: bool) -> None:
        """Have the files stay open in the next program, or not."""
        for _, heartbeat in self.workers:
            os.set_inheritable(heartbeat, inheritable)


class FormerWorker:
    """A worker that a former master started, as gunicorn knows workers."""

    age = 0  # older than any of the present master
    aborted = False

    def __init__(self, process: int, heartbeat: int) -> None:
        self.pid = process
        self.tmp = _Heartbeat(heartbeat)


class _Heartbeat:
    """The file whose time a worker renews; gunicorn.workers.workertmp in a process that did not make it."""

    def __init__(self, file: int) -> None:
        self._file = open(file, "rb", buffering=0)  # noqa: SIM115 - closed when the worker has ended

    def last_update(self) -> float:
        """When the worker was last alive, of the monotonic clock."""
        return os.fstat(self._file.fileno()).st_mtime

    def fileno(self) -> int:
        return self._file.fileno()

    def close(self) -> None:
        self._file.close()


def without_succession(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment as it was given to the first program."""
    return {name: text for name, text in environment.items() if name not in (_VARIABLE, _DAEMON)}


def is_own_child(process: int) -> bool:
    """Whether the process is a child of this one and has not ended."""
    try:
        return os.waitpid(process, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False


def block(signals: Iterable[signal.Signals]) -> None:
    """Keep signals waiting, also across the exchange of the program, until they are let through."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)


def let_through(signals: Iterable[signal.Signals]) -> None:
    """Take the signals that waited, and those to come."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)


def members_of(server: Any, begun: datetime) -> Succession:
    return Succession(
        process=os.getpid(),
        begun_at=begun.isoformat(),
        listeners=[listener.fileno() for listener in server.LISTENERS],
        from_systemd=server.systemd,
        workers=[(process, worker.tmp.fileno()) for process, worker in server.WORKERS.items()],
    )
