"""Installs the database triggers of an app: rules that hold whoever writes to a table.

They are installed after every `migrate` rather than by a migration, because SQLite drops the triggers
of a table that a later migration rebuilds. The files are idempotent.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from django.db.backends.base.base import BaseDatabaseWrapper

_END = "-- end"  # a line of its own after each statement


def install(
    connection: BaseDatabaseWrapper,
    folder: Path,
    tables: Sequence[str],
    expressions: Mapping[str, str] = MappingProxyType({}),
) -> bool:
    """Run the folder's file for the connection's engine; False when the tables are not there yet.

    `/*name*/` in the file stands for the expression of that name.
    """
    if not set(tables) <= set(connection.introspection.table_names()):
        return False
    script = (folder / f"{connection.vendor}.sql").read_text(encoding="utf-8")
    for name, expression in expressions.items():
        script = script.replace(f"/*{name}*/", expression)
    with connection.cursor() as cursor:
        for statement in filter(str.strip, script.split(_END)):
            cursor.execute(statement)
    return True
