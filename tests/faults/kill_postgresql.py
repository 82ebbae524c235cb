"""Kills PostgreSQL while clients write, and looks whether anything that was acknowledged is lost.

    .venv/bin/python -m tests.faults.kill_postgresql
    .venv/bin/python -m tests.faults.kill_postgresql --times 5 --pool 4

Database and server are our own. Four clients create, change and delete contents and channels. Each time some changes
have been acknowledged, the first process of PostgreSQL is killed (SIGKILL), clients are refused for a moment, and the
database is started again. The server is never restarted. Ends with 1 if a change that was acknowledged is not there, a
tree, list or count is wrong, or a client was told anything but 200 and 503.
"""

import argparse
import signal
from contextlib import closing

from tests.cluster.servers import PostgreSQL
from tests.faults.common import end_with, installed, print_row
from tests.faults.writing import Writers, problems_after


def main():
    """Kill, compare, print a table, and end with the verdict."""
    options = read_options()
    with closing(PostgreSQL(fsync="on").start()) as database:
        settings = {"CMS_DATABASE_URL": database.url(), "CMS_DATABASE_POOL_SIZE": str(options.pool)}
        with installed(**settings) as (installation, key), installation.serve() as server:
            with Writers(server, key) as writers:
                for _ in range(options.times):
                    writers.await_acknowledged(20)
                    database.stop(signal.SIGKILL)
                    writers.await_refused(8)
                    database.start()
                writers.await_acknowledged(20)
            problems = list(problems_after(server, installation, key, writers, allowed=["503"]))
    print_row(
        killed=options.times,
        acknowledged=writers.acknowledged,
        refused=writers.outcomes["503"],
        longest_pause_s=max(writers.pauses),
        lost_or_wrong=len(problems),
    )
    end_with(problems)


def read_options():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20, help="default: %(default)s")
    parser.add_argument("--pool", type=int, default=0, help="connections in a pool (default: one for each thread)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
