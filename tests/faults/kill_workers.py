"""Kills workers of the server while clients write, and looks whether anything that was acknowledged is lost.

    .venv/bin/python -m tests.faults.kill_workers
    .venv/bin/python -m tests.faults.kill_workers --times 5 --database postgres://postgres@127.0.0.1/cms_faults

The server is our own, on a data folder of its own with the sample site; the database is SQLite unless another one is
named, which must be empty. Four clients create, change and delete contents and channels. Each time some changes have
been acknowledged, one of two workers is killed (SIGKILL), and the next time the other. Ends with 1 if a change that was
acknowledged is not there, a tree, list or count is wrong, or a client got another answer than 200, or than none.
"""

import argparse
import os
import signal

from tests.faults.common import end_with, installed, print_row
from tests.faults.writing import Writers, problems_after

UNANSWERED = ("ConnectionFailed",)


def main():
    """Kill, compare, print a table, and end with the verdict."""
    options = read_options()
    with installed(CMS_DATABASE_URL=options.database) as (installation, key), installation.serve() as server:
        server.await_lines("Booting worker", 2)
        with Writers(server, key) as writers:
            for number in range(options.times):
                writers.await_acknowledged(20)
                workers = server.workers
                os.kill(workers[number % len(workers)], signal.SIGKILL)
                server.await_lines("Booting worker", 2 + number + 1)
            writers.await_acknowledged(20)
        problems = list(problems_after(server, installation, key, writers, UNANSWERED))
    print_row(
        killed=options.times,
        acknowledged=writers.acknowledged,
        unanswered=sum(writers.outcomes.values()) - writers.acknowledged,
        longest_pause_s=max(writers.pauses),
        lost_or_wrong=len(problems),
    )
    end_with(problems)


def read_options():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20, help="default: %(default)s")
    parser.add_argument("--database", default="", help="as CMS_DATABASE_URL has it (default: an SQLite file)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
