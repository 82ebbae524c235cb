"""gunicorn's master process, which gives way to new code without a moment in which nobody serves."""

import errno
import os
import signal
import socket
import sys
import time
from datetime import datetime
from typing import Any

from gunicorn.arbiter import Arbiter
from gunicorn.sock import TCP6Socket, TCPSocket, UnixSocket

from cms_api.operation.restarts.loading import load
from cms_api.operation.restarts.start import Start, orders_so_far, own_name
from cms_api.operation.restarts.start_check import StartCheck
from cms_api.operation.restarts.succession import (
    ENDING,
    FormerWorker,
    Succession,
    block,
    is_own_child,
    let_through,
    members_of,
    without_succession,
)

_SIGNALS = {*Arbiter.SIGNALS, signal.SIGCHLD}
_SOCKETS = {socket.AF_INET: TCPSocket, socket.AF_INET6: TCP6Socket, socket.AF_UNIX: UnixSocket}


class Master(Arbiter):
    """Loads new code on SIGHUP, in the same process, while the workers of before go on serving.

    gunicorn itself either renews workers out of the code that was loaded at start, or (SIGUSR2) starts a second
    master under another process number, which service managers and containers take for the end of the first.

    The exchange: a process apart tries the new code; if it starts, this one runs the command line anew (execve) and
    inherits sockets and workers; for each new worker that serves one of the former is told to finish.
    """

    _succession: Succession | None
    _begun: datetime  # the latest replacement
    _check: StartCheck | None
    _asked_again: bool
    # Workers of before, and whether they have been told to finish.
    _former: dict[int, bool]
    _start: Start

    @classmethod
    def become(cls, server: Arbiter) -> None:
        """Give gunicorn's master these methods, before the application is loaded."""
        server.__class__ = cls
        server._succession = Succession.take()
        server._check, server._asked_again, server._former = None, False, {}
        begun = server._succession.begun if server._succession else None
        # What was asked for until here is answered by the code that is loaded next.
        server._start = Start(covers=orders_so_far(), replaced_at=begun)
        if server._succession is not None:
            load(server, server._succession)

    def inherit(self) -> None:
        """Take over what the former master left: sockets, workers, and the file with the process number."""
        if self._succession is None:
            return
        self.LISTENERS = [self._listener(number) for number in self._succession.listeners]
        self.systemd = self._succession.from_systemd
        if self.pidfile is not None:
            self.pidfile.pid = self.pid  # or it would not be removed at the end
        for process, heartbeat in self._succession.workers:
            if is_own_child(process):
                self.WORKERS[process] = FormerWorker(process, heartbeat)
        self._former = dict.fromkeys(self.WORKERS, False)

    def be_ready(self) -> None:
        """Take the signals that came during the exchange, and tell the workers to be who they are."""
        self._start.name = own_name(str(self.LISTENERS[0]) if self.LISTENERS else "")
        self._start.at = datetime.now()
        self.app.start_record = self._start
        let_through(_SIGNALS)

    # ---- What gunicorn calls

    def start(self) -> None:
        """gunicorn's, which ends where the port is in use; say what to do then."""
        try:
            super().start()
        except SystemExit:
            for address in filter(_is_in_use, self.cfg.address):
                hint = "Port %d is in use. End the program that uses it, or choose another port, such as PORT=%d."
                self.log.error(hint, address[1], address[1] + 1)
            raise

    def handle_hup(self) -> None:
        """Begin to give way to new code; asked again meanwhile, do it once more afterwards."""
        if self.reexec_pid or self.master_pid:
            self.log.warning("SIGHUP ignored while another master takes over (SIGUSR2).")
        elif self._check is not None:
            self._asked_again = True
        else:
            self._asked_again, self._begun = False, datetime.now()
            self._check = StartCheck(self.START_CTX["cwd"], without_succession(self.cfg.env_orig))

    def maybe_promote_master(self) -> None:
        """Go on with the replacement where it may: between two rounds, with no signal half-way."""
        super().maybe_promote_master()
        if self._check is None or not self._check.has_ended():
            return
        problem, self._check = self._check.problem(), None
        if not problem:
            problem = self._give_way()
        if problem:
            self._stay(problem)

    def manage_workers(self) -> None:
        """As many workers as there should be besides those of before, who leave one by one."""
        self._former = {process: told for process, told in self._former.items() if process in self.WORKERS}
        if not self._former:
            super().manage_workers()
            return
        for _ in range(self.num_workers - len(self.WORKERS) + len(self._former)):
            self.spawn_worker()
        serving = sum(_serves(worker) for process, worker in self.WORKERS.items() if process not in self._former)
        replaced = len(self._former) if serving >= self.num_workers else serving
        for process in list(self._former)[:replaced]:
            if not self._former[process]:
                self._former[process] = True
                self.kill_worker(process, signal.SIGTERM)

    def stop(self, graceful: bool = True) -> None:
        """End workers of before, too, and no check goes on."""
        if self._check is not None:
            self._check.stop()
        super().stop(graceful)

    # ---- The exchange

    def _give_way(self) -> str:
        """Run the command line anew in this process. Returns only when that must not or cannot be, with the reason."""
        succession = members_of(self, self._begun)
        environment = succession.environment(self.cfg.env_orig, daemon=self.cfg.daemon)
        folder = os.getcwd()
        block(_SIGNALS)
        try:
            if not self._keep_signals():
                return ""
            sys.stdout.flush()
            sys.stderr.flush()
            succession.set_inheritable(True)
            os.chdir(self.START_CTX["cwd"])
            os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)  # noqa: S606 - our own
        except OSError as error:
            os.chdir(folder)
            succession.set_inheritable(False)
            return f"The server could not be run anew: {error}"
        finally:
            let_through(_SIGNALS)

    def _keep_signals(self) -> bool:
        """Have signals that wait here wait for the next program instead; false if one of them ends the server."""
        waiting = []
        while not self.SIG_QUEUE.empty():
            waiting.append(self.SIG_QUEUE.get_nowait())
        if ENDING & set(waiting):
            for number in waiting:
                self.SIG_QUEUE.put_nowait(number)
            return False
        again = {signal.SIGHUP} if self._asked_again else set()
        for number in (again | set(waiting)) - {signal.SIGCHLD, self.WAKEUP_REQUEST}:
            os.kill(os.getpid(), number)  # blocked, so it waits
        return True

    def _stay(self, problem: str) -> None:
        self.log.error("The new code does not start, so the present code goes on. %s", problem)
        from cms_api.operation.restarts.nodes import record_problem  # this module is loaded before the application

        # In a child, since the master has to keep watch over the workers while a database is busy.
        if os.fork() == 0:
            try:
                record_problem(self._start.name, problem)
            finally:
                os._exit(0)
        if self._asked_again:
            self.handle_hup()

    def _listener(self, number: int) -> Any:
        family = socket.socket(fileno=os.dup(number))
        with family:
            return _SOCKETS[family.family](family.getsockname(), self.cfg, self.log, fd=number)


def _is_in_use(address: Any) -> bool:
    if not isinstance(address, tuple):  # a Unix socket, or one that systemd has opened
        return False
    with socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            return error.errno == errno.EADDRINUSE
    return False


def _serves(worker: Any) -> bool:
    """Whether the worker has begun: before, its file has the time of the calendar and not of the clock it beats by."""
    try:
        return bool(worker.tmp.last_update() <= time.monotonic())
    except (OSError, ValueError):
        return False
