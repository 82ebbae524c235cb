"""Progress and stop requests of a running job, visible to other processes during its one long transaction."""

import json
import logging
import os
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.db import connection

from core.jobs import folders
from core.jobs.models import Job
from core.lib import clock

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Progress:
    """The current step and its progress; a total of 0 is unknown."""

    step: str = ""
    done: int = 0
    total: int = 0


class FileProgressStore:
    """Progress in files of the job's folder: on SQLite one process writes at a time, and there is one node."""

    def __init__(self, folder: Path) -> None:
        self._progress, self._stop = folder / "progress.json", folder / "stop"

    def show(self, progress: Progress) -> None:
        """Write the progress atomically: readers find the old file or the new one."""
        new = self._progress.with_suffix(".new")
        new.write_text(json.dumps(asdict(progress)), encoding="utf-8")
        os.replace(new, self._progress)

    def read(self) -> Progress:
        try:
            return Progress(**json.loads(self._progress.read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return Progress()

    def ask_to_stop(self) -> None:
        self._stop.touch()

    def is_to_stop(self) -> bool:
        return self._stop.exists()


class RowProgressStore:
    """Progress in the job's row, for all nodes; writers need their own thread and connection."""

    def __init__(self, job_id: int) -> None:
        self._row = Job.objects.filter(pk=job_id)

    def show(self, progress: Progress) -> None:
        self._row.update(**asdict(progress), seen_at=clock.steady())

    def read(self) -> Progress:
        return Progress(*(self._row.values_list("step", "done", "total").first() or ()))

    def ask_to_stop(self) -> None:
        self._row.update(is_to_stop=True)

    def is_to_stop(self) -> bool:
        return self._row.filter(is_to_stop=True).exists()


def progress_store_of(job_id: int) -> FileProgressStore | RowProgressStore:
    return FileProgressStore(folders.folder_of(job_id)) if connection.vendor == "sqlite" else RowProgressStore(job_id)


class Heartbeat(threading.Thread):
    def __init__(self, job_id: int) -> None:
        super().__init__(name="job-beat", daemon=True)
        self.progress, self.is_to_stop = Progress(), False
        self._job_id, self._end = job_id, threading.Event()

    def run(self) -> None:
        board = progress_store_of(self._job_id)
        is_over = False
        while not is_over:
            try:
                board.show(self.progress)
                self.is_to_stop = self.is_to_stop or board.is_to_stop()
            except Exception as error:  # noqa: BLE001 - the work continues despite any failure of the board
                _log.warning("The progress of job %d cannot be reported: %s.", self._job_id, type(error).__name__)
                connection.close()
            is_over = self._end.wait(0.5)
        connection.close()

    def end(self) -> None:
        self._end.set()
        if self.is_alive():
            self.join()


class Stopped(Exception):
    """Someone has requested the job to stop."""


class Run:
    """The input of a job's work, and its means to report progress."""

    def __init__(self, job: Job, beat: Heartbeat) -> None:
        self.job, self.parameters = job, job.parameters
        self.prepared: Any = None  # result of the kind's `prepare`
        self._beat = beat

    def tell(self, step: str, done: int = 0, total: int = 0) -> None:
        """Report progress; cheap. Raises `Stopped` if the job must stop: do not catch it."""
        self._beat.progress = Progress(step, done, total)
        if self._beat.is_to_stop:
            raise Stopped

    def will_store(self, names: Sequence[str]) -> None:
        """Record, once, all files that are about to be stored; they are removed if the job fails."""
        folders.record_files(self.job.pk, names)
