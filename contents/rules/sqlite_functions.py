"""Case-insensitive substring and pattern search on SQLite.

The time of SQLite's own LIKE grows with text times pattern, up to many seconds, and it cannot be interrupted. These
functions search for each run between two `%` as a substring, at little cost for longer runs. A run with `_` costs more,
so its search checks the clock.
"""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from core.lib.statement_limit import look_at_clock

STARTS, ENDS, HAS, LIKE = "cms_starts_with", "cms_ends_with", "cms_has_part", "cms_like"
_WINDOW = 32 * 1024  # letters between two looks at the clock; a pattern of 255 takes about 30 ms


def add_functions(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Register the functions with a SQLite connection; their second argument must be in `small` letters."""
    if connection.vendor != "sqlite":
        return
    looks = {STARTS: str.startswith, ENDS: str.endswith, HAS: str.__contains__, LIKE: matches}
    for name, look in looks.items():
        connection.connection.create_function(name, 2, partial(_look, look), deterministic=True)


def _look(look: Callable[[str, str], bool], text: str | None, part: str) -> bool | None:
    if text is None:
        return None
    look_at_clock()  # SQLite reads thousands of rows between two checks, and texts may be long
    return look(small(text), part)


def small(text: str) -> str:
    """Lower-case the text letter by letter, so that its length stays the same."""
    # str.lower turns İ into two letters, and Σ depending on its position.
    return text.replace("İ", "i").replace("Σ", "σ").lower()


def longest_run(pattern: str) -> int:
    """Length of the longest run between two `%`."""
    return max(map(len, pattern.split("%")))


def matches(text: str, pattern: str) -> bool:
    """Match a pattern, both in small letters: `%` is any text, `_` one letter. Raises TooSlow."""
    first, *rest = _read(pattern)
    if not rest:
        return len(text) == first.length and first.is_at(text, 0)
    *between, last = rest
    place, end = first.length, len(text) - last.length
    if place > end or not first.is_at(text, 0) or not last.is_at(text, end):
        return False
    # Taking the first match leaves the most text for later runs.
    for run in between:
        if (found := run.find(text, place, end)) < 0:
            return False
        place = found + run.length
    return True


class _Run:
    """A run of letters between the `%` of a pattern."""

    def __init__(self, letters: str) -> None:
        self.length = len(letters)
        self._letters = letters
        self._form = re.compile(re.escape(letters).replace("_", "."), re.DOTALL) if "_" in letters else None

    def is_at(self, text: str, place: int) -> bool:
        if self._form is None:
            return text.startswith(self._letters, place)
        return self._form.match(text, place) is not None

    def find(self, text: str, start: int, end: int) -> int:
        """The first position in the range where the run fits; -1 if none. Raises TooSlow."""
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
