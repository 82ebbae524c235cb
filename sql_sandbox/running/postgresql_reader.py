"""Runs compiled statements on PostgreSQL, as a role that sees only the catalogue's views."""

import logging
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, suppress
from typing import Any, cast

import psycopg
from psycopg.adapt import Buffer, Loader

from sql_sandbox import refusals
from sql_sandbox.catalogue import Column, ValueKind, View
from sql_sandbox.compiled import Answer, Compiled, Limits
from sql_sandbox.running.rows import shape_rows

_logger = logging.getLogger(__name__)

Connection = psycopg.Connection[tuple[Any, ...]]

# Passes the sites of the statement's key to the views: EVERY_SITE, or comma-separated numbers; unset: none.
SITES_SETTING = "cms_sql.site_ids"
EVERY_SITE = "*"

# Settings of every transaction, with values as written behind SET.
SETTINGS = {
    # pg_temp last: it is searched first if it is not named.
    "search_path": "pg_catalog, pg_temp",
    "lock_timeout": "'500ms'",
    "work_mem": "'4MB'",
    "hash_mem_multiplier": "1",
    # A hash table of rows with equal join values cannot be divided, regardless of its size.
    "enable_hashjoin": "off",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
}
_SORT_MEMORY = 16 * 1024  # KiB for all sorts of a statement together
_LEAST_SORT, _MAX_SORT = 64, 4096  # KiB for each sort; PostgreSQL takes no less
# A killed process leaves its statement running until the server notices the lost client. Since version 14.
_NOTICE_THE_END = {"client_connection_check_interval": "'250ms'"}
_TEXTS = {ValueKind.TEXT, ValueKind.FLAG, ValueKind.JSON}
TEMP_FILES = "'64MB'"  # per connection
CONNECT_SECONDS = 2  # the least that libpq knows
_KEPT_SECONDS = 60  # until a connection is renewed and its account's rights are checked again

_NO_FIT = (refusals.Failed, refusals.NO_FIT)
_UNREACHABLE = (refusals.Unavailable, "The database cannot be reached.")
# SQLSTATEs, or their classes (the first two characters), by refusal.
_STATES: dict[tuple[type[refusals.Refused], str], str] = {
    (refusals.TimedOut, refusals.TOO_LONG): "57014",  # query_canceled
    (refusals.Busy, refusals.BUSY): "55P03",  # lock_not_available
    (refusals.Failed, "The database is busy; try again."): "40",
    # 2201E is the logarithm that bounds a hash table.
    (refusals.Failed, "The statement needs too much temporary space or memory."): "2201E 53",
    (refusals.TooLarge, "The statement is too large for the database."): "54",
    _NO_FIT: "22",
    # No compiled statement contains unsupported features (0A); 25006 is a write in a read-only transaction.
    (refusals.NotAllowed, refusals.NOT_OPEN): "0A 25 42",
    # Views, columns or rights were removed after the connection was verified.
    (refusals.Unavailable, "The tables of the SQL endpoint are being changed; try again."): "3F000 42501 42703 42P01",
    _UNREACHABLE: "08 28 57",
}
_REFUSALS = {state: refusal for refusal, states in _STATES.items() for state in states.split()}


def _text_loader(read: Callable[[str], str]) -> type[Loader]:
    class TextLoader(Loader):
        def load(self, data: Buffer) -> str:
            return read(bytes(data).decode("utf-8", "replace"))

    return TextLoader


# Values returned as texts, as PostgreSQL writes them.
_LOADERS = {
    **dict.fromkeys(("json", "jsonb", "uuid", "interval", "time", "timetz"), _text_loader(str)),
    # To the second; datetime has no infinite or very distant dates.
    **dict.fromkeys(("timestamp", "timestamptz"), _text_loader(lambda text: text[:19])),
    "date": _text_loader(lambda text: f"{text} 00:00:00"),
}


