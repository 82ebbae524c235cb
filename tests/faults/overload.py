"""Offers the service many times what it can bear, and looks how it refuses the rest.

    .venv/bin/python -m tests.faults.overload
    .venv/bin/python -m tests.faults.overload --seconds 10 --times 3 --worker gthread

The server is our own, on a data folder of its own with the sample site. First the capacity: lists that are answered in
a second while 16 clients ask without a pause. Then so many times that number of requests are sent each second, each
through a connection of its own and whatever the answers take. Ends with 1 if an answer was neither 200 nor 503, if one
of 503 lacked Retry-After, if a request got no answer, if the slowest hundredth of what was served took longer than
--p99, or if the workers together grew by more than --growth.

Clients and server share the machine: what the clients take of it, the server has not. `--worker gthread` shows
gunicorn's own worker.
"""

import argparse

from tests.faults.clients import Clients, request
from tests.faults.common import Beside, add_contents, add_server_options, end_with, installed, memory, serve

MEGABYTE = 1024 * 1024
CONTENTS = 240  # besides the sample's sixty
LIST = b'{"siteId": 1, "perPage": 300}'


def main():
    """Measure, print a table, and end with the verdict."""
    options = read_options()
    with installed() as (installation, key):
        asked = request("POST", "/api/v1/contents", key, LIST)
        with serve(installation, options) as server:
            add_contents(server, key, CONTENTS, "")
            capacity = measure_capacity(server, asked)
            before = memory(server)
            with Watch(server) as watch:
                clients = Clients(server.port, asked)
                found = clients.offer(capacity * options.times, options.seconds)
            recovered = Clients(server.port, asked).keep_busy(1, 1)
            print_table(options, capacity, found, before, watch.peak)
            print(f"\nAfterwards a list takes {recovered.quantile(0.5):.0f} ms (median of a second).")
    end_with(problems_of(options, found, watch.peak - before))


def measure_capacity(server, asked):
    """Requests that are served in a second."""
    Clients(server.port, asked).keep_busy(16, 2)  # whatever is slow the first time
    seconds = 5
    found = Clients(server.port, asked).keep_busy(16, seconds)
    return found.statuses["200"] / seconds


class Watch(Beside):
    """The most memory that the workers have held together while the block lasts, in bytes."""

    def __init__(self, server):
        super().__init__()
        self._server, self.peak = server, 0

    def run(self, _):
        """Look every half second; in a thread."""
        while not self.end.wait(0.5):
            self.peak = max(self.peak, memory(self._server))


def print_table(options, capacity, found, before, peak):
    """The row of this run."""
    served, shed = found.statuses["200"], found.statuses["503"]
    others = sum(found.statuses.values()) - served - shed
    print(
        "| worker | capacity/s | offered/s | served/s | shed/s | other answers | no answer "
        "| p50 ms | p99 ms | memory before MB | peak | settled s |"
    )
    print("|---|" + "---:|" * 11)
    row = [
        options.worker or "ours",
        f"{capacity:.0f}",
        f"{found.offered / options.seconds:.0f}",
        f"{served / (options.seconds + found.settled):.0f}",  # some are served when no more is offered
        f"{shed / options.seconds:.0f}",
        others,
        sum(found.failures.values()),
        *(f"{found.quantile(share):.0f}" for share in (0.5, 0.99)),
        *(f"{number / MEGABYTE:.0f}" for number in (before, peak)),
        f"{found.settled:.1f}",
    ]
    print("|", " | ".join(map(str, row)), "|", flush=True)


def problems_of(options, found, growth):
    """What should not be, in words."""
    for status, number in found.statuses.items():
        if status not in ("200", "503"):
            yield f"{number} answers of {status}"
    for failure, number in found.failures.items():
        yield f"{number} requests without an answer: {failure}"
    if found.without_retry_after:
        yield f"{found.without_retry_after} answers of 503 without Retry-After"
    if not found.quantile(0.99) <= options.p99:
        yield f"p99 of what was served is {found.quantile(0.99):.0f} ms, more than {options.p99}"
    if growth > options.growth * MEGABYTE:
        yield f"the workers grew by {growth / MEGABYTE:.0f} MB, more than {options.growth}"


def read_options():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="of overload (default: %(default)s)")
    parser.add_argument("--times", type=float, default=10.0, help="the capacity (default: %(default)s)")
    add_server_options(parser)
    parser.add_argument("--p99", type=int, default=3000, help="milliseconds (default: %(default)s)")
    parser.add_argument("--growth", type=int, default=100, help="megabytes (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
