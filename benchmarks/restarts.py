"""Proves that restarts drop no request: clients send requests continuously while the server restarts repeatedly.

    .venv/bin/python benchmarks/restarts.py
    .venv/bin/python benchmarks/restarts.py --seconds 10 --clients 8 --worker gthread

The server is the service with its own data folder in /tmp and no minimum time between restarts
(CMS_RESTART_MIN_SECONDS=0). One client requests a restart every second through the API, as administrators do. Half of
the other clients open a connection for each request. The other half reuse one, and sometimes pause for less time than
the server leaves it open (2 seconds). They request a ping and a channel in turn. A status other than 200 or a broken
connection is a failure. The script exits with 1 after any failure, or if there was no restart.

gunicorn's synchronous workers close each connection; clients that keep connections see this in the response and open
another.
"""

import argparse
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 60  # seconds until a request counts as failed
LONGEST_REST = 1.5  # seconds; gunicorn closes idle connections after 2
STARTS = re.compile(r"Listening at: ")


@dataclass
class Figures:
    """The results of all clients of a run; a lock protects them."""

    requests: int = 0
    slowest: float = 0.0  # seconds
    failures: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, seconds: float, failure: str) -> None:
        """Record one request; an empty `failure` means success."""
        with self.lock:
            self.requests += 1
            self.slowest = max(self.slowest, seconds)
            if failure:
                self.failures.append(failure)


class Service:
    """A context manager that runs gunicorn with its own database; `configuration` is a module of gunicorn settings."""

    configuration = "server.configuration"

    def __init__(self, folder: Path, worker: str) -> None:
        self._log_path = folder / "server.log"
        self._worker, self.port = worker, free_port()
        self._environment = os.environ | {
            "CMS_DATA_DIR": str(folder),
            "CMS_DATABASE_URL": "",
            "CMS_RESTART_MIN_SECONDS": "0",
            "PORT": str(self.port),
        }
        self.manage("first_start")
        self.key = self.manage("create_api_key", "restarts", "--all-scopes").strip()

    def __enter__(self) -> "Service":
        with self._log_path.open("w") as log:
            command = [sys.executable, "-m", "gunicorn", "-c", f"python:{self.configuration}", "-k", self._worker]
            self.process = subprocess.Popen(
                [*command, "cms_api.wsgi"], cwd=ROOT, env=self._environment, stdout=log, stderr=log
            )
        end = time.monotonic() + PATIENCE
        while ask(Client(self.port, self.key, kept=False), "/api/v1/ping"):
            if time.monotonic() > end:
                sys.exit(f"The server does not answer: {self.log}")
            time.sleep(0.1)
        return self

    def __exit__(self, *error: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    @property
    def log(self) -> str:
        """The server's output so far."""
        return self._log_path.read_text(errors="replace")

    @property
    def restarts(self) -> int:
        """The number of times that the server has reloaded the code."""
        return len(STARTS.findall(self.log)) - 1

    def manage(self, *arguments: str) -> str:
        """Run a management command and return its output."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self._environment, check=True, capture_output=True, text=True
        ).stdout


class Client:
    """Sends requests over one connection, or over a new connection for each request."""

    def __init__(self, port: int, key: str, *, kept: bool) -> None:
        self._port, self._key, self._kept = port, key, kept
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str) -> tuple[int, bytes]:
        """Send a request once, without retries; return the status and body of the response."""
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
        self._connection.request(method, path, headers={"X-SS-API-KEY": self._key})
        answer = self._connection.getresponse()
        body = answer.read()
        if not self._kept or answer.will_close:
            self.close()
        return answer.status, body

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def main() -> None:
    """Measure each kind of worker and print the table."""
    options = read_options()
    print("| worker | clients | seconds | requests | asked | restarts | failed | slowest ms |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    proven = [prove(worker, options.clients, options.seconds, options.pause) for worker in options.worker]
    sys.exit(0 if all(proven) else 1)


def prove(worker: str, clients: int, seconds: float, pause: float) -> bool:
    """Measure one kind of worker; return whether the server restarted and no request failed."""
    with tempfile.TemporaryDirectory(prefix="cms-restarts-") as folder, Service(Path(folder), worker) as service:
        figures, end = Figures(), time.monotonic() + seconds
        threads = [
            threading.Thread(target=keep_asking, args=(service, figures, end, number % 2 == 1, pause))
            for number in range(clients)
        ]
        for thread in threads:
            thread.start()
        asked = keep_restarting(service, figures, end)
        for thread in threads:
            thread.join()
        restarts = service.restarts
    row = [worker, clients, f"{seconds:g}", figures.requests, asked, restarts, len(figures.failures)]
    print("|", " | ".join(map(str, [*row, round(figures.slowest * 1000)])), "|", flush=True)
    for failure in figures.failures[:10]:
        print(failure, file=sys.stderr)
    return restarts > 0 and not figures.failures


def keep_asking(service: Service, figures: Figures, end: float, kept: bool, pause: float) -> None:
    """Send requests as one client until the end."""
    client, dice, number = Client(service.port, service.key, kept=kept), random.Random(), 0
    while time.monotonic() < end:
        path = ("/api/v1/ping", "/api/v1/channels/1/11")[number % 2]
        number += 1
        began = time.monotonic()
        failure = ask(client, path)
        figures.count(time.monotonic() - began, failure)
        # Clients that keep their connection sometimes pause, so that the next request uses an idle connection.
        time.sleep(dice.uniform(0, LONGEST_REST) if kept and dice.random() < 0.05 else dice.uniform(0, 2 * pause))
    client.close()


def keep_restarting(service: Service, figures: Figures, end: float) -> int:
    """Request a restart every second until the end; return the number of requests."""
    client, asked = Client(service.port, service.key, kept=False), 0
    while time.monotonic() < end:
        began = time.monotonic()
        failure = ask(client, "/api/v1/actions/restart", "POST", {"value": True})
        figures.count(time.monotonic() - began, failure)
        asked += 1
        time.sleep(max(0.0, min(1 - (time.monotonic() - began), end - time.monotonic())))
    return asked


def ask(client: Client, path: str, method: str = "GET", expected: object = None) -> str:
    """Send a request and return a description of its failure, empty if it succeeded."""
    try:
        status, body = client.ask(method, path)
    except (OSError, http.client.HTTPException) as error:
        client.close()
        return f"{path}: {type(error).__name__} {error}"
    if status != 200 or (path.endswith("ping") and body != b"pong"):
        return f"{path}: {status} {body[:200]!r}"
    return f"{path}: {body!r}" if expected is not None and json.loads(body) != expected else ""


def free_port() -> int:
    """Return a port that is currently free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between requests of a client, on average")
    parser.add_argument("--worker", nargs="+", default=["gthread", "sync"], help="kinds of gunicorn's workers")
    return parser.parse_args()


if __name__ == "__main__":
    main()
