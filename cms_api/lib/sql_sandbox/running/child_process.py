"""A child as its worker sees it: a process, two pipes and a clock."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

from cms_api.lib.sql_sandbox.running.messages import Inbox

# What a process needs to find Python, its modules, a temporary folder and the database; no secret is among it.
# The password of a database account travels in the configuration, through the pipe.
_PASSED_ON = frozenset({
    "PATH", "LANG", "TZ", "TMPDIR", "SQLITE_TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME",
    "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONUTF8", "PYTHONWARNINGS",
})  # fmt: skip
_PASSED_ON_PREFIXES = ("LC_", "PG")
_SECRET = frozenset({"PGPASSWORD", "PGPASSFILE", "PGSSLPASSWORD", "PGSERVICEFILE", "PGSERVICE"})
_PIECE = 256 * 1024  # bytes read at once
_REAP_SECONDS = 5  # a killed process that still is not gone hangs in the system


class Unsent(Exception):
    """The child was gone before it had the message."""


class Gone(Exception):
    """The child ended without an answer."""


class Silence(Exception):
    """The child did not answer in time."""


class ChildProcess:
    """One child with its pipes; for one thread at a time."""

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
        self._stdin, self._stdout = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        for pipe in (self._stdin, self._stdout):
            os.set_blocking(pipe.fileno(), False)

    @property
    def pid(self) -> int:
        return self._process.pid

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def ended_itself(self) -> bool:
        """Whether the process, now that it is stopped, turns out to have been ended by its own clock."""
        return self._process.returncode == -signal.SIGALRM

    def exchange(self, message: bytes, until: float) -> tuple[dict[str, Any], bytes]:
        """Send a frame and return the one that answers it, until a time of time.monotonic().

        Raises Unsent, Gone, Silence and messages.BadFrame; after any of them the child can only be stopped.
        """
        self.send(message, until)
        return self.receive(until)

    def stop(self) -> None:
        """Kill the process and take its place in the system's table away."""
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_SECONDS)
        self._close()

    def forget(self) -> None:
        """Let go of a child that belongs to the process this one was forked from."""
        self._process.returncode = 0  # it is not ours to wait for, which subprocess would warn about
        self._close()

    def _close(self) -> None:
        for pipe in (self._stdin, self._stdout):
            pipe.close()

    def send(self, message: bytes, until: float) -> None:
        """Send a frame. Raises Unsent and Silence."""
        rest = memoryview(message)
        while rest:
            # A full pipe is waited for here, since a child that is stuck would never empty it.
            _wait(self._stdin, select.POLLOUT, until)
            try:
                rest = rest[os.write(self._stdin.fileno(), rest) :]
            except BrokenPipeError as error:
                raise Unsent from error

    def receive(self, until: float) -> tuple[dict[str, Any], bytes]:
        """The next frame. Raises Gone, Silence and messages.BadFrame."""
        inbox = Inbox(self._max_payload)
        while True:
            _wait(self._stdout, select.POLLIN, until)
            piece = os.read(self._stdout.fileno(), _PIECE)
            if not piece:
                raise Gone
            if frame := inbox.take(piece):
                self.answered += 1
                return frame


def _wait(pipe: IO[bytes], event: int, until: float) -> None:
    """Return when the pipe is ready or broken. Raises Silence."""
    poll = select.poll()
    poll.register(pipe.fileno(), event)
    milliseconds = (until - time.monotonic()) * 1000
    if milliseconds <= 0 or not poll.poll(milliseconds):
        raise Silence


def pass_on(environment: Mapping[str, str]) -> dict[str, str]:
    """The part of an environment that a child gets."""
    return {
        name: value
        for name, value in environment.items()
        if name in _PASSED_ON or (name.startswith(_PASSED_ON_PREFIXES) and name not in _SECRET)
    }
