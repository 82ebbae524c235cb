"""The metrics: counted during work, polled by each worker every few seconds, or computed on request."""

import logging
import os
import shutil
import threading
import time
import weakref
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.backends.signals import connection_created
from django.db.models import Count
from django.utils.module_loading import import_string

from core.jobs.models import Job
from core.lib import clock
from core.lib.cache_counts import CacheCounts
from core.lib.registrations import BACKLOGS
from core.operation.health import PATIENCE, Bounded, HealthState, verdict
from core.operation.metrics.folder import processes, shared_folder
from core.operation.models import Installation

shared_folder()  # sets the variable that prometheus_client reads on import

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics  # noqa: E402
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric  # noqa: E402
from prometheus_client.multiprocess import MultiProcessCollector  # noqa: E402

disable_created_metrics()  # type: ignore[no-untyped-call]

REGISTRY = CollectorRegistry()
_seconds = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_live: dict[str, Any] = {"multiprocess_mode": "livesum", "registry": REGISTRY}

REQUESTS = Counter("cms_requests", "Requests answered.", ("route", "method", "status"), registry=REGISTRY)
REQUEST_SECONDS = Histogram(
    "cms_request_seconds",
    "Time from the start of processing a request until its response, or the last part of a long one, is written.",
    ("route", "method"),
    buckets=_seconds,
    registry=REGISTRY,
)
IN_FLIGHT = Gauge("cms_requests_in_flight", "Requests being processed.", **_live)
KEY_REQUESTS = Counter(
    "cms_key_requests", "Requests with a valid API key, by the key's name.", ("key", "status"), registry=REGISTRY
)
CACHE_HITS = Counter("cms_cache_hits", "Lookups answered from memory.", ("cache",), registry=REGISTRY)
CACHE_MISSES = Counter("cms_cache_misses", "Lookups answered by the database.", ("cache",), registry=REGISTRY)
STATEMENT_SECONDS = Histogram(
    "cms_database_statement_seconds",
    "Time spent waiting for statements and their rows, by the statement's first word.",
    ("kind",),
    buckets=_seconds,
    registry=REGISTRY,
)
CONNECTIONS = Gauge("cms_database_connections", "Open connections of workers, including pooled ones.", **_live)
POOL_IDLE = Gauge("cms_database_pool_idle", "Idle connections in pools.", **_live)
POOL_WAITING = Gauge("cms_database_pool_waiting", "Requests waiting for a pooled connection.", **_live)
RESTARTS = Counter("cms_server_restarts", "Restarts of the server with new code.", registry=REGISTRY)
WORKERS_STARTED = Counter("cms_workers_started", "Workers started.", registry=REGISTRY)
WORKERS_ENDED = Counter(
    "cms_workers_ended",
    "Workers ended; timeout: killed because they were stuck.",
    ("reason",),
    registry=REGISTRY,
)
for _reason in ("other", "timeout"):  # from the start, so that the first one is an increase
    WORKERS_ENDED.labels(_reason)
SHED = Counter("cms_requests_shed", "Requests rejected with 503 because too many were waiting.", registry=REGISTRY)
SLOW_CLIENTS = Counter("cms_slow_clients", "Clients disconnected because they were too slow.", registry=REGISTRY)


_log = logging.getLogger(__name__)
_seen: "weakref.WeakSet[Any]" = weakref.WeakSet()
_lock = threading.Lock()  # threads add connections during a look
_told: dict[str, tuple[int, int]] = {}  # hits and misses of each cache that are already counted


def begin_looking() -> None:
    connection_created.connect(_note, dispatch_uid="core.operation.metrics")
    _replicas()  # measured from now on
    threading.Thread(target=_go_on, name="metrics", daemon=True).start()


def _note(connection: Any, **_: Any) -> None:
    with _lock:
        _seen.add(connection)


def _go_on() -> None:
    while True:  # the thread ends with its process
        try:
            _look()
        except Exception:  # noqa: BLE001 - the next look may succeed
            _log.exception("The metrics of this worker could not be collected.")
        time.sleep(5)


def _look() -> None:
    # A pool that was never used does not exist yet and must not be created here.
    pools = getattr(connection, "_connection_pools", {})
    figures = [pool.get_stats() for pool in list(pools.values())]
    pooled = sum(figure.get("pool_size", 0) for figure in figures)
    # With pools, a connection in use is counted as the pool's.
    with _lock:
        seen = list(_seen)
    single = 0 if pools else sum(each.connection is not None for each in seen)
    CONNECTIONS.set(pooled + single)
    POOL_IDLE.set(sum(figure.get("pool_available", 0) for figure in figures))
    POOL_WAITING.set(sum(figure.get("requests_waiting", 0) for figure in figures))
    for name, counts in CacheCounts.named.items():
        hits, misses = _told.get(name, (0, 0))
        _told[name] = now = counts.hits, counts.misses
        CACHE_HITS.labels(name).inc(now[0] - hits)
        CACHE_MISSES.labels(name).inc(now[1] - misses)


