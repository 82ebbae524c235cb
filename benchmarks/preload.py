"""Compares the service's restarts with gunicorn's own, for which each worker loads the application by itself.

    .venv/bin/python benchmarks/preload.py

Both servers have two workers. Memory is read of /proc after 200 requests: what a worker has for itself (private), and
its proportional share of pages (PSS), of which the master and all workers together are the sum. Then eight clients
ask for a ping or a channel all the time while the server gets a SIGHUP every few seconds. Linux only.
"""

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from restarts import ROOT, Client, Figures, Service, ask, keep_asking

WORKER = "cms_api.operation.serving.worker.Worker"
CLIENTS, REQUESTS, PAUSE = 8, 200, 0.05


class WithoutPreload(Service):
    """Restarts as gunicorn does by itself."""

    configuration = "without_preload"


def main() -> None:
    """Measure both and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=40.0)
    parser.add_argument("--every", type=float, default=8.0, help="seconds between two restarts")
    options = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join((str(ROOT), str(ROOT / "benchmarks")))
    print("| loaded by | private MB of a worker | PSS MB | all processes MB | requests | failed | slowest ms |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, kind in (("the master", Service), ("each worker", WithoutPreload)):
        with tempfile.TemporaryDirectory(prefix="cms-preload-") as folder, kind(Path(folder), WORKER) as service:
            cells = [name, *memory(service), *restart_often(service, options.seconds, options.every)]
            print("|", " | ".join(map(str, cells)), "|", flush=True)


def memory(service: Service) -> list[str]:
    """Megabytes of a worker, private and proportional, and of all processes, once they have worked."""
    client = Client(service.port, service.key, kept=False)
    for _ in range(REQUESTS):
        if failure := ask(client, "/api/v1/channels/1/11"):
            sys.exit(failure)
    master = service.process.pid
    workers = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    ours = [worker for worker in workers if b"gunicorn" in Path(f"/proc/{worker}/cmdline").read_bytes()]
    private = [megabytes(worker, "Private_Clean") + megabytes(worker, "Private_Dirty") for worker in ours]
    shares = [megabytes(worker, "Pss") for worker in ours]
    total = megabytes(str(master), "Pss") + sum(shares)
    return [f"{sum(private) / len(ours):.0f}", f"{sum(shares) / len(ours):.0f}", f"{total:.0f}"]


def megabytes(process: str, name: str) -> float:
    """A figure of a process's memory."""
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(next(line for line in rollup.splitlines() if line.startswith(f"{name}:")).split()[1]) / 1024


def restart_often(service: Service, seconds: float, every: float) -> list[int]:
    """Requests, those that failed, and the slowest one's milliseconds."""
    figures, end = Figures(), time.monotonic() + seconds
    threads = [
        threading.Thread(target=keep_asking, args=(service, figures, end, number % 2 == 1, PAUSE))
        for number in range(CLIENTS)
    ]
    for thread in threads:
        thread.start()
    while time.monotonic() + every < end:
        time.sleep(every / 2)
        service.process.send_signal(signal.SIGHUP)
        time.sleep(every / 2)
    for thread in threads:
        thread.join()
    for failure in figures.failures[:5]:
        print(failure, file=sys.stderr)
    return [figures.requests, len(figures.failures), round(figures.slowest * 1000)]


if __name__ == "__main__":
    main()
