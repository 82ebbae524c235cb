"""What SQLite may do for a statement: its authorizer, asked for every table, column and function at preparing."""

import re
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from cms_api.lib.sql_sandbox.catalogue import Column, View

# SQLite's own functions that compiled statements call. None of them makes a long value out of short ones, as
# printf, zeroblob, hex and group_concat do, reads the system or loads anything.
BUILT_IN_FUNCTIONS = frozenset({
    "abs", "avg", "coalesce", "count", "dense_rank", "first_value", "instr", "lag", "last_value", "lead", "length",
    "like", "ltrim", "max", "min", "ntile", "nullif", "random", "rank", "replace", "row_number", "rtrim", "strftime",
    "substr", "sum", "trim",
})  # fmt: skip

# Common table expressions are asked for like tables, without a column. Compiled statements number them.
_GENERATED_NAME = re.compile(r"[a-z][0-9]{1,4}")


@dataclass(frozen=True)
class Relation:
    """A view of the statement, as it is laid over the database.

    The rows are in a view of their own below the one that the statement names. Its name is drawn for each
    statement: SQLite tells who reads a column by name only, and a common table expression of the statement
    could bear the name of the upper one.

    Where the sites are limited and long texts are read, a third view below it has the rows without them.
    """

    name: str
    rows_name: str
    view: View
    site_ids: tuple[int, ...] | None

    @property
    def late_columns(self) -> tuple[Column, ...]:
        """The long texts that are read by the number of their row, behind the limit to sites."""
        if self.site_ids is None or self.view.table.key is None:
            return ()
        return tuple(column for column in self.view.columns if column.is_long)

    @property
    def narrow_name(self) -> str:
        """The name of the view without long texts."""
        return f"{self.rows_name}_narrow"

    @property
    def reads(self) -> set[tuple[str, str]]:
        """The (table, column) pairs that the rows are made of."""
        table = self.view.table
        pairs = {(table.source, column.source) for column in self.view.columns if column.source}
        pairs.update(*(column.reads for column in self.view.columns), table.reads)
        keys = {table.site} if table.site else set()
        keys |= {table.key.source} if table.key else set()
        return pairs | {(table.source, column) for column in keys}


class SQLiteGuard:
    """An authorizer that allows one SELECT over the relations given, and remembers what it denied first.

    `functions` are further ones for all, `catalogue_functions` for the catalogue's expressions alone.
    """

    def __init__(
        self, relations: Iterable[Relation], functions: Iterable[str], catalogue_functions: Iterable[str]
    ) -> None:
        self.denied = ""
        self._functions = BUILT_IN_FUNCTIONS.union(functions)
        self._catalogue_functions = frozenset(catalogue_functions)
        self._by_name = {relation.name: relation for relation in relations}
        self._by_rows = {relation.rows_name: relation for relation in self._by_name.values()}
        self._by_rows |= {one.narrow_name: one for one in self._by_name.values() if one.late_columns}
        self._pairs = {name: relation.reads for name, relation in self._by_rows.items()}
        self._rules = {
            sqlite3.SQLITE_SELECT: lambda *_: True,
            sqlite3.SQLITE_READ: self._may_read,
            sqlite3.SQLITE_FUNCTION: self._may_call,
        }

    def __call__(self, action: int, first: str | None, second: str | None, database: str | None, by: str | None) -> int:
        """SQLITE_OK or SQLITE_DENY; `by` is the innermost view or common table expression that asks."""
        rule = self._rules.get(action)
        if rule is not None and rule(first or "", second or "", database, by):
            return sqlite3.SQLITE_OK
        self.denied = self.denied or f"action {action} on {first!r}, {second!r}"[:200]
        return sqlite3.SQLITE_DENY

    def _may_call(self, _: str, function: str, __: str | None, by: str | None) -> bool:
        name = function.lower()
        return name in self._functions or (by in self._by_rows and name in self._catalogue_functions)

    def _may_read(self, table: str, column: str, database: str | None, by: str | None) -> bool:
        if not column:
            return self._may_count(table, by)
        if by in self._by_rows:
            return (table, column) in self._pairs[by] or table == self._by_rows[by].narrow_name
        if database != "temp":
            return False
        # The upper views are open to the statement, the lower ones to the upper one alone.
        return table in self._by_name or (table in self._by_rows and by == self._by_rows[table].name)

    def _may_count(self, table: str, by: str | None) -> bool:
        """Whether a relation may be gone through without reading a column of it."""
        if by in self._by_rows:
            return table in _tables(self._pairs[by]) or table == self._by_rows[by].narrow_name
        # An unrestricted view is dissolved into the statement, which then asks in its own name.
        dissolved = (pairs for name, pairs in self._pairs.items() if self._by_rows[name].site_ids is None)
        return (
            table in self._by_name
            or table in self._by_rows
            or _GENERATED_NAME.fullmatch(table) is not None
            or any(table in _tables(pairs) for pairs in dissolved)
        )


def _tables(pairs: Iterable[tuple[str, str]]) -> set[str]:
    return {table for table, _ in pairs}
