"""What runs: nodes and jobs; and what should run now and then."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings

from cms_api.audit.models import AuditEntry
from cms_api.jobs.models import Job
from cms_api.lib import clock
from cms_api.operation.doctor.examinations import Finding, examination, risky, wrong
from cms_api.operation.models import Node
from cms_api.operation.restarts.nodes import SILENT_SECONDS

GRACE = timedelta(days=7)  # that what is purged may lie beyond its time
_SKEW = timedelta(seconds=5)
_LONG = timedelta(hours=1)


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
