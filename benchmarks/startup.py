"""Measures how long the service takes to start, and what memory a further worker costs.

    .venv/bin/python benchmarks/startup.py

Cold start: from the start of gunicorn with one worker to the first good answer of a read that needs the
database. Memory: the proportional set size of all processes (shared pages count once) after a hundred
requests to each worker, with one worker and with four. Linux only, since it reads /proc.
"""

import argparse
import statistics
import subprocess
import time
from pathlib import Path

import compare
import databases
from servers import Server

APPLICATION = "cms_api.wsgi"
WORKERS = 4


def main() -> None:
    """Measure both and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=f"{databases.POSTGRESQL}{databases.PREFIX}_100k")
    parser.add_argument("--rounds", type=int, default=5)
    databases.add_folder_option(parser)
    options = parser.parse_args()
    databases.open_service(options.database, options.folder)
    path, key = any_content(), compare.issue_key()
    starts = [first_answer(path, key) for _ in range(options.rounds)]
    one = statistics.median(memory(1, path, key) for _ in range(options.rounds))
    more = statistics.median(memory(WORKERS, path, key) for _ in range(options.rounds))
    print("| what | median |\n|---|---:|")
    print(f"| cold start to the first good answer, 1 worker | {statistics.median(starts):.2f} s |")
    print(f"| memory of all processes, 1 worker | {one:.0f} MB |")
    print(f"| each further worker | {(more - one) / (WORKERS - 1):.0f} MB |")


def any_content() -> str:
    """The address of a content."""
    from contents.models import Content

    content = Content.objects.order_by("id").first()
    return f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"


def first_answer(path: str, key: str) -> float:
    """Seconds from the start of the processes to a 200."""
    server = Server(APPLICATION, workers=1)
    begin = time.perf_counter()
    server.start()
    try:
        server.wait()
        assert server.ask("GET", path, key=key)[0] == 200
        return time.perf_counter() - begin
    finally:
        server.stop()


def memory(workers: int, path: str, key: str) -> float:
    """Megabytes of the master and its workers together, once they have worked."""
    with Server(APPLICATION, workers=workers) as server:
        for _ in range(100 * workers):
            server.ask("GET", path, key=key)
        children = subprocess.check_output(["ps", "--ppid", str(server.pid), "-o", "pid="], text=True).split()
        return sum(map(proportional, [str(server.pid), *children]))


def proportional(pid: str) -> float:
    """Megabytes of a process, pages that it shares divided among those who share them."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(next(line for line in rollup.splitlines() if line.startswith("Pss:")).split()[1]) / 1024


if __name__ == "__main__":
    main()
