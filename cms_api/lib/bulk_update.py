"""Stores columns of many records by one statement, however many columns: an ORM update would write a CASE for each."""

import re
from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection
from django.db.models import Field, Model

_LENGTH = re.compile(r"\(\d+\)")  # a cast to it would cut texts off


def update_columns(records: Sequence[Model], names: Collection[str]) -> None:
    """Store these columns, by attribute name, of records of one model; others stay as they are."""
    if not records or not names:
        return
    options = records[0]._meta
    fields = [field for field in options.concrete_fields if field.attname in names]
    update = _by_arrays if connection.vendor == "postgresql" else _row_by_row
    update(options.db_table, options.pk, fields, records)


def _by_arrays(table: str, key: "Field[Any, Any]", fields: "list[Field[Any, Any]]", records: Sequence[Model]) -> None:
    columns = [key, *fields]
    arrays = ", ".join(f"%s::{_LENGTH.sub('', str(column.rel_db_type(connection)))}[]" for column in columns)
    sets = ", ".join(f"{_quoted(column)} = v{place}" for place, column in enumerate(columns) if place)
    names = ", ".join(f"v{place}" for place in range(len(columns)))
    with connection.cursor() as cursor:
        cursor.execute(
            f'UPDATE "{table}" AS t SET {sets} FROM UNNEST({arrays}) AS v ({names}) WHERE t.{_quoted(key)} = v0',
            [[_prepared(column, record) for record in records] for column in columns],
        )


def _row_by_row(table: str, key: "Field[Any, Any]", fields: "list[Field[Any, Any]]", records: Sequence[Model]) -> None:
    sets = ", ".join(f"{_quoted(column)} = %s" for column in fields)
    with connection.cursor() as cursor:
        # A statement is prepared once for all of them.
        cursor.executemany(
            f'UPDATE "{table}" SET {sets} WHERE {_quoted(key)} = %s',
            [[_prepared(column, record) for column in (*fields, key)] for record in records],
        )


def _quoted(column: "Field[Any, Any]") -> str:
    return f'"{column.column}"'


def _prepared(column: "Field[Any, Any]", record: Model) -> Any:
    return column.get_db_prep_save(getattr(record, column.attname), connection)
