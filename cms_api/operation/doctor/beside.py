"""Servers beside the database: replicas that are read from, and Redis."""

import time
from collections.abc import Iterator

from django.conf import settings

from cms_api.lib.redis_client import FAILURES, connect
from cms_api.operation.doctor.examinations import Finding, examination, risky
from cms_api.replicas import watching

_PATIENCE = 5.0  # seconds until a replica must be fit to be read from
_TIMEOUT = 1.0  # seconds that Redis has
_KEEPS_ALL = "noeviction"


@examination("Replicas")
def _replicas() -> Iterator[Finding]:
    """Whether each of them is read from."""
    replicas = watching.replicas() if settings.CMS_DATABASE_REPLICA_URLS else []
    end = time.monotonic() + _PATIENCE
    while any(replica.reason for replica in replicas) and time.monotonic() < end:
        time.sleep(0.1)
    for replica in replicas:
        if replica.reason:
            remedy = "The primary is read instead. See the server's log, and pg_stat_replication on the primary."
            yield risky(f"The replica {replica.name} is not read from: {replica.reason}.", remedy)


@examination("Redis", needs_database=False)
def _redis() -> Iterator[Finding]:
    """Whether it may drop what still counts. That it answers is a matter of readiness."""
    if not settings.CMS_CACHE_URL:
        return
    try:
        with connect(settings.CMS_CACHE_URL, _TIMEOUT) as client:
            policy = client.config_get("maxmemory-policy").get("maxmemory-policy", _KEEPS_ALL)
    except FAILURES:  # it is away, or whoever runs it keeps its settings to themselves
        return
    if policy != _KEEPS_ALL:
        told = f"Redis drops what has not expired when its memory is full (maxmemory-policy {policy}): counts of limits"
        yield risky(f"{told}, and what keys have written last.", f"Set maxmemory-policy to {_KEEPS_ALL}.")
