"""Texts within texts, and patterns of texts, letter case ignored, on SQLite.

SQLite's own LIKE takes as long as text times pattern, for some texts many seconds, and cannot be interrupted. Here each
run between two `%` is searched for as a substring, which takes hardly longer for a longer run. A run with a `_` does,
so its search looks at the clock.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.lib.statement_limit import look_at_clock

STARTS, ENDS, HAS, LIKE = "cms_starts_with", "cms_ends_with", "cms_has_part", "cms_like"
_WINDOW = 32 * 1024  # letters between two looks at the clock, which a pattern of 255 goes through in some 30 ms


def add_functions(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Give a new connection to SQLite the functions: of a text, and of the part or pattern in small letters."""
    if connection.vendor == "sqlite":
        for name, look in _FUNCTIONS.items():
            connection.connection.create_function(name, 2, _of_present(look), deterministic=True)


def _of_present(look: Callable[[str, str], bool]) -> Callable[[str | None, str], bool | None]:
    def looked(text: str | None, part: str) -> bool | None:
        if text is None:
            return None
        look_at_clock()  # SQLite has thousands of rows between two looks, and some of these texts are long
        return look(small(text), part)

    return looked


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


_FUNCTIONS: dict[str, Callable[[str, str], bool]] = {
    STARTS: str.startswith,
    ENDS: str.endswith,
    HAS: str.__contains__,
    LIKE: matches,
}
