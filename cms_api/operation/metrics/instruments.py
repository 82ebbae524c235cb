"""The figures that are counted while the service works. Loaded only where metrics are on."""

from typing import Any

from cms_api.operation.metrics.folder import shared_folder

shared_folder()  # says whether figures are shared, which the library reads when it is loaded

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics  # noqa: E402

disable_created_metrics()  # type: ignore[no-untyped-call]

REGISTRY = CollectorRegistry()
_seconds = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_live: dict[str, Any] = {"multiprocess_mode": "livesum", "registry": REGISTRY}

REQUESTS = Counter("cms_requests", "Requests that were answered.", ("route", "method", "status"), registry=REGISTRY)
REQUEST_SECONDS = Histogram(
    "cms_request_seconds",
    "Time from the first look at a request until its answer is written, or the last part of a long one.",
    ("route", "method"),
    buckets=_seconds,
    registry=REGISTRY,
)
IN_FLIGHT = Gauge("cms_requests_in_flight", "Requests that are being answered.", **_live)
KEY_REQUESTS = Counter(
    "cms_key_requests", "Requests with a valid API key, by its name.", ("key", "status"), registry=REGISTRY
)
CACHE_HITS = Counter("cms_cache_hits", "Look-ups that memory has answered.", ("cache",), registry=REGISTRY)
CACHE_MISSES = Counter("cms_cache_misses", "Look-ups that the database has answered.", ("cache",), registry=REGISTRY)
STATEMENT_SECONDS = Histogram(
    "cms_database_statement_seconds",
    "Time that statements and their rows were waited for, by the first word.",
    ("kind",),
    buckets=_seconds,
    registry=REGISTRY,
)
CONNECTIONS = Gauge("cms_database_connections", "Open connections of workers, those in a pool included.", **_live)
POOL_IDLE = Gauge("cms_database_pool_idle", "Connections in pools that nobody uses.", **_live)
POOL_WAITING = Gauge("cms_database_pool_waiting", "Requests that wait for a connection of a pool.", **_live)
RESTARTS = Counter("cms_server_restarts", "Times that the server has given way to new code.", registry=REGISTRY)
WORKERS_STARTED = Counter("cms_workers_started", "Workers that have begun to serve.", registry=REGISTRY)
WORKERS_ENDED = Counter(
    "cms_workers_ended",
    "Workers that have ended; timeout: killed since they were stuck.",
    ("reason",),
    registry=REGISTRY,
)
SHED = Counter("cms_requests_shed", "Requests that were refused with 503, since too many waited.", registry=REGISTRY)
SLOW_CLIENTS = Counter("cms_slow_clients", "Clients that were left, since they were too slow.", registry=REGISTRY)
