"""What one statement may take."""

from dataclasses import dataclass

# The longest statement, in characters; looked at before the text leaves the worker.
STATEMENT_CHARACTERS = 8192


@dataclass(frozen=True)
class Limits:
    """The time of a statement, and the size of its answer."""

    seconds: float = 2.0
    rows: int = 1000
    bytes: int = 4 * 1024 * 1024  # of the rows as JSON
