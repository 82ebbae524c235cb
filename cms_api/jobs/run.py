"""A job while it is done: how far it is, and whether it shall stop."""

import logging
import threading
from collections.abc import Sequence
from typing import Any

from django.db import connection

from cms_api.jobs import folders
from cms_api.jobs.boards import Board, Progress, board_of
from cms_api.jobs.models import Job

_log = logging.getLogger(__name__)
_BEAT_SECONDS = 0.5


class Stopped(Exception):
    """Somebody has asked the job to stop."""


class Run:
    """What the work of a job is given: what was asked for, and how to tell how far it is."""

    def __init__(self, job: Job, beat: "Beat") -> None:
        self.job, self.parameters = job, job.parameters
        self.prepared: Any = None  # what the kind has prepared
        self._beat = beat

    def tell(self, step: str, done: int = 0, total: int = 0) -> None:
        """Show how far the job is; costs nothing. Raises Stopped if it shall stop: let it through."""
        self._beat.progress = Progress(step, done, total)
        if self._beat.is_to_stop:
            raise Stopped

    def will_store(self, names: Sequence[str]) -> None:
        """To be called once, with all files that are about to be stored: they go if the job comes to no good end."""
        folders.note_files(self.job.pk, names)


class Beat(threading.Thread):
    """Shows the job's progress and looks whether it shall stop, by a connection of its own."""

    def __init__(self, job_id: int) -> None:
        super().__init__(name="job-beat", daemon=True)
        self.progress, self.is_to_stop = Progress(), False
        self._job_id, self._end = job_id, threading.Event()

    def run(self) -> None:
        """Beat until the end."""
        board = board_of(self._job_id)
        try:
            self.beat(board)
            while not self._end.wait(_BEAT_SECONDS):
                self.beat(board)
        finally:
            connection.close()

    def beat(self, board: Board) -> None:
        """Show and look once; whatever is wrong with the board, the work goes on."""
        try:
            board.show(self.progress)
            self.is_to_stop = self.is_to_stop or board.is_to_stop()
        except Exception as error:  # noqa: BLE001 - see above
            _log.warning("The progress of job %d cannot be told: %s.", self._job_id, type(error).__name__)
            connection.close()

    def end(self) -> None:
        """Beat no more."""
        self._end.set()
        if self.is_alive():
            self.join()
