"""Runs compiled statements on PostgreSQL, as a role that sees the catalogue's views and nothing else."""

import logging
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, suppress
from typing import Any, cast

import psycopg
from psycopg.abc import Query
from psycopg.adapt import Buffer, Loader

from cms_api.lib.sql_sandbox.catalogue import Column, Kind, View
from cms_api.lib.sql_sandbox.compiled import Answer, Compiled, Needs
from cms_api.lib.sql_sandbox.limits import Limits
from cms_api.lib.sql_sandbox.refusals import (
    TOO_LONG,
    Busy,
    Failed,
    NotAllowed,
    Refused,
    TimedOut,
    TooLarge,
    Unavailable,
)
from cms_api.lib.sql_sandbox.running.rows import shape_rows

_logger = logging.getLogger(__name__)

Connection = psycopg.Connection[tuple[Any, ...]]
Verify = Callable[[Connection], None]

# Holds the sites of the statement's key for the views: EVERY_SITE, or numbers separated by commas; unset: none.
SITES_SETTING = "cms_sql.site_ids"
EVERY_SITE = "*"

# Settings of every transaction, each with its value as it stands behind SET.
SETTINGS = {
    # Before pg_temp, which is searched first where it is not named.
    "search_path": "pg_catalog, pg_temp",
    "lock_timeout": "'500ms'",
    "work_mem": "'4MB'",
    "hash_mem_multiplier": "1",
    # A hash table of rows that are equal in what they are joined by cannot be divided, whatever its size.
    "enable_hashjoin": "off",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
}
_SORT_MEMORY = 16 * 1024  # KiB for all sorts of a statement together
_LEAST_SORT, _MOST_SORT = 64, 4096  # KiB for each; PostgreSQL takes no less
# A killed process leaves its statement behind; the server then notices that nobody listens. Since version 14.
_NOTICE_THE_END = {"client_connection_check_interval": "'250ms'"}
_TEXTS = {Kind.TEXT, Kind.FLAG, Kind.JSON}
TEMP_FILES = "'64MB'"  # of a connection
CONNECT_SECONDS = 2  # the least that libpq knows
_KEPT_SECONDS = 60  # until a connection is made anew, and what its account sees is looked at again

_TOO_LONG = (TimedOut, TOO_LONG)
_BUSY = (Failed, "The database is busy; try again.")
_NO_SPACE = (Failed, "The statement needs too much temporary space or memory.")
_TOO_LARGE = (TooLarge, "The statement is too large for the database.")
_NO_FIT = (Failed, "The database cannot carry the statement out: a value does not fit its function or operator.")
_NOT_OPEN = (NotAllowed, "The statement uses something that is not open to statements.")
_CHANGED = (Unavailable, "The tables of the SQL endpoint are being changed; try again.")
_UNREACHABLE = (Unavailable, "The database cannot be reached.")
_SLOT_TAKEN = (Busy, "Other statements are running; try again in a second.")
# By SQLSTATE or by its class, the first two characters.
_REFUSALS: dict[str, tuple[type[Refused], str]] = {
    "57014": _TOO_LONG,  # query_canceled
    "55P03": _SLOT_TAKEN,  # lock_not_available
    "08": _UNREACHABLE,
    "0A": _NOT_OPEN,  # what the server cannot do is no part of a compiled statement
    "2201E": _NO_SPACE,  # the logarithm that bounds a hash table
    "22": _NO_FIT,
    "25": _NOT_OPEN,  # 25006: writing in a transaction that reads
    "28": _UNREACHABLE,
    "40": _BUSY,
    # Views, their columns or the rights to them are gone since the connection was verified.
    "3F000": _CHANGED,
    "42501": _CHANGED,
    "42703": _CHANGED,
    "42P01": _CHANGED,
    "42": _NOT_OPEN,
    "53": _NO_SPACE,
    "54": _TOO_LARGE,
    "57": _UNREACHABLE,
}


