"""Loads the application in a master that has taken another's place, where failing must not end the service.

Between the check of new code and its loading somebody may go on copying files. gunicorn would end then, and with it the
workers of before, which still serve.
"""

import os
import signal
import sys
import time
from contextlib import suppress
from typing import Any, NoReturn

from django.core.exceptions import ImproperlyConfigured

from cms_api.lib.key_filter import hide_keys
from cms_api.operation.restarts.start_check import StartCheck, serious_problems
from cms_api.operation.restarts.succession import ENDING, Succession, is_own_child, without_succession

_PAUSE, _LOOK = 1.0, 0.1  # seconds


def load(server: Any, succession: Succession) -> None:
    """Load the application; if that fails, begin anew as soon as there is code that starts.

    Signals are blocked meanwhile, and looked for here.
    """
    try:
        server.app.wsgi()
        if problems := serious_problems():  # which loads what the application itself leaves for later
            raise ImproperlyConfigured(" ".join(problems))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the code does
        told = hide_keys(f"{type(error).__name__}: {error}")
        server.log.error("The new code started when it was tried and does not now. Those of before go on. %s", told)
        _begin_anew(server, succession)


def _begin_anew(server: Any, succession: Succession) -> NoReturn:
    original = server.cfg.env_orig
    while not _starts(server, succession):
        pass
    environment = succession.environment(original, daemon=server.cfg.daemon)
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)  # noqa: S606 - our own


def _starts(server: Any, succession: Succession) -> bool:
    _rest(server, succession, _PAUSE)  # files that are being copied need a moment
    check = StartCheck(os.getcwd(), without_succession(server.cfg.env_orig))
    while not check.has_ended():
        _rest(server, succession, _LOOK, check)
    return not check.problem()


def _rest(server: Any, succession: Succession, seconds: float, check: StartCheck | None = None) -> None:
    """Wait; a signal that ends the server ends the workers of before, and this process."""
    time.sleep(seconds)
    if not ENDING & signal.sigpending():
        return
    if check is not None:
        check.stop()
    former = [process for process, _ in succession.workers if is_own_child(process)]
    for process in former:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
    deadline = time.monotonic() + server.cfg.graceful_timeout
    while any(map(is_own_child, former)) and time.monotonic() < deadline:
        time.sleep(_LOOK)
    server.log.info("Shutting down: Master")
    sys.exit(0)
