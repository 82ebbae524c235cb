"""Starts the processes of jobs, and sees which have ended without a word."""

import subprocess
import sys
import threading
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import OperationalError, connection

from cms_api.jobs import folders, undoing
from cms_api.jobs.models import Job
from cms_api.lib import clock
from cms_api.lib.statement_limit import without_waiting

_SILENT = timedelta(seconds=60)  # a job of another node that has not been seen for so long is over
_STARTING_SECONDS = 20  # what a process has to take up its job, until another one is started
_REMOVING_SECONDS = 600  # between two processes that try to remove files of a job


def start_waiting() -> None:
    """Start what waits on this node, as much as may run at once; called again and again, it does no more than that."""
    note_interrupted()
    free = sum(_is_free(slot) for slot in folders.slots())
    if not free:
        return
    waiting = Job.objects.filter(state=Job.State.WAITING, node=folders.node_name()).order_by("pk")
    numbers = list(waiting.values_list("pk", flat=True)[:free])
    for job_id in numbers:
        _start(job_id, "started", _STARTING_SECONDS)
    # A process that finds nothing to do removes what others have left, as each one does before its job.
    for job in undoing.jobs_with_files() if not numbers else ():
        _start(job.pk, "removing", _REMOVING_SECONDS)
        break


def note_interrupted() -> None:
    """Note the jobs whose process was killed, or went down with its machine."""
    running = Job.objects.filter(state=Job.State.RUNNING)
    # A job that ends stores that before it lets go of its lock: what is unlocked and still runs here has been killed.
    dead = [job.pk for job in running if not lives(job)]
    # While another job writes on SQLite this has to wait, for the next time somebody looks.
    with suppress(OperationalError), without_waiting(connection):
        if dead:
            running.filter(pk__in=dead).update(state=Job.State.INTERRUPTED, ended_at=clock.now())


def lives(job: Job) -> bool:
    """Whether a job that runs, by its row, has a process."""
    if job.node != folders.node_name():
        return job.seen_at is not None and clock.now() - job.seen_at < _SILENT
    return folders.folder_of(job.pk).is_dir() and not _is_free(folders.lock_of(job.pk))


def _is_free(path: Path) -> bool:
    with folders.locked(path) as is_free:
        return is_free


def _start(job_id: int, mark_name: str, pause: float) -> None:
    folder = folders.folder_of(job_id)
    mark = folder / mark_name
    folder.mkdir(mode=0o700, exist_ok=True)
    if mark.exists() and time.time() - mark.stat().st_mtime < pause:
        return
    mark.touch()
    with (folder / "log").open("ab") as log:
        # Of a session of its own, and without anything of the server's: it goes on when the server restarts or ends.
        process = subprocess.Popen(  # noqa: S603 - our own
            [sys.executable, str(settings.BASE_DIR / "manage.py"), "run_job", str(job_id)],
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    # Somebody has to take note of its end.
    threading.Thread(target=process.wait, name=f"job-{job_id}", daemon=True).start()
