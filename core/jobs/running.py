import logging
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import OperationalError, connection, transaction
from django.db.models import F
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from core import audit
from core.jobs import folders
from core.jobs.kinds import JobFailed, find, in_every_language
from core.jobs.models import Job
from core.jobs.progress import Heartbeat, Run, Stopped, progress_store_of
from core.lib import clock
from core.lib.key_filter import hide_keys
from core.lib.statement_limit import without_waiting

_log = logging.getLogger(__name__)
_SILENT = timedelta(seconds=60)  # until a silent job of another node counts as dead
_STARTING_SECONDS = 20  # for a process to take up its job before another one is started
_REMOVING_SECONDS = 600  # between two processes that try to remove files of a job
_SLOT_SECONDS, _SLOT_PAUSE = 1.0, 0.05  # maximum wait for a slot, and pause between two tries
# Jobs seen by clocks ahead of this one: the time, and when it was first read (monotonic).
_ahead: dict[int, tuple[datetime, float]] = {}
_UNDONE = (Job.State.FAILED, Job.State.CANCELLED, Job.State.INTERRUPTED)


def start_waiting() -> None:
    """Start waiting jobs of this node up to the limit; safe to call repeatedly."""
    mark_interrupted()
    free = sum(map(folders.is_free, folders.slots()))
    if not free:
        return
    waiting = Job.objects.filter(state=Job.State.WAITING, node=folders.node_name()).order_by("pk")
    numbers = list(waiting.values_list("pk", flat=True)[:free])
    for job_id in numbers:
        _start(job_id, "started", _STARTING_SECONDS)
    # If no job waits, start a process that only removes leftover files, as each process does before its job.
    if not numbers and (job := next(_jobs_with_files(), None)):
        _start(job.pk, "removing", _REMOVING_SECONDS)


def mark_interrupted() -> None:
    running = Job.objects.filter(state=Job.State.RUNNING)
    # A job stores its end before it releases its lock: an unlocked job still marked as running was killed.
    dead = [job.pk for job in running if not _lives(job)]
    # While another job writes on SQLite, leave this to the next call.
    with suppress(OperationalError), without_waiting(connection):
        if dead:
            running.filter(pk__in=dead).update(state=Job.State.INTERRUPTED, ended_at=clock.now())


def _lives(job: Job) -> bool:
    if job.node != folders.node_name():
        return job.seen_at is not None and _is_moving(job.pk, job.seen_at)
    return folders.folder_of(job.pk).is_dir() and not folders.is_free(folders.lock_of(job.pk))


def _is_moving(job_id: int, seen_at: datetime) -> bool:
    """Return true if the job was seen lately, or, by a clock that is ahead of this one, is seen again and again."""
    if seen_at <= clock.steady(_SILENT):
        _ahead.pop(job_id, None)
        return seen_at > clock.steady(-_SILENT)
    last, since = _ahead.get(job_id, (None, 0.0))
    if last != seen_at:
        _ahead[job_id] = seen_at, time.monotonic()
        return True
    return time.monotonic() - since < _SILENT.total_seconds()


def _start(job_id: int, mark_name: str, pause: float) -> None:
    folder = folders.folder_of(job_id)
    mark = folder / mark_name
    folder.mkdir(mode=0o700, exist_ok=True)
    if mark.exists() and time.time() - mark.stat().st_mtime < pause:
        return
    mark.touch()
    with (folder / "log").open("ab") as log:
        # In its own session with nothing inherited from the server: it survives a restart or end of the server.
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, str(settings.BASE_DIR / "manage.py"), "run_job", str(job_id)],
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    # Reaps the process.
    threading.Thread(target=process.wait, name=f"job-{job_id}", daemon=True).start()


def run(job_id: int) -> bool:
    """Do the job if it is waiting and the node has a free slot; return true if it was begun."""
    with _slot() as has_slot:
        if not has_slot or not folders.folder_of(job_id).is_dir():
            return False
        # First, since on SQLite a new site may get the id of one that a killed job was creating.
        mark_interrupted()
        remove_left_files()
        with folders.locked(folders.lock_of(job_id)) as is_ours:
            begun = {"state": Job.State.RUNNING, "began_at": clock.now(), "seen_at": clock.steady()}
            if not is_ours or not Job.objects.filter(pk=job_id, state=Job.State.WAITING).update(**begun):
                return False
            _do(Job.objects.get(pk=job_id))
        remove_left_files()
    return True


@contextmanager
def _slot() -> Iterator[bool]:
    # Retried, since `start_waiting` holds a free slot for a moment while checking it.
    end = time.monotonic() + _SLOT_SECONDS
    with ExitStack() as held:
        while not (has_slot := any(held.enter_context(folders.locked(path)) for path in folders.slots())):
            held.close()
            if time.monotonic() > end:
                break
            time.sleep(_SLOT_PAUSE)
        yield has_slot


def _do(job: Job) -> None:
    beat = Heartbeat(job.pk)
    beat.start()
    try:
        # File names and messages about rows are in the language of the administrator.
        with translation.override(job.parameters.get("language", settings.LANGUAGE_CODE)):
            state, report = _outcome(job, beat)
    finally:
        beat.end()
    if state is not Job.State.DONE:
        _store(job, state, report)


def _outcome(job: Job, beat: Heartbeat) -> tuple[Job.State, dict[str, Any]]:
    try:
        if progress_store_of(job.pk).is_to_stop():
            raise Stopped
        kind, work = find(job.kind), Run(job, beat)
        administrator = get_user_model().objects.filter(pk=job.administrator_id or 0).first()
        if kind is None:
            raise JobFailed(_("This version of the service does not know this kind of job."))
        # The administrator may have been locked, deleted or demoted since ordering it.
        if administrator is None or not administrator.is_active or not kind.is_open_to(administrator):
            raise JobFailed(_("The administrator who ordered it no longer has the right."))
        # The work and its end are committed together, so that a killed process has done both or neither.
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
    except Exception as error:  # noqa: BLE001 - the job must end after any failure of the work
        _log.exception("Job %d failed", job.pk)
        return Job.State.FAILED, {"fault": hide_keys(type(error).__name__)}
    return Job.State.DONE, report


def _store(job: Job, state: Job.State, report: dict[str, Any]) -> None:
    job.state, job.report, job.ended_at = state, report, clock.now()
    job.save(update_fields=["state", "report", "ended_at"])


def _jobs_with_files() -> Iterator[Job]:
    for job in Job.objects.filter(state__in=_UNDONE, node=folders.node_name()).order_by("pk"):
        if folders.files_note(job.pk).exists():
            yield job


def remove_left_files() -> None:
    """Remove the files of this node's failed jobs; failures are retried later."""
    for job in _jobs_with_files():
        try:
            with folders.locked(folders.lock_of(job.pk)) as is_over, transaction.atomic():
                # A write, so that on SQLite no other import is open, which may have the id of the same site.
                if is_over and Job.objects.filter(pk=job.pk, state__in=_UNDONE).update(state=F("state")):
                    kind, names = find(job.kind), folders.recorded_files(job.pk)
                    if kind is not None and kind.remove_files is not None:
                        kind.remove_files(names)
                    folders.files_note(job.pk).unlink(missing_ok=True)
        except Exception as error:  # noqa: BLE001 - other jobs continue despite any failure of a storage
            _log.warning("Files of job %d cannot be removed at present: %s.", job.pk, type(error).__name__)
