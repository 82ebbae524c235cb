"""Measures how long the service takes to start, and how much memory each additional worker needs.

    .venv/bin/python benchmarks/startup.py

Cold start is the time from the start of gunicorn with one worker to the first successful response that
needs the database. Memory is the proportional set size of all processes (shared pages count once) after a
hundred requests per worker, with one worker and with four. Linux only, because the script reads /proc.
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
    """Measure start-up time and memory, and print the table."""
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
    """Return the path of the content with the lowest id."""
    from contents.models import Content

    content = Content.objects.order_by("id").first()
    return f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"


def first_answer(path: str, key: str) -> float:
    """Return the seconds from the start of the processes to a response with status 200."""
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
    """Return the megabytes of the master and its workers together, after some requests."""
    with Server(APPLICATION, workers=workers) as server:
        for _ in range(100 * workers):
            server.ask("GET", path, key=key)
        children = subprocess.check_output(["ps", "--ppid", str(server.pid), "-o", "pid="], text=True).split()
        return sum(map(proportional, [str(server.pid), *children]))


def proportional(pid: str) -> float:
    """Return the megabytes of a process; each shared page is divided by the number of processes that share it."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(next(line for line in rollup.splitlines() if line.startswith("Pss:")).split()[1]) / 1024


if __name__ == "__main__":
    main()
