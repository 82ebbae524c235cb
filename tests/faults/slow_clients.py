"""Serves ordinary clients beside slow ones, of several kinds, and looks what the ordinary ones notice.

    .venv/bin/python -m tests.faults.slow_clients
    .venv/bin/python -m tests.faults.slow_clients --clients 50 --seconds 5 --worker gthread

The server is our own, on a data folder of its own with the sample site. Slow clients come back as soon as they are
left. Meanwhile channels are read, so many a second whatever that takes. Ends with 1 if one answer was not 200, or the
slowest hundredth took longer than --p99. `--worker gthread` shows gunicorn's own worker.
"""

import argparse
import itertools
import socket
from pathlib import Path

from tests.faults.clients import Clients, request
from tests.faults.common import Beside, add_contents, add_server_options, end_with, installed, memory, serve

PAUSE = 1.0  # seconds between two bytes
READS = 50  # a second
FILM = "sites/1/upload/videos/film.mp4"
MEGABYTE = 1024 * 1024


class SlowClients(Beside):
    """So many clients of one kind while the block lasts. Each sends `first` at once, then `rest` byte by byte.

    They read a byte a second.
    """

    def __init__(self, port, number, first, rest):
        super().__init__()
        self._address, self._number, self._first, self._rest = ("127.0.0.1", port), number, first, rest
        self._connections = {}  # with what each has still to send

    def __enter__(self):
        for _ in range(self._number):
            self._begin()
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        for connection in self._connections:
            connection.close()

    def _begin(self):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.setblocking(False)
        connection.connect_ex(self._address)
        self._connections[connection] = itertools.chain([self._first], (bytes([byte]) for byte in self._rest))

    def run(self, _):
        """Go on with each, once in PAUSE; in a thread."""
        while not self.end.wait(PAUSE):
            for connection in [each for each in self._connections if not self._go_on(each)]:
                del self._connections[connection]
                connection.close()
                self._begin()

    def _go_on(self, connection):
        """Send what is next, and read a byte; false if the server has left."""
        try:
            if part := next(self._connections[connection], b""):
                connection.send(part)
            return bool(connection.recv(1))
        except BlockingIOError:
            return True
        except OSError:
            return False


def kinds(key, number):
    """By name: how many slow clients, what each sends at once, and what it sends byte by byte."""
    listed = request("POST", "/api/v1/contents", key, b'{"siteId": 1, "perPage": 60}')
    whole = request("POST", "/api/v1/contents", key, b'{"siteId": 1, "channelId": 11, "perPage": 100}')
    long = request("POST", "/api/v1/contents", key, b" " * 1_000_000)
    head = listed.index(b"\r\n\r\n") + 4
    return {
        "none": (0, b"", b""),
        "idle": (number, b"", b""),
        "kept without a request": (number, b"GET /api/v1/ping HTTP/1.1\r\nHost: localhost\r\n\r\n", b""),
        "head byte by byte": (number, b"", listed),
        "body byte by byte": (number, listed[:head], listed[head:]),
        "long body byte by byte": (number, long[:200_000], long[200_000:]),
        "answer byte by byte": (number, listed, b""),
        "answer of 9 MB byte by byte": (number, whole, b""),
        "file of 9 MB byte by byte": (number, request("GET", f"/media/{FILM}", key), b""),
    }


def main():
    """Measure, print a table, and end with the verdict."""
    options, problems = read_options(), []
    with installed() as (installation, key), serve(installation, options) as server:
        film = Path(installation.environment["CMS_DATA_DIR"]) / "media" / FILM
        film.parent.mkdir(parents=True, exist_ok=True)
        film.write_bytes(bytes(9 * MEGABYTE))
        add_contents(server, key, 9, "tide " * 200_000)
        read = request("GET", "/api/v1/channels/1/11", key)
        Clients(server.port, read).keep_busy(8, 1)  # whatever is slow the first time
        print("| worker | slow clients | requests | served | others | no answer | p50 ms | p99 ms | memory MB |")
        print("|---|---|" + "---:|" * 7)
        for name, (number, *sent) in kinds(key, options.clients).items():
            with SlowClients(server.port, number, *sent):
                Clients(server.port, read).offer(1, options.settle)  # until each has sent what it sends at once
                found = Clients(server.port, read).offer(READS, options.seconds)
                print_row(options, name, found, memory(server))
            problems += [f"{name}: {problem}" for problem in problems_of(options, found)]
    end_with(problems)


def print_row(options, name, found, held):
    """What ordinary clients have seen beside slow ones of a kind."""
    served = found.statuses["200"]
    others = sum(found.statuses.values()) - served
    times = (f"{found.quantile(share):.0f}" for share in (0.5, 0.99))
    row = [options.worker or "ours", name, found.offered, served, others, sum(found.failures.values()), *times]
    print("|", " | ".join(map(str, row)), f"| {held / MEGABYTE:.0f} |", flush=True)


def problems_of(options, found):
    """What should not be, in words."""
    if refused := found.offered - found.statuses["200"]:
        yield f"{refused} of {found.offered} requests were not served: {dict(found.statuses)} {dict(found.failures)}"
    if found.seconds and found.quantile(0.99) > options.p99:
        yield f"p99 is {found.quantile(0.99):.0f} ms, more than {options.p99}"


def read_options():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200, help="slow ones (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each kind (default: %(default)s)")
    parser.add_argument("--settle", type=float, default=10.0, help="seconds before (default: %(default)s)")
    add_server_options(parser)
    parser.add_argument("--p99", type=int, default=500, help="milliseconds (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
