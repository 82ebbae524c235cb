import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.core.checks import run_checks
from django.db import Error

from core.lib.key_filter import hide_keys

_PATIENCE = 60  # seconds
_READY = "The new code starts."
# gunicorn reads its options (which follow) and finds the project exactly as the server does.
_PROGRAM = """
import server.configuration  # gunicorn would tell less of what is wrong with it
from gunicorn.app.wsgiapp import WSGIApplication
application = WSGIApplication(prog="gunicorn")
from server.restarts.start_check import try_to_start
try_to_start(application)
"""


def serious_problems() -> list[str]:
    """Return the errors of the system checks that prevent a start; the application must be loaded."""
    errors = [message for message in run_checks() if message.is_serious() and not message.is_silenced()]
    return [f"{error.msg} {error.hint or ''}".strip() for error in errors]


def try_to_start(application: Any) -> None:
    """Load the application as the server does, run the system checks and collect the static files.

    Exits with a line for each problem.
    """
    application.wsgi()
    if problems := serious_problems():
        sys.exit("\n".join(problems))
    with suppress(Error):  # a start does not need the database either
        from core.lib import schema
        from core.operation import time_zone

        if problem := schema.look().problem or time_zone.problem():
            sys.exit(problem)
    from core.admin.static_files import collect_if_needed  # needs the application

    collect_if_needed()
    print(_READY)  # noqa: T201 - read by the parent process


class StartCheck:
    def __init__(self, folder: str, environment: Mapping[str, str]) -> None:
        # A file, since a pipe would fill up while the parent does not read.
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - closed by problem()
        self._ends = time.monotonic() + _PATIENCE
        self._process = subprocess.Popen(  # noqa: S603 - the server's own command
            [sys.executable, "-c", _PROGRAM, *sys.argv[1:]],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
        )

    def has_ended(self) -> bool:
        """Return true if there is a result; kills a check that takes too long."""
        if self._process.poll() is None and time.monotonic() > self._ends:
            self.stop()
        return self._process.returncode is not None

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    def problem(self) -> str:
        """Return why the new code does not start, by its output (gunicorn may take the exit code); "" if it does."""
        self._output.seek(0, os.SEEK_SET)
        lines = self._output.read().decode(errors="replace").strip().splitlines()
        self._output.close()
        if lines and lines[-1] == _READY:
            return ""
        if time.monotonic() > self._ends:
            return f"The new code did not start within {_PATIENCE} seconds."
        # Show the last step of a traceback, else the last lines.
        steps = [number for number, line in enumerate(lines) if line.startswith('  File "')]
        told = lines[steps[-1] :] if steps else lines[-3:]
        return hide_keys("\n".join(told))[-1000:] or "The new code exited without any output."
