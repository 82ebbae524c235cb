"""Two nodes with data folders of their own, behind nginx as deploy/nginx.conf has it."""

import os
import re
import shutil
import signal
import socket
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.cluster.servers import await_that
from tests.nginx import HOST, Nginx
from tools.servers import Answer

NODES = ("left", "right")
_SETTINGS = {
    "CMS_SECURE": "true",
    "CMS_ALLOWED_HOSTS": f"{HOST},127.0.0.1",
    "CMS_TRUSTED_PROXIES": "127.0.0.1",
    "CMS_RESTART_MIN_SECONDS": "0",
}
_SECRETS = ("secret_key", "password_pepper")  # what all nodes of an installation are given
_ADDRESS = re.compile(r"127\.0\.0\.1:(\d+)")


class Proxy:
    """nginx and the nodes as a context. Asked like a node, it answers what one of them does."""

    def __init__(self, cluster, folder, **settings):
        self._cluster, self._settings = cluster, _SETTINGS | settings
        self._folders = {"left": Path(cluster.installation.environment["CMS_DATA_DIR"]), "right": folder / "right"}
        self._nginx_folder = folder / "nginx"
        for made in (self._folders["right"], self._nginx_folder):
            made.mkdir()
        for secret in _SECRETS:
            shutil.copy(self._folders["left"] / secret, self._folders["right"])
        self.nodes = {}

    def __enter__(self):
        with ExitStack() as stack:
            self._stack = stack
            for name in NODES:
                self._start(name)
            for node in self.nodes.values():
                self._cluster.await_reads_on_standby(node)
            ports = [node.port for node in self.nodes.values()]
            self._nginx = stack.enter_context(Nginx(self._nginx_folder, ports))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    @contextmanager
    def without(self, name):
        """Kill a node, as the loss of its machine does. After the block it is started again, on the same port."""
        port = self.nodes[name].port
        self._kill(self.nodes[name])
        with socket.socket() as place:
            # Bound, but not listening: whoever comes is refused, and no client gets the port meanwhile for its own end.
            place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            place.bind(("127.0.0.1", port))
            yield
            self._start(name, port)

    def _start(self, name, port=0):
        settings = self._settings | {"CMS_NODE_NAME": name, "CMS_DATA_DIR": str(self._folders[name])}
        serving = self._cluster.installation.serve(PORT=str(port), **settings)
        self.nodes[name] = self._stack.enter_context(serving)

    @staticmethod
    def _kill(node):
        node.send(signal.SIGSTOP)  # so that it starts no other worker
        for worker in node.workers:
            os.kill(worker, signal.SIGKILL)
        node.end(signal.SIGKILL)

    def request(self, method, path, body=None, headers=None, source="127.0.0.1"):
        """The answer of one of the nodes, to a client of that address."""
        return Answer(*self._nginx.request(method, path, body, headers, source))

    def repeat(self, ask, times=4):
        """The answers to so many requests, some of them from the one node and some from the other."""
        answers = [ask() for _ in range(times)]
        self.assert_of_both(answers)
        return answers

    def assert_of_both(self, answers):
        """Some are of the one node, and some of the other."""
        assert set(map(self.node_of, answers)) == set(NODES)

    def node_of(self, answer):
        """The name of the node that has answered, as nginx has noted it."""
        end = f" {answer.headers['X-Request-Id']}\n"
        await_that(lambda: end in self._log)  # it is written after the answer
        (line,) = (line for line in self._log.splitlines(keepends=True) if line.endswith(end))
        port = int(_ADDRESS.findall(line)[-1])
        (name,) = (name for name, node in self.nodes.items() if node.port == port)
        return name

    @property
    def _log(self):
        return self._nginx.log("cms.access")
