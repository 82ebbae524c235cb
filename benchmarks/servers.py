"""Starts and stops the measured servers: gunicorn on free ports of the loopback interface.

With `is_deployed` the service runs as `make run` starts it, with its access log written to a file; otherwise
gunicorn uses server_settings.py, which does less.
"""

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from types import TracebackType

import databases

_PATIENCE = 30  # seconds until a server must accept connections


class Server:
    """A gunicorn as a context manager; `is_deployed`: with the service's own configuration.

    Further keyword arguments are environment variables of the server.
    """

    header = "X-SS-API-KEY"  # takes the key
    _folder = databases.ROOT

    def __init__(
        self, application: str, *options: str, workers: int = 2, is_deployed: bool = False, **settings: str
    ) -> None:
        self._settings = settings
        configuration = "server.configuration" if is_deployed else "server_settings"
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._command = [
            *(sys.executable, "-m", "gunicorn", "--config", f"python:{configuration}", application),
            *("--bind", f"127.0.0.1:{self.port}", "--workers", str(workers)),
            # A worker that is replaced after many requests would take its processor time along.
            *("--log-level", "error", "--max-requests", "0", *options),
        ]

    def __enter__(self) -> "Server":
        self.start()
        self.wait()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The process id of gunicorn's master."""
        return self._process.pid

    def start(self) -> None:
        """Start the processes without waiting for the port."""
        path = os.pathsep.join((str(databases.ROOT), str(databases.ROOT / "benchmarks")))
        environment = os.environ | {"PYTHONPATH": path} | self._settings
        with tempfile.TemporaryFile() as log:  # the access log of a deployed service
            self._process = subprocess.Popen(self._command, env=environment, cwd=self._folder, stdout=log)

    def wait(self) -> None:
        """Wait until the port accepts connections. Exits if it does not in time."""
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                if self._process.poll() is not None:
                    break
                time.sleep(0.005)
            else:
                return
        self.stop()
        sys.exit(f"The server did not start: {' '.join(self._command)}")

    def stop(self) -> None:
        """Terminate the processes, and kill them after 10 seconds."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ask(self, method: str, path: str, body: str = "", key: str = "") -> tuple[int, bytes]:
        """Send a request; return the status and body of the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            headers = {"Content-Type": "application/json", self.header: key}
            connection.request(method, path, body.encode(), headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()


def free_port() -> int:
    """Return a port of the loopback interface that no program uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