class PostgresqlReader:
    """Reads the views of one schema over one connection, which is reused, and replaced if it breaks."""

    def __init__(
        self,
        address: Mapping[str, Any],
        verify: Callable[[Connection], None],
        schema: str,
        closed: refusals.Unavailable | None = None,
        slot: int | None = None,
    ) -> None:
        """Connect immediately. `verify` checks every new connection and raises Unavailable.

        `closed` is raised if the account cannot sign in. Readers with the same `slot` run one statement at a time, even
        if the database is still busy with one whose reader has ended.
        """
        self._address = dict(address)
        self._verify = verify
        self._schema = schema
        self._slot = slot
        self._closed = closed or refusals.Unavailable(_UNREACHABLE[1])
        self._connection: Connection | None = None
        self._settings = ""
        self._kept_until = 0.0
        self._first_refusal: refusals.Refused | None = None  # for the next statement; the one after it tries again
        # Connect before any statement's clock starts.
        try:
            self._connection = self._connect()
        except refusals.Refused as refused:
            self._first_refusal = refused
        except psycopg.Error as error:
            self._first_refusal = self._refusal(error)

    def run(self, compiled: Compiled, site_ids: Iterable[int] | None, deadline: float, limits: Limits) -> Answer:
        """Return the rows; `deadline` is a time of time.monotonic(). Raise a Refused."""
        statement = _compose(compiled, self._schema, limits)
        try:
            connection = self._begin(self._opening(site_ids, deadline, compiled))
            with closing(_stream(connection, statement, compiled.parameters)) as rows:
                return shape_rows(rows, compiled.columns, limits)
        except psycopg.Error as error:
            raise self._refusal(error) from None
        except MemoryError:
            self.close()
            raise refusals.TooLarge("The statement needs too much memory.") from None
        finally:
            try:
                if self._connection is not None and not self._connection.closed:
                    self._connection.execute("ROLLBACK")
            except psycopg.Error:
                self.close()

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _begin(self, opening: str) -> Connection:
        """Open a transaction and return its connection; a broken one is replaced."""
        refused, self._first_refusal = self._first_refusal, None
        if refused is not None:
            raise refused
        if self._connection is not None and time.monotonic() < self._kept_until:
            try:
                self._connection.execute(opening.encode())
            except psycopg.OperationalError:
                if not self._connection.broken:
                    raise
            else:
                return self._connection
        self.close()
        self._connection = self._connect()
        self._connection.execute(opening.encode())
        return self._connection

    def _connect(self) -> Connection:
        options: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS, "client_encoding": "UTF8"} | self._address
        try:
            connection: Connection = psycopg.connect(**options, autocommit=True, prepare_threshold=None)
        except psycopg.Error as error:
            _logger.error("The database account of statements cannot sign in: %s.", type(error).__name__)
            raise self._closed from None
        try:
            for name, loader in _LOADERS.items():
                connection.adapters.register_loader(name, loader)
            # Settings that the server knows; temp_file_limit is set on the role if the role itself may not.
            settings = SETTINGS | (_NOTICE_THE_END if connection.info.server_version >= 140000 else {})
            self._settings = "".join(f"SET LOCAL {name} = {value}; " for name, value in settings.items())
            with suppress(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SET temp_file_limit = {TEMP_FILES}")
            self._verify(connection)
        except BaseException:
            connection.close()
            raise
        self._kept_until = time.monotonic() + _KEPT_SECONDS
        return connection

    def _opening(self, site_ids: Iterable[int] | None, deadline: float, compiled: Compiled) -> str:
        """Return the statements that open a transaction, sent together to save round trips."""
        milliseconds = int((deadline - time.monotonic()) * 1000)
        if milliseconds <= 0:  # zero would be no limit
            raise refusals.TimedOut(refusals.TOO_LONG)
        sites = EVERY_SITE if site_ids is None else ",".join(str(int(one)) for one in site_ids)
        memory = min(_MAX_SORT, max(_LEAST_SORT, _SORT_MEMORY // compiled.sorts))
        # SET instead of set_config(), so that an operator may revoke that function from PUBLIC.
        opening = (
            f"BEGIN READ ONLY; {self._settings} SET LOCAL statement_timeout = {milliseconds}; "
            f"SET LOCAL idle_in_transaction_session_timeout = {milliseconds + 1000}; "
            f"SET LOCAL work_mem = {memory}; SET LOCAL enable_hashagg = {'on' if compiled.may_hash else 'off'}; "
            f"SET LOCAL {SITES_SETTING} = '{sites}'"
        )
        return opening if self._slot is None else f"{opening}; SELECT pg_advisory_xact_lock({int(self._slot)})"

    def _refusal(self, error: psycopg.Error) -> refusals.Refused:
        # Without a SQLSTATE it is the driver's error: a broken connection, or a value that it cannot send.
        state = error.sqlstate or ("08000" if isinstance(error, psycopg.OperationalError) else "22000")
        kind, message = _REFUSALS.get(state) or _REFUSALS.get(state[:2]) or _NO_FIT
        if kind is refusals.NotAllowed:
            _logger.error("PostgreSQL denied a compiled statement with SQLSTATE %s.", state)
        if kind is refusals.Unavailable:
            _logger.error(
                "PostgreSQL did not serve the account of statements: SQLSTATE %s, %s.", state, type(error).__name__
            )
            self.close()
        return kind(message)


def _stream(
    connection: Connection, statement: str, parameters: Mapping[str, Any]
) -> Generator[tuple[Any, ...] | None, None, None]:
    """Yield the rows as they arrive, in the extended protocol, which takes a single statement.

    The process holds one row at a time; unlike with FETCH, one time limit covers all. Closing it cancels the statement.
    """
    rows = connection.cursor().stream(statement.encode(), parameters)
    try:
        yield from cast("Generator[tuple[Any, ...], None, None]", rows)
    except psycopg.errors.InvalidArgumentForPowerFunction:
        yield None  # a row over the limit of bytes


def _compose(compiled: Compiled, schema: str, limits: Limits) -> str:
    """Return the compiled statement as a subquery behind its relations, in its order."""
    relations = [
        f"{_quote(name)} AS NOT MATERIALIZED ({_rows(view, schema, compiled.longest_text)})"
        for name, view in compiled.views.items()
    ]
    names = [f"c{place + 1}" for place in range(len(compiled.columns))]
    texts = [name for name, (_, kind) in zip(names, compiled.columns, strict=True) if kind in _TEXTS]
    length = " + ".join(f"COALESCE(OCTET_LENGTH(CAST({name} AS text)), 0)" for name in texts)
    # The square root fails for a row that is too long, before the row is copied for sending.
    fits = f" WHERE SQRT({limits.bytes} - ({length})) IS NOT NULL" if texts else ""
    listed = f" ({', '.join(names)})" if names else ""
    rows = f"SELECT * FROM ({compiled.sql}) AS statement{listed}{fits}"
    return f"{'WITH ' if relations else ''}{', '.join(relations)} {rows}"


def _rows(view: View, schema: str, longest: int) -> str:
    relation = f"{_quote(schema)}.{_quote(view.table.view_name)}"
    columns = ", ".join(_column(column, view, relation, longest) for column in view.columns)
    rows = f"SELECT {columns} FROM {relation} AS s"
    if view.site_ids is None:
        return rows
    table, numbers = view.table, ", ".join(str(int(one)) for one in view.site_ids) or "NULL"
    site = next(column.name.lower() for column in table.columns if table.site and column.source == table.site)
    return f"{rows} WHERE s.{_quote(site)} IN ({numbers})"


def _column(column: Column, view: View, relation: str, longest: int) -> str:
    """Return a view's column; a long text is read later by row number: a barrier reads its columns for every row."""
    name, key = _quote(column.name.lower()), view.table.key
    if not column.is_long:
        return f"s.{name}"
    if key is None:
        return f"CASE WHEN OCTET_LENGTH(s.{name}) <= {longest} THEN s.{name} END AS {name}"
    number = _quote(key.name.lower())
    text = f"CASE WHEN OCTET_LENGTH(x.{name}) <= {longest} THEN x.{name} END"
    return f"(SELECT {text} FROM {relation} AS x WHERE x.{number} = s.{number}) AS {name}"


def _quote(name: str) -> str:
    # A percent sign would begin a placeholder of the driver.
    return '"' + name.replace('"', '""').replace("%", "%%") + '"'
