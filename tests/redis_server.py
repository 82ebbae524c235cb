"""A Redis of the tests' own, which they may stop, kill and start again."""

import signal
import socket
from contextlib import contextmanager

import redis

from tools.programs import Program


class RedisServer:
    """A running Redis on a port of its own, which keeps nothing."""

    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self._port = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self.client = redis.Redis.from_url(self.url)
        self.start()

    def start(self):
        """Start it again, and return when it takes connections."""
        command = ["redis-server", "--port", str(self._port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._program = Program(command)
        self._program.await_lines("Ready to accept connections")

    def kill(self):
        """End it as a crash does."""
        self._program.end(signal.SIGKILL)

    @contextmanager
    def silent(self):
        """It takes connections while the block lasts, and answers none."""
        self._program.send(signal.SIGSTOP)
        try:
            yield
        finally:
            self._program.send(signal.SIGCONT)

    def close(self):
        """End it, if it runs."""
        self.client.close()
        if self._program.is_running:
            self.kill()
