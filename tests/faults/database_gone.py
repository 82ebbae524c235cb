"""Takes the database away for a while and brings it back, while clients read and write.

    .venv/bin/python -m tests.faults.database_gone
    .venv/bin/python -m tests.faults.database_gone --times 2 --seconds 2

Database and server are our own. PostgreSQL is stopped as an operator stops it, and by turns as one does in a hurry; it
stays away, and is started again. Meanwhile every answer has to be 503, with `message` and Retry-After where the change
was certainly not made. The server is never restarted. Ends with 1 if a client was told anything else, an acknowledged
change is not there, or the service did not come back by itself.
"""

import argparse
import json
import signal
import threading
import time
from contextlib import closing

from tests.cluster.servers import PostgreSQL
from tests.faults.common import end_with, installed, print_row
from tests.faults.writing import Writers, problems_after

STOPS = [signal.SIGINT, signal.SIGQUIT]  # fast, immediate


def main():
    """Stop, look, start, print a table, and end with the verdict."""
    options = read_options()
    problems, refusals, returns = [], [], []
    with (
        closing(PostgreSQL(fsync="on").start()) as database,
        installed(CMS_DATABASE_URL=database.url()) as (installation, key),
        installation.serve() as server,
    ):
        with Writers(server, key) as writers:
            for number in range(options.times):
                writers.await_acknowledged(20)
                database.stop(STOPS[number % len(STOPS)])
                problems += look_while_away(server, key, options.seconds, refusals)
                database.start()
                begun = time.monotonic()
                writers.await_acknowledged(1)
                returns.append(time.monotonic() - begun)
            writers.await_acknowledged(20)
        problems += problems_after(server, installation, key, writers, allowed=["503"])
    print_row(
        stopped=options.times,
        refused=len(refusals) + writers.outcomes["503"],
        slowest_refusal_ms=max(refusals) * 1000,
        slowest_return_s=max(returns),
        acknowledged=writers.acknowledged,
        lost_or_wrong=len(problems),
    )
    end_with(problems)


def look_while_away(server, key, seconds, refusals):
    """Read without a pause for so long; what is wrong with the answers, in words."""
    end, pause = time.monotonic() + seconds, threading.Event()
    while time.monotonic() < end:
        begun = time.monotonic()
        answer = server.request("GET", "/api/v1/channels/1/11", None, {"X-SS-API-KEY": key})
        refusals.append(time.monotonic() - begun)
        if answer.status_code != 503:
            yield f"{answer.status_code} while the database was away"
        elif not (json.loads(answer.content).get("message") and answer.headers.get("Retry-After")):
            yield f"503 without a message or Retry-After: {answer.content!r}"
        pause.wait(0.05)


def read_options():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=6, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=5.0, help="away, each time (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
