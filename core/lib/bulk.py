"""Stores many records of one model in a statement or two."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.models import Field, Model


def update_columns(records: Sequence[Model], names: Collection[str]) -> None:
    """Store these attributes of many records of one model; Django's bulk_update would write a CASE for each column."""
    if not records or not names:
        return
    options = records[0]._meta
    fields = [field for field in options.concrete_fields if field.attname in names]
    columns, is_postgresql = [*fields, options.pk], connection.vendor == "postgresql"
    if is_postgresql:
        sets = ", ".join(f'"{field.column}" = v{place}' for place, field in enumerate(fields))
        # In binary form: as texts, quotes in long texts would be escaped, which takes as long as storing them.
        arrays = ", ".join(f"%b::{array_type(column)}[]" for column in columns)
        values = ", ".join(f"v{place}" for place in range(len(columns)))
        source, key = f"FROM UNNEST({arrays}) AS v ({values})", f"v{len(fields)}"
    else:
        sets, source, key = ", ".join(f'"{field.column}" = %s' for field in fields), "", "%s"
    statement = f'UPDATE "{options.db_table}" AS t SET {sets} {source} WHERE t."{options.pk.column}" = {key}'
    rows = [
        [column.get_db_prep_save(column.pre_save(record, add=False), connection) for column in columns]
        for record in records
    ]
    with connection.cursor() as cursor:
        if is_postgresql:
            cursor.execute(statement, [list(values) for values in zip(*rows, strict=True)])
        else:
            cursor.executemany(statement, rows)  # prepares the statement once for all rows


def insert_records(records: Sequence[Model]) -> None:
    """Insert records of one model and set their ids; on PostgreSQL in half of the time of Django's bulk_create."""
    if not records:
        return
    options = records[0]._meta
    if connection.vendor != "postgresql":
        options.base_manager.bulk_create(records)
        return
    has_ids = records[0].pk is not None
    fields = [field for field in options.concrete_fields if has_ids or not field.primary_key]
    columns = {field.column: [vars(record)[field.attname] for record in records] for field in fields}
    # Most columns have one value for all records, which needs no array.
    alike = [field for field in fields if all(value == columns[field.column][0] for value in columns[field.column])]
    several = [field for field in fields if field not in alike] or fields
    selected = [f'v."{field.column}"' if field in several else f"%s::{array_type(field)}" for field in fields]
    statement = (
        f'INSERT INTO "{options.db_table}" ({_names(fields)}) SELECT {", ".join(selected)} '
        f"FROM UNNEST({', '.join(f'%b::{array_type(field)}[]' for field in several)}) AS v ({_names(several)})"
    )
    params = [field.get_db_prep_save(columns[field.column][0], connection) for field in fields if field not in several]
    params += [[field.get_db_prep_save(value, connection) for value in columns[field.column]] for field in several]
    with connection.cursor() as cursor:
        cursor.execute(f'{statement} RETURNING "{options.pk.column}"', params)
        numbers = cursor.fetchall()
    for record, (number,) in zip(records, numbers, strict=True):
        record.pk = number
        record._state.adding, record._state.db = False, connection.alias


def _names(fields: Iterable["Field[Any, Any]"]) -> str:
    return ", ".join(f'"{field.column}"' for field in fields)


def array_type(field: "Field[Any, Any]") -> str:
    """The type of the column for casts; a cast to varchar(n) would cut texts off."""
    return re.sub(r"\(\d+\)", "", str(field.rel_db_type(connection)))
