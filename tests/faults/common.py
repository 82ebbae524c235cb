"""What the scripts of this folder share: a service of their own, and what its processes hold."""

import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tools.servers import Installation


@contextmanager
def installed(folder=None, **settings):
    """An installation with the sample site, and a key with every scope, while the block lasts."""
    with tempfile.TemporaryDirectory(prefix="cms-faults-", dir=folder) as own:
        installation = Installation(Path(own), administrator=False)
        installation.environment |= settings
        installation.manage("migrate", "--verbosity", "0")
        installation.manage("createsuperuser", "--noinput", "--user_name", "root")
        installation.manage("load_sample_site")
        yield installation, installation.manage("create_api_key", "faults", "--all-scopes")


class Beside:
    """Does `run` in so many threads while the block lasts; each is told its number, and when to `end`.

    What a thread raises is raised at the end of the block.
    """

    def __init__(self, threads=1):
        self.end = threading.Event()
        self._threads = threads

    def __enter__(self):
        self._pool = ThreadPoolExecutor(self._threads)
        self._runs = [self._pool.submit(self.run, number) for number in range(self._threads)]
        return self

    def __exit__(self, kind, *_):
        self.end.set()
        self._pool.shutdown()
        if kind is None:
            for run in self._runs:
                run.result()


def add_server_options(parser):
    """Let the caller say how many workers and threads the server has, and of which kind."""
    parser.add_argument("--workers", type=int, default=2, help="default: %(default)s")
    parser.add_argument("--threads", type=int, default=4, help="of each worker (default: %(default)s)")
    parser.add_argument("--worker", default="", help="another class of gunicorn's workers, such as gthread")


def serve(installation, options):
    """A server as these options say, without an access log; a context."""
    command = ["--access-logfile", "/dev/null", *(["-k", options.worker] if options.worker else [])]
    return installation.serve(*command, CMS_WORKERS=str(options.workers), CMS_THREADS=str(options.threads))


def add_contents(server, key, number, text):
    """Create so many contents in the sample's news."""
    with server.client(key) as client:
        for _ in range(number):
            client.contents.create(1, 11, {"title": "Tide", "content": text})


def memory(server):
    """Bytes that the workers of a server hold for themselves, together; Linux only.

    What they have mapped of files is not among them: it is the system's, which takes it back when it needs it, and of
    SQLite's file it grows with the file.
    """
    found = 0
    for process in server.workers:
        try:
            lines = Path(f"/proc/{process}/status").read_text().splitlines()
        except OSError:  # it has just ended
            continue
        found += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon:"))
    return found


def print_row(**cells):
    """A table of one row, by the names of its columns."""
    print("|", " | ".join(name.replace("_", " ") for name in cells), "|")
    print("|" + "---:|" * len(cells))
    print("|", " | ".join(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in cells.values()), "|")


def end_with(problems):
    """Tell what should not be, and end with 1 if there is anything."""
    found = list(problems)
    for problem in found:
        print(problem, file=sys.stderr)
    sys.exit(1 if found else 0)
