"""Looks every few seconds at what a worker holds, since only it can see that, and another one may be asked."""

import logging
import threading
import weakref
from typing import Any

from django.db import connection
from django.db.backends.signals import connection_created

from cms_api.lib.cache_counts import CacheCounts
from cms_api.operation.metrics import instruments

_PAUSE = 5.0  # seconds
_seen: "weakref.WeakSet[Any]" = weakref.WeakSet()
_lock = threading.Lock()  # threads add while this one looks
_told: dict[str, tuple[int, int]] = {}  # hits and misses of each cache that are in the figures already
logger = logging.getLogger(__name__)


def begin() -> None:
    """Look from now on, in this process."""
    connection_created.connect(_note, dispatch_uid="cms_api.operation.metrics")
    threading.Thread(target=_go_on, name="metrics", daemon=True).start()


def look() -> None:
    # A pool that was never used is not there yet, and must not be made here.
    pools = getattr(connection, "_connection_pools", {})
    figures = [pool.get_stats() for pool in list(pools.values())]
    pooled = sum(figure.get("pool_size", 0) for figure in figures)
    # Of connections with a pool each that is in use is one of the pool's.
    with _lock:
        seen = list(_seen)
    single = 0 if pools else sum(each.connection is not None for each in seen)
    instruments.CONNECTIONS.set(pooled + single)
    instruments.POOL_IDLE.set(sum(figure.get("pool_available", 0) for figure in figures))
    instruments.POOL_WAITING.set(sum(figure.get("requests_waiting", 0) for figure in figures))
    for name, counts in CacheCounts.named.items():
        hits, misses = _told.get(name, (0, 0))
        _told[name] = now = counts.hits, counts.misses
        instruments.CACHE_HITS.labels(name).inc(now[0] - hits)
        instruments.CACHE_MISSES.labels(name).inc(now[1] - misses)


def _note(connection: Any, **_: Any) -> None:
    with _lock:
        _seen.add(connection)


def _go_on() -> None:
    end = threading.Event()  # never set: the thread ends with its process
    while True:
        try:
            look()
        except Exception:
            logger.exception("What this worker holds could not be looked at.")
        if end.wait(_PAUSE):
            return
