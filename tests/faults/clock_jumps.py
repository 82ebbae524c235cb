"""Lets the clock of the machine jump while clients write, as it does for the service.

    .venv/bin/python -m tests.faults.clock_jumps
    .venv/bin/python -m tests.faults.clock_jumps --jumps=+2h,-3h

clock.c stands between the server's processes and the time of day, and adds what a file of ours says; a C compiler (cc)
is needed. The clock that only measures runs on, as on a machine whose time is set. The database is SQLite.
Ends with 1 if a client was told anything but 200, a change is not there, a tree, list or count is wrong, or the server
does not tell the new time.
"""

import argparse
import subprocess
import time
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from tests.faults.common import end_with, installed, print_row
from tests.faults.writing import Writers, problems_after

JUMPS = "+1h,-1h,+1d,-2d,+400d,-400d,+90s,-90s"  # from the right time, to which the clock comes back at the end
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SOURCE = Path(__file__).with_name("clock.c")
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
        settings = {"LD_PRELOAD": str(library), "CLOCK_JUMP": str(jump)}
        with installation.serve(**settings) as server:
            with Writers(server, key) as writers:
                for text in [*jumps, "+0s"]:
                    writers.await_acknowledged(20)
                    jump.write_text(str(seconds_of(text)))
                    problems += await_time(server, seconds_of(text), writers)
                writers.await_acknowledged(20)
            problems += problems_after(server, installation, key, writers)
    print_row(
        jumps=len(jumps) + 1,
        acknowledged=writers.acknowledged,
        longest_pause_s=max(writers.pauses),
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