_MAX_COUNTED = 10_000
_BACKUP_AGE = "cms_backup_age_seconds"
_VALUES = {HealthState.OK: 1.0, HealthState.DEGRADED: 0.5, HealthState.FAILED: 0.0}
_TICKS, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


def registry() -> CollectorRegistry:
    found = CollectorRegistry()
    # First, since it removes the files of dead workers.
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
        yield from _stored()
        yield from _replica_figures()
        yield from _processes(self._workers)
        free = shutil.disk_usage(settings.DATA_DIR).free
        yield GaugeMetricFamily("cms_data_folder_free_bytes", "Free space on the data folder's disk.", value=free)


def _health() -> Iterator[Metric]:
    states = GaugeMetricFamily("cms_health", "Result of a probe: 1 ok, 0.5 degraded, 0 failed.", labels=["probe"])
    times = GaugeMetricFamily("cms_health_seconds", "Duration of the probe.", labels=["probe"])
    for look in verdict().looks:
        states.add_metric([look.name], _VALUES[look.state])
        times.add_metric([look.name], look.milliseconds / 1000)
    yield from (states, times)


_Stored = tuple[dict[str, int], dict[str, float]]


def _read_stored() -> _Stored:
    """Return the jobs by state, and figures by name. Counts end at _MAX_COUNTED, so that none takes long."""
    jobs = dict.fromkeys(Job.State.values, 0) | dict(Job.objects.values_list("state").annotate(Count("pk")).order_by())
    figures: dict[str, float] = {
        name: import_string(backlog.rows)().order_by()[:_MAX_COUNTED].count()
        for name, backlog in BACKLOGS.entries.items()
    }
    made_at = Installation.objects.values_list("backed_up_at", flat=True).first()
    if made_at is not None:
        figures[_BACKUP_AGE] = clock.now().timestamp() - made_at.timestamp()
    return jobs, figures


_question: Bounded[_Stored] = Bounded("metrics-database", _read_stored)
_asking = threading.Lock()


def _stored() -> Iterator[Metric]:
    with _asking:
        _question.begin()
        try:
            (jobs, figures), _ = _question.answer(time.monotonic() + PATIENCE)
        except Exception:  # noqa: BLE001 - the database probe reports it
            return
    found = GaugeMetricFamily("cms_jobs", "Jobs of all nodes, by state.", labels=["state"])
    for state, number in jobs.items():
        found.add_metric([state], number)
    yield found
    told = {name: backlog.meaning for name, backlog in BACKLOGS.entries.items()}
    told[_BACKUP_AGE] = "Time since the last backup was complete."
    for name, value in figures.items():
        yield GaugeMetricFamily(name, told[name], value=value)


def _replicas() -> list[Any]:
    # Imported here: it needs PostgreSQL's library.
    return import_module("core.replicas.watching").replicas() if settings.CMS_DATABASE_REPLICA_URLS else []


def _replica_figures() -> Iterator[Metric]:
    used = GaugeMetricFamily("cms_replica_used", "1 if the replica serves reads, 0 if not.", labels=["replica"])
    lag = GaugeMetricFamily("cms_replica_lag_seconds", "How far the replica is behind.", labels=["replica"])
    for replica in _replicas():
        used.add_metric([replica.name], replica.is_fit)
        if replica.lag is not None:
            lag.add_metric([replica.name], replica.lag)
    yield from (used, lag)


def _processes(workers: dict[str, int]) -> Iterator[Metric]:
    memory = GaugeMetricFamily("cms_process_memory_bytes", "Memory used by the process.", labels=["process"])
    used = CounterMetricFamily("cms_process_cpu_seconds", "CPU time used by the process.", labels=["process"])
    files = GaugeMetricFamily("cms_process_open_files", "Open files and sockets of the process.", labels=["process"])
    for place, process in workers.items():
        try:
            memory.add_metric([place], int(_read(process, "statm").split()[1]) * _PAGE)
            times = _read(process, "stat").rpartition(")")[2].split()
            used.add_metric([place], (int(times[11]) + int(times[12])) / _TICKS)
            files.add_metric([place], len(list(Path(f"/proc/{process}/fd").iterdir())))
        except OSError:  # the process has just ended, or there is no /proc
            continue
    yield from (memory, used, files)
    number = sum(place != "master" for place in workers)
    yield GaugeMetricFamily("cms_workers", "Running workers, including old ones that are finishing.", value=number)


def _read(process: int, name: str) -> Any:
    return Path(f"/proc/{process}/{name}").read_text()


# Another thread may have held the lock at the fork.
def _renew() -> None:
    global _question, _asking
    _question, _asking = Bounded("metrics-database", _read_stored), threading.Lock()


os.register_at_fork(after_in_child=_renew)
