"""The figures as Prometheus reads them: what the processes have counted, and how things are at the moment."""

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from django.conf import settings
from django.db.models import Count
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from cms_api.jobs.models import Job
from cms_api.operation.health.bounded import Bounded
from cms_api.operation.health.probes import State
from cms_api.operation.health.readiness import PATIENCE, verdict
from cms_api.operation.metrics.folder import processes, shared_folder
from cms_api.operation.metrics.instruments import REGISTRY

_VALUES = {State.OK: 1.0, State.DEGRADED: 0.5, State.FAILED: 0.0}
_TICKS, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


def registry() -> CollectorRegistry:
    """Everything there is to tell now."""
    found = CollectorRegistry()
    # Before the files are read: what dead workers have left goes.
    workers = processes()
    if (folder := shared_folder()) is not None:
        MultiProcessCollector(found, path=str(folder))  # type: ignore[no-untyped-call]
    else:
        found.register(REGISTRY)
    found.register(_Present(workers))
    return found


class _Present:
    def __init__(self, workers: dict[str, int]) -> None:
        self._workers = workers

    def collect(self) -> Iterator[Metric]:
        yield from _health()
        yield from _jobs()
        yield from _processes(self._workers)
        free = shutil.disk_usage(settings.DATA_DIR).free
        yield GaugeMetricFamily("cms_data_folder_free_bytes", "Free space of the data folder's disk.", value=free)


def _health() -> Iterator[Metric]:
    looks = verdict().looks
    states = GaugeMetricFamily("cms_health", "What a probe has found: 1 ok, 0.5 degraded, 0 failed.", labels=["probe"])
    times = GaugeMetricFamily("cms_health_seconds", "How long the probe took.", labels=["probe"])
    for look in looks:
        states.add_metric([look.name], _VALUES[look.state])
        times.add_metric([look.name], look.milliseconds / 1000)
    yield from (states, times)


def _count_jobs() -> dict[str, int]:
    rows = Job.objects.values_list("state").annotate(Count("pk")).order_by()
    return dict.fromkeys(Job.State.values, 0) | dict(rows)


_question: Bounded[dict[str, int]] = Bounded("metrics-jobs", _count_jobs)
_asking = threading.Lock()


def _jobs() -> Iterator[Metric]:
    """None while the database does not answer."""
    with _asking:
        _question.begin()
        try:
            counts, _ = _question.answer(monotonic() + PATIENCE)
        except Exception:  # noqa: BLE001 - the probe of the database tells it
            return
    found = GaugeMetricFamily("cms_jobs", "Jobs of all nodes by their state.", labels=["state"])
    for state, number in counts.items():
        found.add_metric([state], number)
    yield found


def _processes(workers: dict[str, int]) -> Iterator[Metric]:
    memory = GaugeMetricFamily("cms_process_memory_bytes", "Memory that a process holds.", labels=["process"])
    used = CounterMetricFamily("cms_process_cpu_seconds", "Time of processors that it has used.", labels=["process"])
    files = GaugeMetricFamily("cms_process_open_files", "Files and sockets that it has open.", labels=["process"])
    for place, process in workers.items():
        try:
            memory.add_metric([place], int(_read(process, "statm").split()[1]) * _PAGE)
            times = _read(process, "stat").rpartition(")")[2].split()
            used.add_metric([place], (int(times[11]) + int(times[12])) / _TICKS)
            files.add_metric([place], len(list(Path(f"/proc/{process}/fd").iterdir())))
        except OSError:  # it has just ended, or there is no /proc
            continue
    yield from (memory, used, files)
    number = sum(place != "master" for place in workers)
    yield GaugeMetricFamily("cms_workers", "Workers that run, former ones that finish included.", value=number)


def _read(process: int, name: str) -> Any:
    return Path(f"/proc/{process}/{name}").read_text()


# A lock that another thread held when this process was forked.
def _renew() -> None:
    global _question, _asking
    _question, _asking = Bounded("metrics-jobs", _count_jobs), threading.Lock()


os.register_at_fork(after_in_child=_renew)
