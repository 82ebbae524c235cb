"""How far a job is, and whether it shall stop: what processes tell each other while one long transaction is open.

On SQLite nobody else can write then, so this stands in files; there is one node only. On PostgreSQL it stands in the
row of the job, written by a connection of its own, so that all nodes read it.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

from django.db import connection

from cms_api.jobs.folders import folder_of
from cms_api.jobs.models import Job
from cms_api.lib import clock


@dataclass(frozen=True, slots=True)
class Progress:
    """What a job does at present, and how much of it is done; a total of 0 is not known."""

    step: str = ""
    done: int = 0
    total: int = 0


class Board(Protocol):
    """One job's progress, and the wish to stop it."""

    def show(self, progress: Progress) -> None:
        """Tell how far the job is."""

    def read(self) -> Progress:
        """How far the job is."""

    def ask_to_stop(self) -> None:
        """Tell the job to stop."""

    def is_to_stop(self) -> bool:
        """Whether the job was told to stop."""


class FileBoard:
    """In the folder of the job."""

    def __init__(self, folder: Path) -> None:
        self._progress, self._stop = folder / "progress.json", folder / "stop"

    def show(self, progress: Progress) -> None:
        """Tell how far the job is: a reader finds the old file or the new one."""
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


class RowBoard:
    """In the row of the job; whoever shows progress does so in a thread, and by a connection, of its own."""

    def __init__(self, job_id: int) -> None:
        self._row = Job.objects.filter(pk=job_id)

    def show(self, progress: Progress) -> None:
        """Tell how far the job is, and that it lives."""
        self._row.update(**asdict(progress), seen_at=clock.now())

    def read(self) -> Progress:
        return Progress(*(self._row.values_list("step", "done", "total").first() or ()))

    def ask_to_stop(self) -> None:
        self._row.update(is_to_stop=True)

    def is_to_stop(self) -> bool:
        return self._row.filter(is_to_stop=True).exists()


def board_of(job_id: int) -> Board:
    """The board of a job, as the database allows it."""
    return FileBoard(folder_of(job_id)) if connection.vendor == "sqlite" else RowBoard(job_id)