class PostgresqlReader:
    """Reads the views of one schema over one connection, which is kept and made anew when it is broken."""

    def __init__(
        self,
        address: Mapping[str, Any],
        verify: Verify,
        schema: str,
        closed: Unavailable | None = None,
        slot: int | None = None,
    ) -> None:
        """Connects at once. `verify` looks at every new connection before any statement; it raises Unavailable.

        `closed` is the refusal where the account cannot sign in. Readers with the same number as `slot` run one
        statement at a time, even where the database is still busy with one whose reader is gone.
        """
        self._address = dict(address)
        self._verify = verify
        self._schema = schema
        self._slot = slot
        self._closed = closed or Unavailable(_UNREACHABLE[1])
        self._connection: Connection | None = None
        self._settings = ""
        self._kept_until = 0.0
        # Connected before the clock of any statement starts.
        self._first_refusal = self._prepare()

    def run(self, compiled: Compiled, site_ids: Iterable[int] | None, deadline: float, limits: Limits) -> Answer:
        """The rows of the statement; `deadline` is a time of time.monotonic(). Raises a Refused."""
        sites = None if site_ids is None else tuple(site_ids)
        statement = _compose(compiled, self._schema, limits)
        try:
            connection = self._begin(self._opening(sites, deadline, compiled.needs))
            with closing(_stream(connection, statement, compiled.parameters)) as rows:
                return shape_rows(rows, compiled.columns, limits)
        except psycopg.Error as error:
            raise self._refusal(error) from None
        except MemoryError:
            self.close()
            raise TooLarge("The statement needs too much memory.") from None
        finally:
            self._roll_back()

    def close(self) -> None:
        """Close the connection; the next statement opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _prepare(self) -> Refused | None:
        """Connect; what the next statement is refused with where that fails. The one after it tries again."""
        try:
            self._connection = self._connect()
        except Refused as refused:
            return refused
        except psycopg.Error as error:
            return self._refusal(error)
        return None

    def _begin(self, opening: str) -> Connection:
        """The connection with a transaction opened; a kept one that broke meanwhile is replaced."""
        refused, self._first_refusal = self._first_refusal, None
        if refused is not None:
            raise refused
        if self._connection is not None and time.monotonic() < self._kept_until:
            try:
                self._connection.execute(_as_query(opening))
            except psycopg.OperationalError:
                if not self._connection.broken:
                    raise
            else:
                return self._connection
        self.close()
        self._connection = self._connect()
        self._connection.execute(_as_query(opening))
        return self._connection

    def _connect(self) -> Connection:
        options: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS, "client_encoding": "UTF8"} | self._address
        try:
            connection: Connection = psycopg.connect(**options, autocommit=True, prepare_threshold=None)
        except psycopg.Error as error:
            _logger.error("The database account of statements cannot sign in: %s.", type(error).__name__)
            raise self._closed from None
        try:
            _load_as_text(connection)
            self._settings = _settings(connection)
            self._verify(connection)
        except BaseException:
            connection.close()
            raise
        self._kept_until = time.monotonic() + _KEPT_SECONDS
        return connection

    def _opening(self, site_ids: tuple[int, ...] | None, deadline: float, needs: Needs) -> str:
        """The statements that open a transaction, sent together to save round trips."""
        milliseconds = int((deadline - time.monotonic()) * 1000)
        if milliseconds <= 0:  # zero would be no limit
            raise TimedOut(_TOO_LONG[1])
        sites = EVERY_SITE if site_ids is None else ",".join(str(int(one)) for one in site_ids)
        memory = min(_MOST_SORT, max(_LEAST_SORT, _SORT_MEMORY // needs.sorts))
        # SET and not set_config(), so that an operator may revoke that function from everybody.
        opening = (
            f"BEGIN READ ONLY; {self._settings} SET LOCAL statement_timeout = {milliseconds}; "
            f"SET LOCAL idle_in_transaction_session_timeout = {milliseconds + 1000}; "
            f"SET LOCAL work_mem = {memory}; SET LOCAL enable_hashagg = {'on' if needs.may_hash else 'off'}; "
            f"SET LOCAL {SITES_SETTING} = '{sites}'"
        )
        return opening if self._slot is None else f"{opening}; SELECT pg_advisory_xact_lock({int(self._slot)})"

    def _roll_back(self) -> None:
        """End the transaction; a connection that cannot is given up."""
        try:
            if self._connection is not None and not self._connection.closed:
                self._connection.execute("ROLLBACK")
        except psycopg.Error:
            self.close()

    def _refusal(self, error: psycopg.Error) -> Refused:
        """The refusal of an engine's error, without its words, which may quote values."""
        # Without a state it is the driver's own: a broken connection, or a value that it cannot send.
        state = error.sqlstate or ("08000" if isinstance(error, psycopg.OperationalError) else "22000")
        kind, message = _REFUSALS.get(state) or _REFUSALS.get(state[:2]) or _NO_FIT
        if kind is NotAllowed:
            _logger.error("PostgreSQL denied a compiled statement with SQLSTATE %s.", state)
        if kind is Unavailable:
            _logger.error(
                "PostgreSQL did not serve the account of statements: SQLSTATE %s, %s.", state, type(error).__name__
            )
            self.close()
        return kind(message)


