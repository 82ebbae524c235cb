"""Defines the entries of the apps' lists of error codes."""

from typing import NamedTuple


class ErrorCode(NamedTuple):
    """An error code with its HTTP statuses, meaning and remedy."""

    word: str
    statuses: tuple[int, ...]
    meaning: str
    remedy: str
