"""Questions that may never be answered: asked in a thread, and waited for no longer than there is time."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
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
        self._asked: Future[tuple[AnswerT, float]] | None = None
        self._begun = 0.0

    def begin(self) -> None:
        """Ask, and do not wait."""
        if self._asked is None or self._asked.done():
            self._asked, self._begun = Future(), monotonic()
            arguments = (self._question, self._asked, self._begun)
            threading.Thread(target=_ask, args=arguments, name=self._name, daemon=True).start()

    def answer(self, deadline: float) -> tuple[AnswerT, float]:
        """The answer and the seconds that it took. Raises NoAnswer at the deadline (monotonic), or what was raised."""
        asked = self._asked
        # Not by `result`, whose TimeoutError may be the question's own.
        if asked is None or not wait([asked], max(0.0, deadline - monotonic())).done:
            raise NoAnswer(monotonic() - (self._begun if asked else deadline))
        return asked.result()


def _ask(question: Callable[[], AnswerT], asked: "Future[tuple[AnswerT, float]]", begun: float) -> None:
    try:
        try:
            answer, seconds = question(), monotonic() - begun
        finally:
            connections.close_all()  # of this thread
    except BaseException as error:  # noqa: BLE001 - it is raised where the answer is waited for
        asked.set_exception(error)
    else:
        asked.set_result((answer, seconds))
