"""Brings rows into the database, just as they were stored."""

from collections.abc import Callable, Iterable
from typing import Any

from django.db import DataError
from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.operation.backup import kinds, tables
from cms_api.operation.backup.archive import Rows
from cms_api.operation.backup.faults import BackupFault
from cms_api.operation.backup.tables import Table


def load(connection: BaseDatabaseWrapper, part: Rows) -> None:
    """Insert the rows. Raises BackupFault in plain words where the engine cannot hold a value."""
    table, vendor = part.table, connection.vendor
    changed = [(place, column.kind) for place, column in enumerate(table.columns) if _differs(column.kind, vendor)]
    for row in part.rows:
        for place, kind in changed:
            row[place] = kinds.for_database(kind, row[place], vendor)
    names = ", ".join(connection.ops.quote_name(column.name) for column in table.columns)
    into = f"{connection.ops.quote_name(table.name)} ({names})"
    try:
        with connection.cursor() as cursor:
            if vendor == "sqlite":
                marks = ", ".join(["%s"] * len(table.columns))
                cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", part.rows)
            else:
                # Which Django leaves to the library, errors included.
                with connection.wrap_database_errors, cursor.copy(f"COPY {into} FROM STDIN") as copy:
                    for row in part.rows:
                        copy.write_row(row)
    except DataError as error:
        # What `unfit` does not foresee, such as JSON that PostgreSQL cannot hold.
        words = str(error).partition("\n")[0]
        raise BackupFault(f"The database cannot hold a row of {table.label}: {words}") from error


def _differs(kind: str, vendor: str) -> bool:
    return kind == kinds.BYTES or (kind == kinds.TIME and vendor == "sqlite")


def unfit(vendor: str, table: Table) -> Callable[[Iterable[list[Any]]], None]:
    """What raises BackupFault for rows that the engine cannot hold; SQLite holds whatever another engine did.

    PostgreSQL knows no NUL characters, and minds how long a text is, which SQLite does not.
    """
    if vendor == "sqlite":
        return lambda rows: None
    fields = {field.column: field for field in tables.model_of(table)._meta.concrete_fields}
    texts = [
        (place, column.name, getattr(fields.get(column.name), "max_length", None))
        for place, column in enumerate(table.columns)
        if column.kind in {kinds.TEXT, kinds.JSON}
    ]

    def check(rows: Iterable[list[Any]]) -> None:
        for row in rows:
            for place, name, most in texts:
                value = row[place]
                if value is None:
                    continue
                if "\0" in value:
                    raise BackupFault(
                        f"{table.label} {row[0]}: {name} has a NUL character, which PostgreSQL cannot hold."
                    )
                if most is not None and len(value) > most:
                    raise BackupFault(
                        f"{table.label} {row[0]}: {name} has {len(value)} characters; PostgreSQL can hold {most}."
                    )

    return check
