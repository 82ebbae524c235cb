"""Asks for a job, and for its end before it is done."""

from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.utils.translation import get_language

from cms_api import audit
from cms_api.jobs import folders, starting
from cms_api.jobs.boards import board_of
from cms_api.lib import clock
from cms_api.lib.statement_limit import without_waiting
from cms_api.models import Job


def ask(kind: str, parameters: dict[str, Any], *, token: str, site_id: int | None = None) -> Job:
    """The job that is asked for now on behalf of who acts; it begins as soon as the present transaction is stored.

    `token` is made for the form that asks: sent twice, it asks for one job.
    """
    actor = audit.current_actor()
    with transaction.atomic():
        parameters = parameters | {"language": get_language() or settings.LANGUAGE_CODE}
        asked = {"kind": kind, "parameters": parameters, "site_id": site_id, "node": folders.node_name()}
        who = {"administrator_id": actor.administrator_id, "asked_by": actor.name, "actor": asdict(actor)}
        job, is_new = Job.objects.get_or_create(token=token, defaults=asked | who)
        if is_new:
            folders.prepare(job.pk)
            transaction.on_commit(starting.start_waiting)
    return job


def cancel(job: Job) -> None:
    """Have the job not begin, or stop at its next step; one that has ended stays as it is."""
    if job.state == Job.State.RUNNING or not _end_waiting(job):
        board_of(job.pk).ask_to_stop()


def _end_waiting(job: Job) -> bool:
    ended = {"state": Job.State.CANCELLED, "ended_at": clock.now()}
    try:
        with without_waiting(connection):
            return bool(Job.objects.filter(pk=job.pk, state=Job.State.WAITING).update(**ended))
    except OperationalError:  # another job writes, on SQLite; this one finds the wish to stop when it begins
        return False
