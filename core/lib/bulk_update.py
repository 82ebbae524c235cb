import re
from collections.abc import Collection, Sequence
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


def array_type(field: "Field[Any, Any]") -> str:
    """The type of the column for casts; a cast to varchar(n) would cut texts off."""
    return re.sub(r"\(\d+\)", "", str(field.rel_db_type(connection)))
