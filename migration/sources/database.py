"""The common part of the readers of databases: one connection by DB-API, whose catalogue names tables and columns."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime, time
from decimal import Decimal
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, NamedTuple, Self

from migration.sources.fingerprint import fingerprint_of
from migration.sources.source import Row, SourceError, Value

SECONDS = 15  # to connect
_AT_A_TIME = 200  # rows, each with a text of any length


class Table(NamedTuple):
    """A table with the names of its columns, spelled as in the catalogue."""

    name: tuple[str, ...]  # schema, if there is one, and name
    columns: list[str]


class Database:
    """A Source; a subclass knows its engine.

    Rows are read in pages by `Id` instead of through a cursor of the server: MySQL and SQL Server allow one open cursor
    in a connection, MySQL ends it if the reader is slow, and another connection would not see the same snapshot.
    """

    # Selects schema, table and column of all columns of tables, not views, in their order. Some servers want capitals.
    catalogue: ClassVar[str] = """
        SELECT c.TABLE_SCHEMA, c.TABLE_NAME, c.COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS c
        JOIN INFORMATION_SCHEMA.TABLES t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
        WHERE t.TABLE_TYPE = 'BASE TABLE' AND {schema} ORDER BY c.TABLE_SCHEMA, c.TABLE_NAME, c.ORDINAL_POSITION"""
    schema: ClassVar[str] = "1 = 1"
    quotes: ClassVar[tuple[str, str]] = ('"', '"')
    page: ClassVar[str] = "SELECT {columns} FROM {table}{where} ORDER BY {key} LIMIT {number}"
    errors: tuple[type[Exception], ...] = ()

    def __init__(self, description: str) -> None:
        self.description = description
        self.fingerprint = ""
        self._connection: Any = None
        self._tables: dict[str, list[Table]] = {}

    def connect(self) -> Any:
        """Return a connection in a transaction that reads one state of the database, if the engine has one."""
        raise NotImplementedError

    def without_secrets(self, message: str) -> str:
        return message

    def __enter__(self) -> Self:
        try:
            self._connection = self.connect()
        except self.errors as error:
            reason = self.without_secrets(str(error))
            raise SourceError(f"{self.description} cannot be opened: {reason}") from None
        try:
            self._tables = self._read_catalogue()
            if not self._tables:
                raise SourceError(f"{self.description} has no tables that the account may read.")
            self.fingerprint = fingerprint_of(self)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def tables(self) -> list[str]:
        return list(self._tables)

    def columns(self, table: str) -> list[str]:
        found = self._find(table)
        return [name.casefold() for name in found.columns] if found else []

    def count(self, table: str) -> int:
        found = self._find(table)
        if found is None:
            return 0
        ((number,),) = self._execute(f"SELECT count(*) FROM {self._quote(*found.name)}", f"The table {table}")
        return int(number)

    def highest_id(self, table: str) -> int:
        found = self._find(table)
        if found is None:
            return 0
        key = self._quote(found.columns[_key_of(found)])
        ((number,),) = self._execute(f"SELECT max({key}) FROM {self._quote(*found.name)}", f"The table {table}")
        return 0 if number is None else _number(number, table)

    def rows(self, table: str) -> Iterator[Row]:
        found = self._find(table)
        if found is None:
            return
        names = [name.casefold() for name in found.columns]
        key = _key_of(found)
        last: int | None = None
        while page := self._execute(self._page(found, found.columns[key], last), f"The table {table}"):
            for values in page:
                yield dict(zip(names, map(plain, values), strict=True))
            last = _number(page[-1][key], table)
            if len(page) < _AT_A_TIME:
                return

    def _page(self, table: Table, key: str, last: int | None) -> str:
        quoted = self._quote(key)
        return self.page.format(
            columns=", ".join(map(self._quote, table.columns)),
            table=self._quote(*table.name),
            where="" if last is None else f" WHERE {quoted} > {last}",
            key=quoted,
            number=_AT_A_TIME,
        )

    def _find(self, table: str) -> Table | None:
        found = self._tables.get(table.casefold(), [])
        if len(found) > 1:
            names = " and ".join(".".join(one.name) for one in found)
            raise SourceError(f"The tables {names} have the same name but for the letter case.")
        for one in found:
            if len({name.casefold() for name in one.columns}) < len(one.columns):
                raise SourceError(f"The table {table} has two columns of the same name but for the letter case.")
        return found[0] if found else None

    def _read_catalogue(self) -> dict[str, list[Table]]:
        columns: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for row in self._execute(self.catalogue.format(schema=self.schema), "The catalogue"):
            columns[row[:-1]].append(row[-1])
        tables: dict[str, list[Table]] = defaultdict(list)
        for name, own in columns.items():
            tables[name[-1].casefold()].append(Table(name, own))
        return dict(tables)

    def _execute(self, statement: str, what: str) -> list[tuple[Any, ...]]:
        try:
            with closing(self._connection.cursor()) as cursor:
                cursor.execute(statement)
                return list(cursor.fetchall())
        except self.errors as error:
            reason = self.without_secrets(str(error))
            raise SourceError(f"{what} of {self.description} cannot be read: {reason}") from None

    def _quote(self, *names: str) -> str:
        opening, closing_mark = self.quotes
        return ".".join(opening + name.replace(closing_mark, closing_mark * 2) + closing_mark for name in names)


def plain(value: Any) -> Value:
    """Return a value of a driver as one of a Row: dates without time zone and fractions, other kinds as text."""
    if value is None or isinstance(value, str | int | float | Decimal):
        return value
    if isinstance(value, datetime):
        return value.replace(tzinfo=None, microsecond=0)
    if isinstance(value, date):
        return datetime.combine(value, time())
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode(errors="replace")
    return str(value)


def import_driver(name: str) -> ModuleType:
    """Raises SourceError if the optional package is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise SourceError(
            f"The package {name} is not installed: run pip install -r requirements-migration.txt."
        ) from error


def _key_of(table: Table) -> int:
    """Return the place of the column Id; version 5 had InputID in siteserver_Input. Raises SourceError."""
    folded = [name.casefold() for name in table.columns]
    for name in ("id", f"{table.name[-1].casefold().rpartition('_')[2]}id"):
        if name in folded:
            return folded.index(name)
    raise SourceError(f"The table {table.name[-1]} has no column Id.")


def _number(value: Any, table: str) -> int:
    if not isinstance(value, int | Decimal):
        raise SourceError(f"The table {table} has an Id that is not a number.")
    return int(value)
