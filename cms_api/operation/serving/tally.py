"""Counts what happens too often for a line of the log each time."""

from collections.abc import Callable
from typing import Any

_SECONDS = 10  # between two lines


class Tally:
    """Tells the log once in a while how often it has happened. `sentence` has a place for the number; `note` counts."""

    def __init__(self, log: Any, sentence: str, note: Callable[[], None]) -> None:
        self._log, self._sentence, self._note = log, sentence, note
        self._number, self._next = 0, 0.0

    def add(self) -> None:
        """It has happened."""
        self._number += 1
        self._note()

    def tell(self, now: float) -> None:
        """Write the line, if there is something to tell and the last one is old enough (monotonic)."""
        if self._number and now >= self._next:
            self._log.warning(self._sentence, self._number)
            self._number, self._next = 0, now + _SECONDS
