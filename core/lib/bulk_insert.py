from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.models import Field, Model

from core.lib.bulk_update import array_type


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
