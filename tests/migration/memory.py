"""A SiteServer database in memory."""

from collections.abc import Iterator
from typing import Any, Self

from migration.sources.source import Row


class MemorySource:
    """The rows by table; names of tables and columns in any letter case."""

    description = "memory"
    fingerprint = "memory"

    def __init__(self, tables: dict[str, list[dict[str, Any]]]) -> None:
        self._tables = {
            name.casefold(): [{column.casefold(): value for column, value in row.items()} for row in rows]
            for name, rows in tables.items()
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None: ...

    def tables(self) -> list[str]:
        return list(self._tables)

    def columns(self, table: str) -> list[str]:
        return list(dict.fromkeys(column for row in self._of(table) for column in row))

    def count(self, table: str) -> int:
        return len(self._of(table))

    def highest_id(self, table: str) -> int:
        return max((row["id"] for row in self._of(table)), default=0)

    def rows(self, table: str) -> Iterator[Row]:
        yield from sorted((dict(row) for row in self._of(table)), key=lambda row: row.get("id") or 0)

    def _of(self, table: str) -> list[Row]:
        return self._tables.get(table.casefold(), [])
