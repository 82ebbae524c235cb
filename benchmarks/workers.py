"""Measures the request rate for different kinds of worker and numbers of workers and threads.

    apt-get install wrk        (the load generator; https://github.com/wg/wrk)
    .venv/bin/python benchmarks/dataset.py --contents 1000
    .venv/bin/python benchmarks/workers.py
    .venv/bin/python benchmarks/workers.py --kind ours gthread --workers 2 --threads 4 --rounds 9

The kinds are the service's own (cms_api.operation.serving), gunicorn's with threads (gthread), and gunicorn's without
threads (sync), which always has one. In each round, the script starts, warms up and measures the servers one after the
other, with 16 connections, in reverse order every second round. Figures are medians of the rounds, with the lowest and
highest rates. CPU is the processor time per request, workers and PostgreSQL together, which is more stable than the
rates on a busy machine. At the end, the script removes the contents that "create" created.
"""

import argparse
import itertools
import shutil
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import compare
import databases
import limit
from servers import Server

CONNECTIONS = 16
OPERATIONS = ("get", "list20", "create")
KINDS = {"ours": "cms_api.operation.serving.worker.Worker", "gthread": "gthread", "sync": "sync"}


@dataclass(frozen=True)
class Shape:
    """The kind of worker, the number of workers, and the number of threads per worker."""

    kind: str
    workers: int
    threads: int

    def server(self) -> Server:
        """Return a server with these workers and threads."""
        server = Server("cms_api.wsgi", workers=self.workers)
        server._command += ["--worker-class", KINDS[self.kind], "--threads", str(self.threads)]
        return server


def main() -> None:
    """Measure all shapes and print the table."""
    options = read_options()
    if shutil.which("wrk") is None:
        sys.exit("The load generator wrk is missing: apt-get install wrk (or see https://github.com/wg/wrk).")
    databases.open_service(options.database, options.folder)
    limit.prepare(options.database)  # remove_after() needs the limit's tables
    operations = [operation for operation in compare.make_operations() if operation.name in OPERATIONS]
    key, newest = compare.issue_key(), compare.newest_content()
    shapes, found = list(shapes_of(options)), defaultdict(list)
    try:
        for number in range(options.rounds):
            for shape in shapes[:: 1 if number % 2 == 0 else -1]:
                with shape.server() as server:
                    for operation in operations:
                        found[shape, operation.name].append(measure(server, operation, key, options))
    finally:
        compare.remove_after(newest, options.database)
    print_table(shapes, found, options)


def shapes_of(options: argparse.Namespace) -> Iterator[Shape]:
    """Yield the shapes to measure: all combinations, but only one number of threads for sync."""
    for kind, workers, threads in itertools.product(options.kind, options.workers, options.threads):
        if kind != "sync" or threads == options.threads[0]:
            yield Shape(kind, workers, 1 if kind == "sync" else threads)


def measure(server: Server, operation: compare.Operation, key: str, options: argparse.Namespace) -> compare.Figures:
    """Return the figures of one operation, after a warm-up of one second."""
    lines = Path(options.folder) / f"{operation.name}.requests"
    lines.write_text("\n".join(operation.lines) + "\n", encoding="utf-8")
    compare.load(server, lines, key, CONNECTIONS, 1)
    return compare.load(server, lines, key, CONNECTIONS, options.seconds)


def print_table(shapes: list[Shape], found: dict, options: argparse.Namespace) -> None:
    """Print a table with a row for each shape."""
    print(f"{databases.name_of(options.database)}, {options.rounds} rounds of {options.seconds} s\n")
    columns = "".join(f" {name} req/s | p50/p99 ms | CPU µs |" for name in OPERATIONS)
    print(f"| kind | workers | threads |{columns}")
    print("|---|" + "---:|" * (2 + 3 * len(OPERATIONS)))
    for shape in shapes:
        cells = [cell for name in OPERATIONS for cell in cells_of(found[shape, name])]
        print("|", " | ".join(map(str, (shape.kind, shape.workers, shape.threads, *cells))), "|")


def cells_of(rounds: list[compare.Figures]) -> tuple[str, str, str]:
    """Format the rate, the latencies and the processor time of one operation."""
    rates = [figures.rate for figures in rounds]
    p50, p99, processor = (
        statistics.median(getattr(figures, name) for figures in rounds) for name in ("p50", "p99", "processor")
    )
    rate = f"{statistics.median(rates):.0f} [{min(rates):.0f}–{max(rates):.0f}]"
    return rate, f"{p50:.1f}/{p99:.1f}", f"{processor:.0f}"


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=f"{databases.POSTGRESQL}{databases.PREFIX}_1k", help="made by dataset.py")
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2, 3, 4], help="default: 1 to 4")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2, 4, 8], help="default: 1, 2, 4, 8")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--seconds", type=int, default=3, help="of one turn (default: %(default)s)")
    databases.add_folder_option(parser)
    return parser.parse_args()


if __name__ == "__main__":
    main()
