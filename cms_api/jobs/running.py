"""Does a job: in the process that `manage.py run_job` is."""

import logging
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from cms_api import audit
from cms_api.jobs import folders, starting, undoing
from cms_api.jobs.boards import board_of
from cms_api.jobs.kinds import JobFailed, Kind, find
from cms_api.jobs.models import Job
from cms_api.jobs.run import Beat, Run, Stopped
from cms_api.jobs.words import in_every_language
from cms_api.lib import clock
from cms_api.lib.key_filter import hide_keys

_log = logging.getLogger(__name__)
_SLOT_SECONDS, _SLOT_PAUSE = 1.0, 0.05  # how long a place is waited for, and between two tries


def run(job_id: int) -> bool:
    """Do the job if it waits and the node has a place for it; whether it was done, or at least begun."""
    with _slot() as has_slot:
        if not has_slot or not folders.folder_of(job_id).is_dir():
            return False
        # Before this one makes a site: on SQLite it may be given the number of one that a killed job was making.
        starting.note_interrupted()
        undoing.remove_left_files()
        if not _do_if_waiting(job_id):
            return False
        undoing.remove_left_files()
    return True


def _do_if_waiting(job_id: int) -> bool:
    with folders.locked(folders.lock_of(job_id)) as is_ours:
        if not is_ours or not _claim(job_id):
            return False
        _do(Job.objects.get(pk=job_id))
    return True


@contextmanager
def _slot() -> Iterator[bool]:
    # Whoever looks whether a place is free holds it for that moment (`starting.start_waiting`): tried more than once.
    end = time.monotonic() + _SLOT_SECONDS
    with ExitStack() as held:
        while not (has_slot := any(held.enter_context(folders.locked(path)) for path in folders.slots())):
            held.close()
            if time.monotonic() > end:
                break
            time.sleep(_SLOT_PAUSE)
        yield has_slot


def _claim(job_id: int) -> bool:
    begun = {"state": Job.State.RUNNING, "began_at": clock.now(), "seen_at": clock.now()}
    return bool(Job.objects.filter(pk=job_id, state=Job.State.WAITING).update(**begun))


def _do(job: Job) -> None:
    beat = Beat(job.pk)
    beat.start()
    try:
        # Names of files, and what is told of single rows, are for who has asked.
        with translation.override(job.parameters.get("language", settings.LANGUAGE_CODE)):
            state, report = _outcome(job, beat)
    finally:
        beat.end()
    if state is not Job.State.DONE:
        _store(job, state, report)


def _outcome(job: Job, beat: Beat) -> tuple[Job.State, dict[str, Any]]:
    try:
        if board_of(job.pk).is_to_stop():
            raise Stopped
        kind, work = _open_kind(job), Run(job, beat)
        # What the job does and that it is done are stored together: a process killed at the last moment has done both
        # or neither.
        with audit.acting_as(audit.Actor(**job.actor)):
            if kind.prepare is not None:
                work.prepared = kind.prepare(work)
            with transaction.atomic():
                report = kind.do(work)
                beat.end()  # it writes the same row
                _store(job, Job.State.DONE, report)
    except Stopped:
        return Job.State.CANCELLED, {}
    except JobFailed as failure:
        return Job.State.FAILED, in_every_language({"problem": failure.reason, "place": failure.place})
    except Exception as error:  # noqa: BLE001 - whatever the work does, its job has to end
        _log.exception("Job %d has failed", job.pk)
        return Job.State.FAILED, {"fault": hide_keys(type(error).__name__)}
    return Job.State.DONE, report


def _open_kind(job: Job) -> Kind:
    kind = find(job.kind)
    administrator = get_user_model().objects.filter(pk=job.administrator_id or 0).first()
    if kind is None:
        raise JobFailed(_("This version of the service does not know what was asked for."))
    # Since it was asked for, the administrator may have been locked, deleted or given another rank.
    if administrator is None or not administrator.is_active or not kind.is_open_to(administrator):
        raise JobFailed(_("Who asked for it may not have it done any more."))
    return kind


def _store(job: Job, state: Job.State, report: dict[str, Any]) -> None:
    job.state, job.report, job.ended_at = state, report, clock.now()
    job.save(update_fields=["state", "report", "ended_at"])
