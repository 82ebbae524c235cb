"""Texts within texts, letter case ignored, on SQLite.

Its own patterns take as long as text times pattern, for some texts many seconds, and cannot be interrupted meanwhile.
"""

from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

STARTS, ENDS, HAS = "cms_starts_with", "cms_ends_with", "cms_has_part"


def add_functions(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Give a new connection to SQLite the functions: of a text, and of the part in small letters."""
    if connection.vendor == "sqlite":
        for name, look in _FUNCTIONS.items():
            connection.connection.create_function(name, 2, _of_present(look), deterministic=True)


def _of_present(look: Callable[[str, str], bool]) -> Callable[[str | None, str], bool | None]:
    return lambda text, part: None if text is None else look(text.lower(), part)


_FUNCTIONS: dict[str, Callable[[str, str], bool]] = {
    STARTS: str.startswith,
    ENDS: str.endswith,
    HAS: str.__contains__,
}
