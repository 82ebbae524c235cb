"""Runs compiled statements on a SQLite file that it cannot write, over the catalogue's columns alone."""

import logging
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cms_api.lib.sql_sandbox.catalogue import Column, View
from cms_api.lib.sql_sandbox.compiled import Answer, Compiled
from cms_api.lib.sql_sandbox.limits import Limits
from cms_api.lib.sql_sandbox.refusals import TOO_LONG, Failed, NotAllowed, Refused, TimedOut, TooLarge, Unavailable
from cms_api.lib.sql_sandbox.running.rows import shape_rows
from cms_api.lib.sql_sandbox.running.sqlite_guard import Relation, SQLiteGuard

_logger = logging.getLogger(__name__)

# By name, how many arguments, and the function itself.
Functions = Mapping[str, tuple[int, Callable[..., Any]]]

_LIMITS = {
    # The service takes bodies of requests up to 10 MiB by default, so that no stored text is longer; its
    # length or its beginning can be asked for even where the text itself is over the limit of the answer.
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
# Sorting spills into files, which the process limits; without this an SQLite built for it would use memory.
_SETTINGS = "PRAGMA trusted_schema = OFF; PRAGMA temp_store = FILE; PRAGMA cache_size = -2000; PRAGMA mmap_size = 0;"
_STEPS = 10_000  # SQLite's virtual machine instructions between two looks at the clock, well below 1 ms
_BUSY_SECONDS = 0.5  # readers wait in rare states only, such as another process' recovery of the log

_NO_FIT = "The database cannot carry the statement out: a value does not fit its function or operator."
_BUSY = "The database is busy; try again."
_NO_SPACE = "The statement needs too much temporary space."
_NOT_READABLE = "The database cannot be read."
_REFUSALS: dict[int, tuple[type[Refused], str]] = {
    sqlite3.SQLITE_INTERRUPT: (TimedOut, TOO_LONG),
    sqlite3.SQLITE_TOOBIG: (TooLarge, "The statement makes a value that is too long."),
    sqlite3.SQLITE_NOMEM: (TooLarge, "The statement needs too much memory."),
    sqlite3.SQLITE_FULL: (Failed, _NO_SPACE),
    sqlite3.SQLITE_IOERR: (Failed, _NO_SPACE),
    sqlite3.SQLITE_BUSY: (Failed, _BUSY),
    sqlite3.SQLITE_LOCKED: (Failed, _BUSY),
    sqlite3.SQLITE_PROTOCOL: (Failed, _BUSY),
    sqlite3.SQLITE_READONLY: (NotAllowed, "Only reading is possible."),
    sqlite3.SQLITE_CANTOPEN: (Unavailable, _NOT_READABLE),
    sqlite3.SQLITE_NOTADB: (Unavailable, _NOT_READABLE),
    sqlite3.SQLITE_CORRUPT: (Unavailable, _NOT_READABLE),
}


class SqliteReader:
    """Reads one database file; every statement has a connection of its own, which leaves nothing behind."""

    def __init__(self, path: str | Path, functions: Functions, catalogue_functions: Iterable[str] = ()) -> None:
        """`functions` are registered for compiled statements; `catalogue_functions` are built-in ones."""
        # Relative paths stay relative: a URI without an authority takes both.
        self._address = f"file:{quote(str(path))}?mode=ro"
        self._functions = functions
        self._catalogue_functions = frozenset(catalogue_functions)

    def run(self, compiled: Compiled, site_ids: Iterable[int] | None, deadline: float, limits: Limits) -> Answer:
        """The rows of the statement; `deadline` is a time of time.monotonic(). Raises a Refused."""
        sites = None if site_ids is None else tuple(site_ids)
        relations = [_lay(name, view, sites) for name, view in compiled.views.items()]
        guard = SQLiteGuard(relations, self._functions, self._catalogue_functions)
        with _refusing(guard), self._connect(relations, guard, deadline) as connection:
            # The connection may have passed the deadline before SQLite takes its first step.
            if time.monotonic() >= deadline:
                raise TimedOut(TOO_LONG)
            return shape_rows(connection.execute(compiled.sql, compiled.parameters), compiled.columns, limits)

    @contextmanager
    def _connect(
        self, relations: Iterable[Relation], guard: SQLiteGuard, deadline: float
    ) -> Iterator[sqlite3.Connection]:
        """A connection with every fence up, closed at the end of the block."""
        connection = sqlite3.connect(
            self._address, uri=True, isolation_level=None, timeout=_BUSY_SECONDS, cached_statements=0
        )
        try:
            connection.text_factory = _decode
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


def _decode(text: bytes) -> str:
    # SQLite stores whatever bytes it is given as text.
    return text.decode("utf-8", "replace")


@contextmanager
def _refusing(guard: SQLiteGuard) -> Iterator[None]:
    """Turn every error of the module into a refusal without the engine's words, which may quote values."""
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:
        if guard.denied:
            _logger.error("SQLite's authorizer denied a compiled statement: %s.", guard.denied)
            raise NotAllowed("The statement uses something that is not open to statements.") from None
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        kind, message = _REFUSALS.get(code & 0xFF, (Failed, _NO_FIT))
        if code == sqlite3.SQLITE_ERROR or kind is Unavailable:
            # Such as a table that is missing, where migrations are; its words may quote the statement.
            _logger.warning(
                "SQLite could not carry out a statement: %s.", getattr(error, "sqlite_errorname", "unknown")
            )
        raise kind(message) from None
    except MemoryError:
        raise TooLarge("The statement needs too much memory.") from None


# ---- Views


def _lay(name: str, view: View, site_ids: tuple[int, ...] | None) -> Relation:
    """The relation of a view. Raises NotAllowed for a table without sites where the sites are limited."""
    if site_ids is not None and not view.table.site:
        _logger.error("The table %s belongs to no site, but was compiled for a limited key.", view.table.name)
        raise NotAllowed(f"{view.table.name} is not open to keys limited to sites.")
    if site_ids is None or view.site_ids is None:
        sites = site_ids if view.site_ids is None else view.site_ids
    else:
        sites = tuple(one for one in view.site_ids if one in site_ids)
    return Relation(name, f"{name}_{secrets.token_hex(8)}", view, sites)


def _create(relation: Relation) -> str:
    """The statements that make a relation's views."""
    late, key = relation.late_columns, relation.view.table.key
    narrow = [column for column in relation.view.columns if column not in late]
    views = {}
    if late and key is not None:
        below = narrow if key in narrow else [key, *narrow]
        columns = [_quote(column.name.lower()) for column in narrow]
        columns += [_late(column, relation, key) for column in late]
        views[relation.narrow_name] = _rows(relation, below)
        views[relation.rows_name] = f"SELECT {', '.join(columns)} FROM {_quote(relation.narrow_name)} AS f"
    else:
        views[relation.rows_name] = _rows(relation, narrow)
    views[relation.name] = f"SELECT * FROM {_quote(relation.rows_name)}"
    return "".join(f"CREATE TEMP VIEW {_quote(name)} AS {query};" for name, query in views.items())


def _rows(relation: Relation, columns: Iterable[Column]) -> str:
    """The rows of a relation's sites."""
    table = relation.view.table
    items = ", ".join(f"{_expression(column)} AS {_quote(column.name.lower())}" for column in columns)
    conditions = [f"({table.present})"] if table.present else []
    fence = ""
    if relation.site_ids is not None:
        conditions.append(_in_sites(relation))
        # A sub-query with an offset is neither dissolved into its user nor given its conditions: what the
        # client wrote must not touch rows of other sites, whose values errors and time would tell.
        fence = " LIMIT -1 OFFSET 0"
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {items} FROM {_quote(table.source)} AS s{where}{fence}"


def _late(column: Column, relation: Relation, key: Column) -> str:
    """A long text of a row that the narrow view has: behind the fence, rows are read for what becomes of them."""
    same = f"s.{_quote(key.source)} = f.{_quote(key.name.lower())} AND {_in_sites(relation)}"
    row = f"SELECT {_expression(column)} FROM {_quote(relation.view.table.source)} AS s WHERE {same}"
    return f"({row}) AS {_quote(column.name.lower())}"


def _in_sites(relation: Relation) -> str:
    numbers = ", ".join(str(int(one)) for one in relation.site_ids or ())
    return f"s.{_quote(relation.view.table.site)} IN ({numbers})"


def _expression(column: Column) -> str:
    return column.sqlite or f"s.{_quote(column.source)}"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
