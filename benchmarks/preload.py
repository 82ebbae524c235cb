"""Compares the service's restarts with those of plain gunicorn, where each worker loads the application itself.

    .venv/bin/python benchmarks/preload.py

Both servers have two workers. After 200 requests, the script reads from /proc the private memory of a worker, its
proportional set size (PSS), and the sum of the PSS of the master and all workers. Then eight clients continuously
request a ping or a channel while the server receives a SIGHUP every few seconds. Linux only.
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
    """A service whose workers load the application themselves, gunicorn's default."""

    configuration = "without_preload"


def main() -> None:
    """Measure both and print the table."""
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
    """Return the megabytes of a worker, private and proportional, and of all processes, after some requests."""
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
    """Return a memory figure of a process, in megabytes."""
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(next(line for line in rollup.splitlines() if line.startswith(f"{name}:")).split()[1]) / 1024


def restart_often(service: Service, seconds: float, every: float) -> list[int]:
    """Restart repeatedly under load; return the numbers of requests and failures, and the slowest milliseconds."""
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
