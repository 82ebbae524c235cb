"""Asks for a job, and for its end before it is done."""

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

from cms_api import audit
from cms_api.jobs import folders, starting
from cms_api.jobs.boards import board_of
from cms_api.jobs.kinds import Report
from cms_api.jobs.models import Job
from cms_api.jobs.words import in_every_language
from cms_api.lib import clock
from cms_api.lib.errors import InvalidInput
from cms_api.lib.statement_limit import without_waiting

MOST = 3  # jobs of one administrator that wait or run
_WAITS = timedelta(days=1)  # for its turn; who asked has given it up by then
_KEPT = timedelta(days=30)  # jobs that have ended


def ask(kind: str, parameters: dict[str, Any], *, token: str, site_id: int | None = None) -> Job:
    """The job that is asked for now on behalf of who acts; it begins as soon as the present transaction is stored.

    `token` is made for the form that asks: sent twice, it asks for one job. Raises InvalidInput while MOST jobs of the
    same administrator wait or run: each may keep a file of many megabytes.
    """
    clear_away()
    with transaction.atomic():
        # Forms that one administrator sends at the same moment ask one after the other; SQLite has one writer.
        own = get_user_model()._default_manager.filter(pk=audit.current_actor().administrator_id or 0)
        list(own.select_for_update(no_key=True).values_list("pk"))
        job, is_new = _note(kind, parameters, token, site_id)
        if is_new:
            if Job.objects.under_way().filter(administrator_id=job.administrator_id).count() > MOST:
                message = f"{MOST} jobs of the administrator wait or run already."
                raise InvalidInput("too_many_jobs", message, most=MOST)
            folders.prepare(job.pk)
            transaction.on_commit(starting.start_waiting)
    return job


def do_now(
    kind: str, parameters: dict[str, Any], do: Callable[[], Report], *, token: str, site_id: int | None = None
) -> Job:
    """The job, done within the request because it is short: with the same page and the same place in the list.

    What `do` raises leaves neither what it has done nor a job.
    """
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


def clear_away() -> None:
    """End jobs that did not begin, remove those that ended long ago, folders of none, and uploads that nobody used."""
    # While another job writes on SQLite this has to wait, for the next time somebody asks.
    with suppress(OperationalError), without_waiting(connection):
        _end_unbegun()
        Job.objects.filter(ended_at__lt=clock.now() - _KEPT).delete()
    folders.remove_strangers(Job.objects.values_list("pk", flat=True))
    folders.remove_old_uploads()


def _end_unbegun() -> None:
    waiting = Job.objects.filter(state=Job.State.WAITING)
    for job in waiting.filter(asked_at__lt=clock.now() - _WAITS):
        report = in_every_language({"problem": _("It did not begin within a day; ask for it again."), "place": ""})
        # It may begin at this very moment.
        waiting.filter(pk=job.pk).update(state=Job.State.FAILED, report=report, ended_at=clock.now())
