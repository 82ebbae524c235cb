"""Questions that may never be answered: asked in a thread, and waited for no longer than there is time."""

import threading
from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

from django.db import connections

AnswerT = TypeVar("AnswerT")


class NoAnswer(Exception):
    """There is no answer yet; `seconds` is how long it has been waited for."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"No answer for {seconds:.1f} seconds.")
        self.seconds = seconds


class Bounded(Generic[AnswerT]):
    """One question, asked by one thread at a time: a database that hangs holds one thread, however often it is asked.

    `begin` asks, unless an earlier question is still open; `answer` waits. One caller at a time.
    """

    def __init__(self, name: str, question: Callable[[], AnswerT]) -> None:
        self._name, self._question = name, question
        self._asked: _Asked[AnswerT] | None = None

    def begin(self) -> None:
        """Ask, and do not wait."""
        if self._asked is None or self._asked.has_ended.is_set():
            self._asked = _Asked(self._question)
            threading.Thread(target=self._asked.run, name=self._name, daemon=True).start()

    def answer(self, deadline: float) -> tuple[AnswerT, float]:
        """The answer and the seconds that it took. Raises NoAnswer at the deadline (monotonic), or what was raised."""
        asked = self._asked
        if asked is None or not asked.has_ended.wait(max(0.0, deadline - monotonic())):
            raise NoAnswer(monotonic() - (asked.begun if asked else deadline))
        if asked.error is not None:
            raise asked.error
        return asked.answers[0], asked.seconds


class _Asked(Generic[AnswerT]):
    """One asking, which outlives whoever waits for it."""

    def __init__(self, question: Callable[[], AnswerT]) -> None:
        self._question = question
        self.has_ended, self.begun, self.seconds = threading.Event(), monotonic(), 0.0
        self.answers: list[AnswerT] = []
        self.error: Exception | None = None

    def run(self) -> None:
        """Ask; what comes of it is kept."""
        try:
            self.answers.append(self._question())
        except Exception as error:  # noqa: BLE001 - it is raised where the answer is waited for
            self.error = error
        finally:
            self.seconds = monotonic() - self.begun
            try:
                connections.close_all()  # of this thread
            finally:
                self.has_ended.set()
