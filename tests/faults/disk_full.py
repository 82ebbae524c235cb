"""Fills the disk under the service while clients write, and makes room again.

    .venv/bin/python -m tests.faults.disk_full
    .venv/bin/python -m tests.faults.disk_full --times 3 --megabytes 40

The disk is a file system in memory (tmpfs), mounted in a name space of its own, for which Linux lets anyone be root;
nothing of it is seen outside, or left behind. On it are the data folder and SQLite's file. It is filled to the last
byte, writers are refused for a while, and room is made again. Ends with 1 if a client was told anything but 200 and
503 (`storage_full`), a read failed while the disk was full, or a change that was acknowledged is not there.
"""

import argparse
import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from cms_client import AnswerError

from tests.faults.common import end_with, installed, print_row
from tests.faults.writing import Writers, outcome_of, problems_after

_MOUNTED = "--mounted-at"
BLOCK = b"\0" * 65536


def main():
    """Mount, and go on in there."""
    options = read_options()
    if options.mounted_at:
        fill_up(options, Path(options.mounted_at))
        return
    with tempfile.TemporaryDirectory(prefix="cms-faults-") as folder:
        inside = 'mount -t tmpfs -o size="$1" cms-faults "$2" && shift 2 && exec "$@"'
        again = [sys.executable, "-m", "tests.faults.disk_full", *sys.argv[1:], _MOUNTED, folder]
        command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", inside, "sh"]
        done = subprocess.run([*command, f"{options.megabytes}m", folder, *again])
    sys.exit(done.returncode)


def fill_up(options, disk):
    """Fill, look, make room, print a table, and end with the verdict."""
    problems, reads = [], 0
    with installed(disk) as (installation, key), installation.serve() as server, server.client(key) as client:
        with Writers(server, key) as writers:
            for _ in range(options.times):
                writers.await_acknowledged(20)
                fill(disk / "ballast")
                writers.await_refused(20)
                for _ in range(20):
                    outcome, _ = outcome_of(client.channels.get, 1, 11)
                    reads += outcome == "acknowledged"
                    if outcome != "acknowledged":
                        problems.append(f"A read was answered with {outcome}")
                refused = code_of(client.contents.create, 1, 11, {"title": "Tide", "content": "x" * 100_000})
                if refused != (503, "storage_full"):
                    problems.append(f"A write was answered with {refused}")
                (disk / "ballast").unlink()
            writers.await_acknowledged(20)
        problems += problems_after(server, installation, key, writers, allowed=["503"])
    print_row(
        filled=options.times,
        acknowledged=writers.acknowledged,
        refused=writers.outcomes["503"],
        reads_while_full=reads,
        lost_or_wrong=len(problems),
    )
    end_with(problems)


def code_of(act, *arguments):
    """Status and code of the refusal of an act of the client; None where it is none."""
    try:
        act(*arguments)
    except AnswerError as error:
        return error.status, error.code
    return None


def fill(path):
    """Write the file until there is no room for a byte."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    size = len(BLOCK)
    try:
        while size:
            try:
                os.write(file, BLOCK[:size])
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                size //= 2
    finally:
        os.close(file)


def read_options():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--megabytes", type=int, default=64, help="of the disk (default: %(default)s)")
    parser.add_argument(_MOUNTED, help=argparse.SUPPRESS)  # of the process within the name space
    return parser.parse_args()


if __name__ == "__main__":
    main()
