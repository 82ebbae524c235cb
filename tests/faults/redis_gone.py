"""Kills Redis and brings it back, while clients read and write: the service has to go on without it.

    .venv/bin/python -m tests.faults.redis_gone
    .venv/bin/python -m tests.faults.redis_gone --times 2 --seconds 2

Redis and server are our own; the database is SQLite. Redis is killed (SIGKILL) by turns, and stopped without a word
(SIGSTOP), so that it takes connections and answers none. Ends with 1 if a client was told anything but 200, or a change
is not there.
"""

import argparse
import shutil
import sys
import time
from contextlib import closing, contextmanager

from tests.faults.common import end_with, installed, print_row
from tests.faults.writing import Writers, problems_after
from tests.redis_server import RedisServer


def main():
    """Kill, wait, start, print a table, and end with the verdict."""
    options = read_options()
    if shutil.which("redis-server") is None:
        sys.exit("redis-server is needed.")
    with (
        closing(RedisServer()) as redis,
        installed(CMS_CACHE_URL=redis.url) as (installation, key),
        installation.serve() as server,
    ):
        with Writers(server, key) as writers:
            for number in range(options.times):
                writers.await_acknowledged(20)
                with redis.silent() if number % 2 else killed(redis):
                    end = time.monotonic() + options.seconds
                    while time.monotonic() < end:
                        writers.await_acknowledged(4)
            writers.await_acknowledged(20)
        problems = list(problems_after(server, installation, key, writers))
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


@contextmanager
def killed(redis):
    """It is not there while the block lasts."""
    redis.kill()
    yield
    redis.start()


def read_options():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=6, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=5.0, help="without it, each time (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
