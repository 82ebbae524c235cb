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

from core.operation.start import Start, orders_so_far, own_name
from server.restarts.inherited_sockets import (
    ENDING,
    Handover,
    OldWorker,
    is_own_child,
    load,
    without_handover,
)
from server.restarts.start_check import StartCheck

_SIGNALS = {*Arbiter.SIGNALS, signal.SIGCHLD}
_SOCKETS = {socket.AF_INET: TCPSocket, socket.AF_INET6: TCP6Socket, socket.AF_UNIX: UnixSocket}


def accept_signals() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, Arbiter.SIGNALS)


class Master(Arbiter):
    """gunicorn's master process; on SIGHUP loads new code in the same process while old workers serve.

    gunicorn itself reuses the code loaded at start, or (SIGUSR2) starts a master with another process id, which service
    managers take for the end of the first. Here a process tries the new code; then this one runs the command line again
    (execve) with its sockets and workers, and each new worker that serves replaces an old one.
    """

    _handover: Handover | None
    _begun: datetime  # of the latest replacement
    _check: StartCheck | None
    _asked_again: bool
    # Old workers, and whether they have been asked to finish.
    _former: dict[int, bool]
    _start: Start

    @classmethod
    def become(cls, server: Arbiter) -> None:
        """Give gunicorn's master these methods; call before the application is loaded."""
        server.__class__ = cls
        server._handover = Handover.take()
        server._check, server._asked_again, server._former = None, False, {}
        begun = datetime.fromisoformat(server._handover.begun_at) if server._handover else None
        # Orders up to this number are covered by the code that is loaded next.
        server._start = Start(covers=orders_so_far(), replaced_at=begun)
        if server._handover is not None:
            load(server, server._handover)

    def inherit(self) -> None:
        if self._handover is None:
            return
        self.LISTENERS = []
        for number in self._handover.listeners:
            with socket.socket(fileno=os.dup(number)) as opened:
                make = _SOCKETS[opened.family]
                self.LISTENERS.append(make(opened.getsockname(), self.cfg, self.log, fd=number))
        self.systemd = self._handover.from_systemd
        if self.pidfile is not None:
            self.pidfile.pid = self.pid  # otherwise it would not be removed at the end
        for process, heartbeat in self._handover.workers:
            if is_own_child(process):
                self.WORKERS[process] = OldWorker(process, heartbeat)
        self._former = dict.fromkeys(self.WORKERS, False)

    def be_ready(self) -> None:
        self._start.name = own_name(str(self.LISTENERS[0]) if self.LISTENERS else "")
        self._start.at = datetime.now()
        self.app.start_record = self._start
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)

    def start(self) -> None:
        """Override: gunicorn exits if a port is in use; name the remedy."""
        try:
            super().start()
        except SystemExit:
            for address in filter(_is_in_use, self.cfg.address):
                hint = "Port %d is in use. Stop the program that uses it, or choose another port, such as PORT=%d."
                self.log.error(hint, address[1], address[1] + 1)
            raise

    def spawn_worker(self) -> int:
        """Override: a worker would lose a signal that arrives before it has handlers of its own, and not end.

        The worker unblocks the signals once it has them (`accept_signals`).
        """
        signal.pthread_sigmask(signal.SIG_BLOCK, Arbiter.SIGNALS)
        try:
            return int(super().spawn_worker())
        finally:
            accept_signals()

    def handle_hup(self) -> None:
        """Start checking new code; a further SIGHUP during the exchange repeats it afterwards."""
        if self.reexec_pid or self.master_pid:
            self.log.warning("SIGHUP ignored while another master takes over (SIGUSR2).")
        elif self._check is not None:
            self._asked_again = True
        else:
            self._asked_again, self._begun = False, datetime.now()
            self._check = StartCheck(self.START_CTX["cwd"], without_handover(self.cfg.env_orig))

    def maybe_promote_master(self) -> None:
        """Continue the replacement; gunicorn calls this between two rounds, with no signal half-handled."""
        super().maybe_promote_master()
        if self._check is None or not self._check.has_ended():
            return
        problem, self._check = self._check.problem(), None
        if not problem:
            problem = self._give_way()
        if problem:
            self._stay(problem)

    def manage_workers(self) -> None:
        """Keep the full number of workers in addition to the old ones, which end one by one."""
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
        if self._check is not None:
            self._check.stop()
        super().stop(graceful)

    def _give_way(self) -> str:
        """Run the command line again in this process; return only if that is refused or fails, with the reason."""
        handover = Handover(
            process=os.getpid(),
            begun_at=self._begun.isoformat(),
            listeners=[listener.fileno() for listener in self.LISTENERS],
            from_systemd=self.systemd,
            workers=[(process, worker.tmp.fileno()) for process, worker in self.WORKERS.items()],
        )
        environment = handover.environment(self.cfg.env_orig, daemon=self.cfg.daemon)
        folder = os.getcwd()
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            if not self._keep_signals():
                return ""
            sys.stdout.flush()
            sys.stderr.flush()
            handover.set_inheritable(True)
            os.chdir(self.START_CTX["cwd"])
            os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)  # noqa: S606 - our own command
        except OSError as error:
            os.chdir(folder)
            handover.set_inheritable(False)
            return f"The server could not be restarted: {error}"
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)

    def _keep_signals(self) -> bool:
        waiting = []
        while not self.SIG_QUEUE.empty():
            waiting.append(self.SIG_QUEUE.get_nowait())
        if ENDING & set(waiting):
            for number in waiting:
                self.SIG_QUEUE.put_nowait(number)
            return False
        again = {signal.SIGHUP} if self._asked_again else set()
        for number in (again | set(waiting)) - {signal.SIGCHLD, self.WAKEUP_REQUEST}:
            os.kill(os.getpid(), number)  # blocked, so it stays pending
        return True

    def _stay(self, problem: str) -> None:
        self.log.error("The new code does not start, so the current code keeps running. %s", problem)
        from core.operation.nodes import record_problem  # the application is loaded later

        # In a child, since the master must keep watching the workers if the database is slow.
        if os.fork() == 0:
            try:
                record_problem(self._start.name, problem)
            finally:
                os._exit(0)
        if self._asked_again:
            self.handle_hup()


def _is_in_use(address: Any) -> bool:
    if not isinstance(address, tuple):  # a Unix socket, or one opened by systemd
        return False
    with socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            return error.errno == errno.EADDRINUSE
    return False


def _serves(worker: Any) -> bool:
    """Return true once the worker serves: until its first beat the file has wall-clock instead of monotonic time."""
    try:
        return bool(worker.tmp.last_update() <= time.monotonic())
    except (OSError, ValueError):
        return False