def _settings(connection: Connection) -> str:
    """The fixed settings of every transaction, without those that the server or the role does not allow."""
    settings = SETTINGS | (_NOTICE_THE_END if connection.info.server_version >= 140000 else {})
    # Where the role may not, it is a setting of the role, made by whoever set the role up.
    with suppress(psycopg.errors.InsufficientPrivilege):
        connection.execute(f"SET temp_file_limit = {TEMP_FILES}")
    return "".join(f"SET LOCAL {name} = {value}; " for name, value in settings.items())


class _TimestampText(Loader):
    """A timestamp as its text to the second, infinite and far ones too, which datetime does not know."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode()[:19]


class _DateText(Loader):
    """A date as a timestamp at midnight."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode() + " 00:00:00"


class _Text(Loader):
    """Whatever it is, as PostgreSQL writes it."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode("utf-8", "replace")


def _load_as_text(connection: Connection) -> None:
    for name in ("timestamp", "timestamptz"):
        connection.adapters.register_loader(name, _TimestampText)
    connection.adapters.register_loader("date", _DateText)
    for name in ("json", "jsonb", "uuid", "interval", "time", "timetz"):
        connection.adapters.register_loader(name, _Text)


# ---- The statement


def _stream(
    connection: Connection, statement: str, parameters: Mapping[str, Any]
) -> Generator[tuple[Any, ...] | None, None, None]:
    """The rows one by one as they arrive, in the extended protocol, which takes a single statement.

    The process never holds more than one row, and one time limit of the server covers all of them, unlike
    FETCH after FETCH. Closing it early cancels the statement.
    """
    rows = connection.cursor().stream(_as_query(statement), parameters)
    try:
        yield from cast("Generator[tuple[Any, ...], None, None]", rows)
    except psycopg.errors.InvalidArgumentForPowerFunction:
        yield None  # a row that is over the limit of bytes


def _compose(compiled: Compiled, schema: str, limits: Limits) -> str:
    """The compiled statement with its relations before it.

    As a sub-query, which nothing but a query can be, and which may have common table expressions of its own.
    Its order is kept: there is nothing above it that PostgreSQL would do with the rows.
    """
    longest = compiled.needs.longest_text
    relations = [
        f"{_quote(name)} AS NOT MATERIALIZED ({_rows(view, schema, longest)})" for name, view in compiled.views.items()
    ]
    names = [f"c{place + 1}" for place in range(len(compiled.columns))]
    texts = [name for name, (_, kind) in zip(names, compiled.columns, strict=True) if kind in _TEXTS]
    length = " + ".join(f"COALESCE(OCTET_LENGTH(CAST({name} AS text)), 0)" for name in texts)
    # The square root fails for a row that is too long, before it is copied for the way.
    fits = f" WHERE SQRT({limits.bytes} - ({length})) IS NOT NULL" if texts else ""
    listed = f" ({', '.join(names)})" if names else ""
    rows = f"SELECT * FROM ({compiled.sql}) AS statement{listed}{fits}"
    return f"{'WITH ' if relations else ''}{', '.join(relations)} {rows}"


def _rows(view: View, schema: str, longest: int) -> str:
    relation = f"{_quote(schema)}.{_quote(view.table.name.lower())}"
    columns = ", ".join(_column(column, view, relation, longest) for column in view.columns)
    rows = f"SELECT {columns} FROM {relation} AS s"
    if view.site_ids is None:
        return rows
    table, numbers = view.table, ", ".join(str(int(one)) for one in view.site_ids) or "NULL"
    site = next(column.name.lower() for column in table.columns if table.site and column.source == table.site)
    return f"{rows} WHERE s.{_quote(site)} IN ({numbers})"


def _column(column: Column, view: View, relation: str, longest: int) -> str:
    """A column of the view; a long text is read by the number of its row, when the rows are chosen and sorted.

    A barrier's own columns are read for every row that passes it, whatever becomes of the row. A text that is too
    long is not read: its length stands beside it.
    """
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


def _as_query(text: str) -> Query:
    # The driver's type asks for literals of the source; this text is made of the catalogue and a closed alphabet.
    return cast(Query, text)
