from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import OperationalError, connection, transaction
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from core import audit
from core.jobs import folders, running
from core.jobs.kinds import Report, in_every_language
from core.jobs.models import Job
from core.jobs.progress import progress_store_of
from core.lib import clock
from core.lib.errors import InvalidInput
from core.lib.statement_limit import without_waiting

MAX = 3  # waiting or running jobs per administrator
_WAITS = timedelta(days=1)  # until a waiting job fails
_KEPT = timedelta(days=30)  # of storage of ended jobs


def enqueue(kind: str, parameters: dict[str, Any], *, token: str, site_id: int | None = None) -> Job:
    """Order a job for the current actor, to start on commit; the form's `token` makes repeats order it once.

    Raises `InvalidInput` if MAX jobs wait or run, since each may hold a file of many megabytes.
    """
    clear_away()
    with transaction.atomic():
        # Serialises concurrent orders of one administrator; SQLite has one writer anyway.
        own = get_user_model()._default_manager.filter(pk=audit.current_actor().administrator_id or 0)
        list(own.select_for_update(no_key=True).values_list("pk"))
        job, is_new = _note(kind, parameters, token, site_id)
        if is_new:
            if Job.objects.under_way().filter(administrator_id=job.administrator_id).count() > MAX:
                message = f"The administrator already has {MAX} jobs waiting or running."
                raise InvalidInput("too_many_jobs", message, most=MAX)
            folders.prepare(job.pk)
            transaction.on_commit(running.start_waiting)
    return job


def run_now(
    kind: str, parameters: dict[str, Any], do: Callable[[], Report], *, token: str, site_id: int | None = None
) -> Job:
    """Do a short job within the request; an exception in `do` rolls back its changes and the job."""
    clear_away()
    with transaction.atomic():
        job, is_new = _note(kind, parameters, token, site_id)
        if is_new:
            job.report = do()
            job.state, job.ended_at = Job.State.DONE, clock.now()
            job.save(update_fields=["report", "state", "ended_at"])
    return job


def _note(kind: str, parameters: dict[str, Any], token: str, site_id: int | None) -> tuple[Job, bool]:
    actor = audit.current_actor()
    parameters = parameters | {"language": get_language() or settings.LANGUAGE_CODE}
    asked = {"kind": kind, "parameters": parameters, "site_id": site_id, "node": folders.node_name()}
    who = {"administrator_id": actor.administrator_id, "asked_by": actor.name, "actor": asdict(actor)}
    return Job.objects.get_or_create(token=token, defaults=asked | who)


def cancel(job: Job) -> None:
    """Prevent the job from starting, or stop it at its next step; an ended one stays unchanged."""
    has_ended = False
    if job.state != Job.State.RUNNING:
        # On SQLite, if another job is writing, this one finds the stop request when it begins.
        with suppress(OperationalError), without_waiting(connection):
            waiting = Job.objects.filter(pk=job.pk, state=Job.State.WAITING)
            has_ended = bool(waiting.update(state=Job.State.CANCELLED, ended_at=clock.now()))
    if not has_ended:
        progress_store_of(job.pk).ask_to_stop()


def clear_away() -> None:
    """End jobs that never began; remove old ended jobs, orphaned folders and unused uploads."""
    # While another job writes on SQLite, leave this to the next call.
    with suppress(OperationalError), without_waiting(connection):
        waiting = Job.objects.filter(state=Job.State.WAITING)
        for job in waiting.filter(asked_at__lt=clock.now() - _WAITS):
            report = in_every_language({"problem": _("It did not start within a day; start it again."), "place": ""})
            # It may be starting right now.
            waiting.filter(pk=job.pk).update(state=Job.State.FAILED, report=report, ended_at=clock.now())
        Job.objects.filter(ended_at__lt=clock.now() - _KEPT).delete()
    folders.remove_strangers(Job.objects.values_list("pk", flat=True))
    folders.remove_old_uploads()
