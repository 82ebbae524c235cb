from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Protocol, Self

Value = str | int | float | Decimal | bool | datetime | None
Row = dict[str, Value]  # by casefolded column name


class SourceError(Exception):
    """Why a SiteServer database cannot be read, as a sentence."""


class Source(Protocol):
    """The tables of a SiteServer installation, in a with statement; names of tables and columns in any letter case."""

    description: str  # for people, without passwords
    fingerprint: str  # stays the same for the same installation

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def tables(self) -> list[str]:
        """Return the casefolded names of all tables."""

    def columns(self, table: str) -> list[str]:
        """Return the casefolded names of the table's columns; none if there is no such table."""

    def count(self, table: str) -> int: ...

    def highest_id(self, table: str) -> int:
        """Return the highest `Id`, 0 of an empty table."""

    def rows(self, table: str) -> Iterator[Row]:
        """Yield the rows with all columns, a few hundred in memory at a time, by `Id` if the source can sort.

        None if there is no such table. Raises SourceError.
        """
