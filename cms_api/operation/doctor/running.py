"""What runs: replicas and Redis beside the database, nodes and jobs; and what should run now and then."""

import time
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings

from cms_api.audit.models import AuditEntry
from cms_api.jobs.models import Job
from cms_api.lib import clock
from cms_api.lib.redis_client import FAILURES, connect
from cms_api.operation.doctor.examinations import Finding, examination, risky, wrong
from cms_api.operation.models import Node
from cms_api.operation.restarts.nodes import SILENT_SECONDS
from cms_api.replicas import watching

_PATIENCE = 5.0  # seconds until a replica must be fit to be read from
_TIMEOUT = 1.0  # seconds that Redis has
_KEEPS_ALL = "noeviction"
GRACE = timedelta(days=7)  # that what is purged may lie beyond its time
_SKEW = timedelta(seconds=5)
_LONG = timedelta(hours=1)


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


@examination("Nodes")
def _nodes() -> Iterator[Finding]:
    """Servers that are gone, or run another code than they should."""
    now = datetime.now()
    for node in Node.objects.order_by("name"):
        if node.problem:
            remedy = "Put right what it names, then restart."
            yield wrong(f"{node.name} runs with the former code: {node.problem}", remedy)
        if node.seen_at > now + _SKEW:
            ahead = round((node.seen_at - now).total_seconds())
            yield risky(f"The clock of {node.name} is {ahead} seconds ahead of this one.", "Let NTP set both.")
        elif now - node.seen_at > timedelta(seconds=SILENT_SECONDS):
            told = f"{node.name} has not been seen since {node.seen_at:%Y-%m-%d %H:%M:%S}"
            yield risky(f"{told}.", "Start it, or remove it on the page Restart of the back end.")


@examination("Jobs")
def _jobs() -> Iterator[Finding]:
    """Work that nobody does."""
    waiting = Job.objects.filter(state=Job.State.WAITING, asked_at__lt=clock.now() - _LONG)
    for job in waiting.order_by("pk")[:5]:
        remedy = f"Start {job.node}, or see CMS_JOBS_AT_ONCE. By hand: manage.py run_job {job.pk}"
        yield risky(f"Job {job.pk} ({job.kind}) has waited since {job.asked_at:%Y-%m-%d %H:%M}.", remedy)


@examination("Audit")
def _audit() -> Iterator[Finding]:
    """Whether old entries are purged."""
    before = clock.now() - timedelta(days=settings.CMS_AUDIT_DAYS) - GRACE
    if AuditEntry.objects.filter(at__lt=before).exists():
        told = f"The audit has entries that are older than CMS_AUDIT_DAYS ({settings.CMS_AUDIT_DAYS})"
        yield risky(f"{told}.", "Let manage.py purge audit run every day.")
