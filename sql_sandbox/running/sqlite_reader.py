"""Runs compiled statements on a read-only SQLite file, with only the catalogue's columns."""

import logging
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sql_sandbox import refusals
from sql_sandbox.catalogue import Column, View
from sql_sandbox.compiled import Answer, Compiled, Limits
from sql_sandbox.running.rows import shape_rows

_logger = logging.getLogger(__name__)
_Functions = Mapping[str, tuple[int, Callable[..., Any]]]  # by name, with the number of arguments

_LIMITS = {
    # Longer than any stored text: by default the service accepts request bodies up to 10 MiB.
    sqlite3.SQLITE_LIMIT_LENGTH: 16 * 1024 * 1024,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 500_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 1000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 500,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 100_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 2000,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
# SQLite's functions that compiled statements call. None makes a long value out of short ones (as printf, zeroblob,
# hex and group_concat do), reads the system or loads anything.
BUILT_IN_FUNCTIONS = frozenset({
    "abs", "avg", "coalesce", "count", "dense_rank", "first_value", "instr", "lag", "last_value", "lead", "length",
    "like", "ltrim", "max", "min", "ntile", "nullif", "random", "rank", "replace", "row_number", "rtrim", "strftime",
    "substr", "sum", "trim",
})  # fmt: skip

# SQLite requests permission for common table expressions like tables, without a column. Compiled statements number
# them.
_GENERATED_NAME = re.compile(r"[a-z][0-9]{1,4}")
# Sorting spills into files, which the process limits; a SQLite built otherwise would use memory.
_SETTINGS = "PRAGMA trusted_schema = OFF; PRAGMA temp_store = FILE; PRAGMA cache_size = -2000; PRAGMA mmap_size = 0;"
_STEPS = 10_000  # SQLite's virtual machine instructions between two looks at the clock, well below 1 ms
_BUSY_SECONDS = 0.5  # readers rarely wait, such as for another process' recovery of the log

_BUSY = "The database is busy; try again."
_NO_SPACE = "The statement needs too much temporary space."
_NOT_READABLE = "The database cannot be read."
_REFUSALS: dict[int, tuple[type[refusals.Refused], str]] = {
    sqlite3.SQLITE_INTERRUPT: (refusals.TimedOut, refusals.TOO_LONG),
    sqlite3.SQLITE_TOOBIG: (refusals.TooLarge, "The statement produces a value that is too long."),
    sqlite3.SQLITE_NOMEM: (refusals.TooLarge, "The statement needs too much memory."),
    sqlite3.SQLITE_FULL: (refusals.Failed, _NO_SPACE),
    sqlite3.SQLITE_IOERR: (refusals.Failed, _NO_SPACE),
    sqlite3.SQLITE_BUSY: (refusals.Failed, _BUSY),
    sqlite3.SQLITE_LOCKED: (refusals.Failed, _BUSY),
    sqlite3.SQLITE_PROTOCOL: (refusals.Failed, _BUSY),
    sqlite3.SQLITE_READONLY: (refusals.NotAllowed, "Only reading is allowed."),
    sqlite3.SQLITE_CANTOPEN: (refusals.Unavailable, _NOT_READABLE),
    sqlite3.SQLITE_NOTADB: (refusals.Unavailable, _NOT_READABLE),
    sqlite3.SQLITE_CORRUPT: (refusals.Unavailable, _NOT_READABLE),
}


@dataclass(frozen=True)
class Relation:
    """A view of the statement, created over the database.

    It reads a lower view with the rows, whose name is random: SQLite reports who reads a column by name only, and a
    common table expression could have the upper name. If sites are limited and long texts are read, a third, narrow
    view has the rows without these texts.
    """

    name: str
    rows_name: str
    view: View
    site_ids: tuple[int, ...] | None

    @property
    def late_columns(self) -> tuple[Column, ...]:
        """Return the long texts that are read by their row's number, behind the limit to sites."""
        if self.site_ids is None or self.view.table.key is None:
            return ()
        return tuple(column for column in self.view.columns if column.is_long)

    @property
    def narrow_name(self) -> str:
        return f"{self.rows_name}_narrow"

    @property
    def reads(self) -> set[tuple[str, str]]:
        table = self.view.table
        pairs = {(table.source, column.source) for column in self.view.columns if column.source}
        pairs.update(*(column.reads for column in self.view.columns), table.reads)
        keys = {table.site} if table.site else set()
        keys |= {table.key.source} if table.key else set()
        return pairs | {(table.source, column) for column in keys}


class SQLiteGuard:
    """SQLite's authorizer for preparing a statement: allows one SELECT over these relations."""

    def __init__(
        self, relations: Iterable[Relation], functions: Iterable[str], catalogue_functions: Iterable[str]
    ) -> None:
        self.denied = ""  # the first denial
        self._functions = BUILT_IN_FUNCTIONS.union(functions)
        self._catalogue_functions = frozenset(catalogue_functions)  # for the catalogue's expressions only
        self._by_name = {relation.name: relation for relation in relations}
        self._by_rows = {relation.rows_name: relation for relation in self._by_name.values()}
        self._by_rows |= {one.narrow_name: one for one in self._by_name.values() if one.late_columns}
        self._pairs = {name: relation.reads for name, relation in self._by_rows.items()}
        self._tables = {name: {table for table, _ in pairs} for name, pairs in self._pairs.items()}

    def __call__(self, action: int, first: str | None, second: str | None, database: str | None, by: str | None) -> int:
        """Return SQLITE_OK or SQLITE_DENY; `by` is the innermost view or common table expression of the request."""
        if action == sqlite3.SQLITE_READ:
            is_allowed = self._may_read(first or "", second or "", database, by)
        elif action == sqlite3.SQLITE_FUNCTION:
            name = (second or "").lower()
            is_allowed = name in self._functions or (by in self._by_rows and name in self._catalogue_functions)
        else:
            is_allowed = action == sqlite3.SQLITE_SELECT
        if is_allowed:
            return sqlite3.SQLITE_OK
        self.denied = self.denied or f"action {action} on {first!r}, {second!r}"[:200]
        return sqlite3.SQLITE_DENY

    def _may_read(self, table: str, column: str, database: str | None, by: str | None) -> bool:
        if not column:
            return self._may_count(table, by)
        if by in self._by_rows:
            return (table, column) in self._pairs[by] or table == self._by_rows[by].narrow_name
        if database != "temp":
            return False
        # The upper views are open to the statement, each lower one only to its upper one.
        return table in self._by_name or (table in self._by_rows and by == self._by_rows[table].name)

    def _may_count(self, table: str, by: str | None) -> bool:
        if by in self._by_rows:
            return table in self._tables[by] or table == self._by_rows[by].narrow_name
        # SQLite merges an unrestricted view into the statement, which then requests permission in its own name.
        dissolved = (tables for name, tables in self._tables.items() if self._by_rows[name].site_ids is None)
        return (
            table in self._by_name
            or table in self._by_rows
            or _GENERATED_NAME.fullmatch(table) is not None
            or any(table in tables for tables in dissolved)
        )


class SqliteReader:
    """Reads one database file; every statement has its own connection, which leaves nothing behind."""

    def __init__(self, path: str | Path, functions: _Functions, catalogue_functions: Iterable[str] = ()) -> None:
        # Relative paths stay relative: a URI without an authority takes both.
        self._address = f"file:{quote(str(path))}?mode=ro"
        self._functions = functions
        self._catalogue_functions = frozenset(catalogue_functions)

    def run(self, compiled: Compiled, site_ids: Iterable[int] | None, deadline: float, limits: Limits) -> Answer:
        """Return the rows; `deadline` is a time of time.monotonic(). Raise a Refused."""
        sites = None if site_ids is None else tuple(site_ids)
        relations = [_lay(name, view, sites) for name, view in compiled.views.items()]
        guard = SQLiteGuard(relations, self._functions, self._catalogue_functions)
        with _translating_errors(guard), self._connect(relations, guard, deadline) as connection:
            # Opening the connection may have passed the deadline before SQLite takes its first step.
            if time.monotonic() >= deadline:
                raise refusals.TimedOut(refusals.TOO_LONG)
            return shape_rows(connection.execute(compiled.sql, compiled.parameters), compiled.columns, limits)

    @contextmanager
    def _connect(
        self, relations: Iterable[Relation], guard: SQLiteGuard, deadline: float
    ) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(
            self._address, uri=True, isolation_level=None, timeout=_BUSY_SECONDS, cached_statements=0
        )
        try:
            # SQLite stores any bytes as text.
            connection.text_factory = lambda text: text.decode("utf-8", "replace")
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            for name, (arguments, function) in self._functions.items():
                connection.create_function(name, arguments, function, deterministic=True)
            connection.executescript(_SETTINGS + "".join(map(_create, relations)) + "PRAGMA query_only = ON;")
            for category, limit in _LIMITS.items():
                connection.setlimit(category, limit)
            connection.set_authorizer(guard)
            yield connection
        finally:
            connection.close()


@contextmanager
def _translating_errors(guard: SQLiteGuard) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:
        if guard.denied:
            _logger.error("SQLite's authorizer denied a compiled statement: %s.", guard.denied)
            raise refusals.NotAllowed(refusals.NOT_OPEN) from None
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        kind, message = _REFUSALS.get(code & 0xFF, (refusals.Failed, refusals.NO_FIT))
        if code == sqlite3.SQLITE_ERROR or kind is refusals.Unavailable:
            # Such as a missing table during migrations; SQLite's own words may quote the statement.
            _logger.warning("SQLite could not run a statement: %s.", getattr(error, "sqlite_errorname", "unknown"))
        raise kind(message) from None
    except MemoryError:
        raise refusals.TooLarge("The statement needs too much memory.") from None


def _lay(name: str, view: View, site_ids: tuple[int, ...] | None) -> Relation:
    """Return the relation of a view. Raise NotAllowed for a table without sites if the sites are limited."""
    if site_ids is not None and not view.table.site:
        _logger.error("The table %s belongs to no site, but was compiled for a limited key.", view.table.name)
        raise refusals.NotAllowed(f"{view.table.name} is not open to keys limited to sites.")
    if site_ids is None or view.site_ids is None:
        sites = site_ids if view.site_ids is None else view.site_ids
    else:
        sites = tuple(one for one in view.site_ids if one in site_ids)
    return Relation(name, f"{name}_{secrets.token_hex(8)}", view, sites)


def _create(relation: Relation) -> str:
    table, late, key = relation.view.table, relation.late_columns, relation.view.table.key
    narrow = [column for column in relation.view.columns if column not in late]
    views = {}
    if late and key is not None:
        below = narrow if key in narrow else [key, *narrow]
        columns = [_quote(column.name.lower()) for column in narrow]
        # Behind the fence, only rows of the result are read.
        same = f"s.{_quote(key.source)} = f.{_quote(key.name.lower())} AND {_in_sites(relation)}"
        for column in late:
            row = f"SELECT {_expression(column)} FROM {_quote(table.source)} AS s WHERE {same}"
            columns.append(f"({row}) AS {_quote(column.name.lower())}")
        views[relation.narrow_name] = _rows(relation, below)
        views[relation.rows_name] = f"SELECT {', '.join(columns)} FROM {_quote(relation.narrow_name)} AS f"
    else:
        views[relation.rows_name] = _rows(relation, narrow)
    views[relation.name] = f"SELECT * FROM {_quote(relation.rows_name)}"
    return "".join(f"CREATE TEMP VIEW {_quote(name)} AS {query};" for name, query in views.items())


def _rows(relation: Relation, columns: Iterable[Column]) -> str:
    table = relation.view.table
    items = ", ".join(f"{_expression(column)} AS {_quote(column.name.lower())}" for column in columns)
    conditions = [f"({table.present})"] if table.present else []
    fence = ""
    if relation.site_ids is not None:
        conditions.append(_in_sites(relation))
        # SQLite neither merges a sub-query with an offset nor pushes conditions into it: the client's conditions must
        # not touch rows of other sites, which errors and timing would reveal.
        fence = " LIMIT -1 OFFSET 0"
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {items} FROM {_quote(table.source)} AS s{where}{fence}"


def _in_sites(relation: Relation) -> str:
    numbers = ", ".join(str(int(one)) for one in relation.site_ids or ())
    return f"s.{_quote(relation.view.table.site)} IN ({numbers})"


def _expression(column: Column) -> str:
    return column.sqlite or f"s.{_quote(column.source)}"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
