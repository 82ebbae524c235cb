"""PostgreSQL servers of the tests' own, which they may stop, kill and start again."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tools.programs import SECONDS, Program

_READY = "database system is ready to accept"  # and read-only connections, of a standby
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",  # none of these has to outlive the machine
    "shared_buffers": "16MB",
    "max_connections": "60",
    "logging_collector": "off",
    "lc_messages": "C",
}
# The server refuses to run as root.
_ACCOUNT = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}


def find_programs():
    """The folder of PostgreSQL's programs, the newest version's; None where there is none."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return folders[-1].parent if folders else None


class PostgreSQL:
    """A server on a port of its own, over a folder that is gone when it is closed. It is not started yet."""

    def __init__(self, **settings):
        self.folder = Path(tempfile.mkdtemp(prefix="cms-postgresql-"))
        self.port = _free_port()
        self._settings = _SETTINGS | settings
        self._program = None
        if _ACCOUNT:
            shutil.chown(self.folder, "postgres", "postgres")
        self._make()

    def _make(self):
        self._run(
            "initdb", "--pgdata", self._data, "--username", "postgres", "--auth", "trust", "--no-sync", "-E", "UTF8"
        )

    @property
    def _data(self):
        return self.folder / "data"

    @property
    def log(self):
        """All that the server has written so far."""
        return self._program.log

    @property
    def pid(self):
        """The number of the server's first process."""
        return self._program.pid

    def url(self, database="postgres"):
        """The address as CMS_DATABASE_URL has it."""
        return f"postgres://postgres@127.0.0.1:{self.port}/{database}"

    def start(self):
        """Start the server, and return when it takes connections."""
        options = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        command = [find_programs() / "postgres", "-D", self._data, "-p", str(self.port), *options]
        self._program = Program(command, cwd=self.folder, **_ACCOUNT)
        self._program.await_lines(_READY)
        return self

    def stop(self, number=signal.SIGINT):
        """End the server: SIGINT is PostgreSQL's fast way, SIGQUIT the immediate one, SIGKILL a crash."""
        self._program.end(number)
        # After a kill its children notice by themselves; as long as one lives, no other server starts here.
        lock = self._data / "postmaster.pid"
        lines = lock.read_text().splitlines() if number == signal.SIGKILL else []
        if len(lines) > 6:  # key and number of the piece of memory that all of them have in common
            segment = lines[6].split()[1]
            await_that(lambda: _users_of(segment) == 0)

    @contextmanager
    def silent(self):
        """Nothing of the server moves while the block lasts, but its connections stay."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        processes = [self.pid, *map(int, children)]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in processes:
                os.kill(process, signal.SIGCONT)

    def close(self):
        """End the server, if it runs, and remove its folder."""
        if self._program is not None and self._program.is_running:
            self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def execute(self, statement, *values, database="postgres"):
        """The rows of a statement, through a connection of its own."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def _run(self, program, *arguments):
        done = subprocess.run(
            [find_programs() / program, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            cwd=self.folder,
            **_ACCOUNT,
        )
        assert done.returncode == 0, done.stderr


class Standby(PostgreSQL):
    """A streaming standby of a running primary."""

    def __init__(self, primary, **settings):
        self._primary = primary
        super().__init__(hot_standby_feedback="on", **settings)

    def _make(self):
        self._run(
            "pg_basebackup", "--pgdata", self._data, "--dbname", self._primary.url(), "--write-recovery-conf",
            "--checkpoint", "fast", "--wal-method", "stream", "--no-sync",
        )  # fmt: skip


def _free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def _users_of(segment):
    """How many processes have the shared memory attached."""
    for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[1] == segment:
            return int(fields[6])
    return 0


def await_that(condition):
    """Return as soon as it holds; nobody tells when that is."""
    pause, ended = threading.Event(), SECONDS * 100
    while not condition():
        assert (ended := ended - 1), "It does not come about."
        pause.wait(0.01)
