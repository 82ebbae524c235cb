"""The shape in which apps list their error codes."""

from typing import NamedTuple


class ErrorCode(NamedTuple):
    """One word."""

    word: str
    statuses: tuple[int, ...]
    meaning: str
    remedy: str
