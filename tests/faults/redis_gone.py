"""Kills Redis and brings it back, while clients read and write: the service has to go on without it.

    .venv/bin/python -m tests.faults.redis_gone
    .venv/bin/python -m tests.faults.redis_gone --times 2 --seconds 2

Redis and server are our own; the database is SQLite. Redis is killed (SIGKILL) by turns, and stopped without a word
(SIGSTOP), so that it takes connections and answers none. Ends with 1 if a client was told anything but 200, or a change
is not there.
"""

import argparse
import shutil
import signal
import socket
import subprocess
import sys
import time

from tests.faults.common import end_with, installed, print_row
from tests.faults.writing import Writers, problems_after


class Redis:
    """A Redis on a port of its own, that keeps nothing."""

    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.start()

    def start(self):
        """Start it, and return when it takes connections."""
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        while "Ready to accept" not in (line := self._process.stdout.readline()):
            assert line, "Redis has ended."

    def send(self, number):
        """Send its process a signal; it has ended then, if that ends it."""
        self._process.send_signal(number)
        if number == signal.SIGKILL:
            self._process.wait()
            self._process.stdout.close()


def main():
    """Kill, wait, start, print a table, and end with the verdict."""
    options = read_options()
    if shutil.which("redis-server") is None:
        sys.exit("redis-server is needed.")
    redis = Redis()
    url = f"redis://127.0.0.1:{redis.port}/0"
    try:
        with installed(CMS_CACHE_URL=url) as (installation, key), installation.serve() as server:
            with Writers(server, key) as writers:
                for number in range(options.times):
                    writers.await_acknowledged(20)
                    is_killed = number % 2 == 0
                    redis.send(signal.SIGKILL if is_killed else signal.SIGSTOP)
                    end = time.monotonic() + options.seconds
                    while time.monotonic() < end:
                        writers.await_acknowledged(4)
                    redis.start() if is_killed else redis.send(signal.SIGCONT)
                writers.await_acknowledged(20)
            problems = list(problems_after(server, installation, key, writers))
    finally:
        redis.send(signal.SIGKILL)
    told = {name: number for name, number in writers.outcomes.items() if name != "acknowledged"}
    problems += [f"{number} answers: {name}" for name, number in told.items()]
    ordered = sorted(writers.pauses)
    print_row(
        taken_away=options.times,
        acknowledged=writers.acknowledged,
        p50_ms=ordered[len(ordered) // 2] * 1000,
        p99_ms=ordered[len(ordered) * 99 // 100] * 1000,
        slowest_s=ordered[-1],
        lost_or_wrong=len(problems),
    )
    end_with(problems)


def read_options():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=6, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=5.0, help="without it, each time (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
