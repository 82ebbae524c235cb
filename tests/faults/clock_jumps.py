"""Lets the clock of the machine jump while clients write, as it does for the service.

    .venv/bin/python -m tests.faults.clock_jumps
    .venv/bin/python -m tests.faults.clock_jumps --jumps=+2h,-3h

clock.c stands between the server's processes and the time of day, and adds what a file of ours says; a C compiler (cc)
is needed. The clock that only measures runs on, as on a machine whose time is set. The database is SQLite.
A webhook gets the changes; its receiver refuses every third message once. Ends with 1 if a client was told anything but
200, a change is not there, a tree, list or count is wrong, the server does not tell the new time, or a message
waits for longer than its pause.
"""

import argparse
import json
import sqlite3
import subprocess
import time
from contextlib import closing
from datetime import datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from pathlib import Path

from tests.faults.common import end_with, installed, print_row
from tests.faults.writing import Writers, problems_after
from tests.webhooks.receivers import receiving

JUMPS = "+1h,-1h,+1d,-2d,+400d,-400d,+90s,-90s"  # from the right time, to which the clock comes back at the end
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SOURCE = Path(__file__).with_name("clock.c")
_LONGEST_WAIT = 180  # seconds for messages after the last jump
_BOUND = 30  # seconds that what the server tells may differ, on a busy machine


def main():
    """Jump, compare, print a table, and end with the verdict."""
    options = read_options()
    jumps, problems = options.jumps.split(","), []
    with installed() as (installation, key):
        folder = Path(installation.environment["CMS_DATA_DIR"])
        jump, library = folder / "jump", folder / "clock.so"
        jump.write_text("0")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, _SOURCE, "-ldl"], check=True)
        settings = {"LD_PRELOAD": str(library), "CLOCK_JUMP": str(jump), "CMS_WEBHOOK_NETWORKS": "127.0.0.0/8"}
        with receiving() as receiver, installation.serve(**settings) as server:
            refused = refuse_once(receiver)
            hook = {"name": "jumps", "url": receiver.url, "events": ["content.created"]}
            headers = {"X-SS-API-KEY": key, "Content-Type": "application/json"}
            made = server.request("POST", "/api/v1/webhooks", json.dumps(hook).encode(), headers)
            assert made.status_code == HTTPStatus.OK, made.content
            with Writers(server, key) as writers:
                for text in [*jumps, "+0s"]:
                    writers.await_acknowledged(20)
                    jump.write_text(str(seconds_of(text)))
                    problems += await_time(server, seconds_of(text), writers)
                writers.await_acknowledged(20)
            problems += problems_after(server, installation, key, writers)
            problems += await_deliveries(folder)
    print_row(
        jumps=len(jumps) + 1,
        acknowledged=writers.acknowledged,
        longest_pause_s=max(writers.pauses),
        messages=len(receiver.requests),
        refused=len(refused),
        lost_or_wrong=len(problems),
    )
    end_with(problems)


def await_time(server, jump, writers):
    """Go on writing until the server tells the time that it was given; else say so."""
    end = time.monotonic() + _BOUND
    while time.monotonic() < end:
        told = parsedate_to_datetime(server.request("GET", "/api/v1/ping").headers["Date"])
        off = told.timestamp() - datetime.now().timestamp() - jump
        if abs(off) < _BOUND:
            return
        writers.await_acknowledged(4)
    yield f"The server is {off:.0f} seconds from the time it was given"


def refuse_once(receiver):
    """Let the receiver respond 500 to the first attempt of every third message; return their ids."""
    seen, refused = set(), set()

    def respond(handler, _body):
        message = handler.headers["webhook-id"]
        is_refused = message not in seen and len(seen) % 3 == 0
        seen.add(message)
        if is_refused:
            refused.add(message)
        handler.send_response(500 if is_refused else 204)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    receiver.respond = respond
    return refused


def await_deliveries(folder):
    """Return when nothing waits any more; else say how much does."""
    end = time.monotonic() + _LONGEST_WAIT
    waiting = "SELECT count(*) FROM webhooks_delivery WHERE state <> 'delivered'"
    with closing(sqlite3.connect(folder / "db.sqlite3")) as database:
        while (number := database.execute(waiting).fetchone()[0]) and time.monotonic() < end:
            time.sleep(1)
    if number:
        yield f"{number} messages of the webhook wait, or were given up"


def seconds_of(text):
    """The seconds of a jump such as -2d."""
    return int(text[:-1]) * _UNITS[text[-1]]


def read_options():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jumps", default=JUMPS, help="default: %(default)s")
    return parser.parse_args()


if __name__ == "__main__":
    main()
