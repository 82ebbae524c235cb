"""Patterns of Like on SQLite, letter case ignored.

Its own take as long as text times pattern, for some texts many seconds, and cannot be interrupted meanwhile. Here what
stands between two `%` is looked for as a part of the text, which takes hardly longer for a longer one. With a `_` in it
that is no longer so, and the clock is looked at.
"""

import re
from functools import lru_cache

from cms_api.lib.statement_limit import look_at_clock

_WINDOW = 32 * 1024  # letters between two looks at the clock, which a pattern of 255 goes through in some 30 ms


def small(text: str) -> str:
    """The text in small letters, one for each of its letters, whatever stands around them."""
    # str.lower makes two letters of the first, and of the second one that depends on its place.
    return text.replace("İ", "i").replace("Σ", "σ").lower()


def longest_run(pattern: str) -> int:
    """Letters of the longest text between two `%`."""
    return max(map(len, pattern.split("%")))


def matches(text: str, pattern: str) -> bool:
    """Whether the text has the form of the pattern, both in small letters: `%` is any text, `_` one letter.

    Raises TooSlow.
    """
    first, *rest = _read(pattern)
    if not rest:
        return len(text) == first.length and first.is_at(text, 0)
    *between, last = rest
    place, end = first.length, len(text) - last.length
    if place > end or not first.is_at(text, 0) or not last.is_at(text, end):
        return False
    # Where one is found first, most is left for those behind it.
    for run in between:
        if (found := run.find(text, place, end)) < 0:
            return False
        place = found + run.length
    return True


class _Run:
    """What stands before, between or behind the `%` of a pattern."""

    def __init__(self, letters: str) -> None:
        self.length = len(letters)
        self._letters = letters
        self._form = re.compile(re.escape(letters).replace("_", "."), re.DOTALL) if "_" in letters else None

    def is_at(self, text: str, place: int) -> bool:
        """Whether it stands at this place of the text."""
        if self._form is None:
            return text.startswith(self._letters, place)
        return self._form.match(text, place) is not None

    def find(self, text: str, start: int, end: int) -> int:
        """The first place between these two at which it stands as a whole; -1 if there is none. Raises TooSlow."""
        if self._form is None:
            return text.find(self._letters, start, end)
        for begin in range(start, end, _WINDOW):
            look_at_clock()
            if found := self._form.search(text, begin, min(end, begin + _WINDOW + self.length - 1)):
                return found.start()
        return -1


@lru_cache(maxsize=256)
def _read(pattern: str) -> list[_Run]:
    return [_Run(letters) for letters in pattern.split("%")]
