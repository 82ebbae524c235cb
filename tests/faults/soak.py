"""Reads and writes for half an hour, and looks whether the service grows.

    .venv/bin/python -m tests.faults.soak
    .venv/bin/python -m tests.faults.soak --minutes 2 --database postgres://postgres@127.0.0.1/cms_faults

The server is our own, with metrics on, and never replaces its workers, which would hide what they have grown by; the
database is SQLite unless another one is named, which must be empty. Four clients write, four read lists, contents and
channels, and pages that are wrong. Every few seconds the memory, open files and threads of the workers are noted. The
first third of the run is left out, in which memory is filled that is kept; of the rest, the last half must not hold
more than the first half by over --growth. Ends with 1 if it does, if a client was told anything unexpected, or if an
acknowledged change is not there.
"""

import argparse
import json
import threading
import time
from collections import Counter
from pathlib import Path
from statistics import median

from tests.faults.common import Beside, end_with, installed, memory, print_row
from tests.faults.writing import Writers, problems_after

MEGABYTE = 1024 * 1024
IN_FLIGHT = 16  # connections that come and go, far fewer than what a leak makes of thousands of requests
READS = [
    ("POST", "contents", {"siteId": 1, "perPage": 20}, 200),
    ("POST", "contents", {"siteId": 1, "channelId": 11, "wheres": [{"column": "isTop", "value": "true"}]}, 200),
    ("GET", "channels/1", None, 200),
    ("GET", "channels/1/11", None, 200),
    ("GET", "contents/1/11/99999999", None, 404),
    ("POST", "contents", {"siteId": "x"}, 400),
    ("GET", "ping", None, 200),
]


class Readers(Beside):
    """Threads that ask for all of READS in turn, while the block lasts."""

    def __init__(self, server, key, number=4):
        super().__init__(number)
        self._server, self._key, self._answers, self.problems = server, key, Counter(), Counter()

    @property
    def answers(self):
        """How many there have been."""
        return self._answers.total()

    def run(self, number):
        """Read without a pause; one of the threads."""
        while not self.end.is_set():
            for method, path, body, status in READS:
                sent = None if body is None else json.dumps(body).encode()
                answer = self._server.request(method, f"/api/v1/{path}", sent, {"X-SS-API-KEY": self._key})
                self._answers[number] += 1
                if answer.status_code != status:
                    self.problems[f"{method} {path}: {answer.status_code}"] += 1


def main():
    """Read and write, look, print a table, and end with the verdict."""
    options = read_options()
    with (
        installed(CMS_DATABASE_URL=options.database) as (installation, key),
        installation.serve("--access-logfile", "/dev/null", "--max-requests", "0", CMS_METRICS="true") as server,
    ):
        with Writers(server, key) as writers, Readers(server, key) as readers:
            samples = list(samples_of(server, options.minutes * 60))
        problems = list(problems_after(server, installation, key, writers))
    problems += [f"{number} answers: {name}" for name, number in readers.problems.items()]
    rest = samples[len(samples) // 3 :]
    halves = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    (first, last), files, threads = (
        [median(sample[place] for sample in half) for half in halves] for place in range(3)
    )
    growth = (last - first) / MEGABYTE
    if growth > options.growth:
        problems.append(f"The workers have grown by {growth:.1f} MB, more than {options.growth}")
    for name, (before, after), more in (("open files", files, IN_FLIGHT), ("threads", threads, 0)):
        if after > before + more:
            problems.append(f"The workers had {before} {name}, and have {after}")
    print_row(
        minutes=options.minutes,
        answers=readers.answers + writers.acknowledged,
        acknowledged_changes=writers.acknowledged,
        memory_MB=first / MEGABYTE,
        later_MB=last / MEGABYTE,
        files="{:.0f} {:.0f}".format(*files),
        threads="{:.0f} {:.0f}".format(*threads),
        lost_or_wrong=len(problems),
    )
    end_with(problems)


def samples_of(server, seconds):
    """Memory, open files and threads of the workers, every few seconds for so long."""
    end, pause = time.monotonic() + seconds, threading.Event()
    while (left := end - time.monotonic()) > 0:
        pause.wait(min(left, max(1.0, seconds / 180)))
        folders = [Path(f"/proc/{process}") for process in server.workers]
        counts = [sum(len(list((folder / name).iterdir())) for folder in folders) for name in ("fd", "task")]
        yield (memory(server), *counts)


def read_options():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0, help="default: %(default)s")
    parser.add_argument("--growth", type=float, default=8.0, help="megabytes of all workers (default: %(default)s)")
    parser.add_argument("--database", default="", help="as CMS_DATABASE_URL has it (default: an SQLite file)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
