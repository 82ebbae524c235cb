"""Texts within texts, and patterns of texts, letter case ignored, on SQLite.

Its own patterns take as long as text times pattern, for some texts many seconds, and cannot be interrupted meanwhile.
"""

from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.lib.statement_limit import look_at_clock
from contents.rules.like_patterns import matches, small

STARTS, ENDS, HAS, LIKE = "cms_starts_with", "cms_ends_with", "cms_has_part", "cms_like"


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


_FUNCTIONS: dict[str, Callable[[str, str], bool]] = {
    STARTS: str.startswith,
    ENDS: str.endswith,
    HAS: str.__contains__,
    LIKE: matches,
}
