"""Removes files that jobs have stored, and that no transaction takes back when they fail, are stopped or killed."""

import logging
from collections.abc import Iterator

from django.db import transaction
from django.db.models import F

from cms_api.jobs import folders
from cms_api.jobs.kinds import find
from cms_api.jobs.models import Job

_log = logging.getLogger(__name__)
_UNDONE = (Job.State.FAILED, Job.State.CANCELLED, Job.State.INTERRUPTED)


def jobs_with_files() -> Iterator[Job]:
    """The jobs of this node that came to no good end and may have left files."""
    for job in Job.objects.filter(state__in=_UNDONE, node=folders.node_name()).order_by("pk"):
        if folders.files_note(job.pk).exists():
            yield job


def remove_left_files() -> None:
    """Remove the files of all of them."""
    for job in jobs_with_files():
        remove_files(job)


def remove_files(job: Job) -> None:
    """Remove the files of a job that came to no good end; what cannot be removed now is tried again later."""
    try:
        with folders.locked(folders.lock_of(job.pk)) as is_over, transaction.atomic():
            if is_over and _hold(job):
                _remove(job)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with a storage, other jobs have to go on
        _log.warning("Files of job %d cannot be removed at present: %s.", job.pk, type(error).__name__)


def _hold(job: Job) -> bool:
    # It writes, so that on SQLite no other import is open, which may have been given the number of the same site.
    return bool(Job.objects.filter(pk=job.pk, state__in=_UNDONE).update(state=F("state")))


def _remove(job: Job) -> None:
    kind, names = find(job.kind), folders.noted_files(job.pk)
    if kind is not None and kind.remove_files is not None:
        kind.remove_files(names)
    folders.files_note(job.pk).unlink(missing_ok=True)
