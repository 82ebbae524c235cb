"""The numbers that a database has given out, so that it never gives one out again, not even of a row that is gone."""

from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.operation.backup.tables import Table


def last_number(connection: BaseDatabaseWrapper, table: Table) -> int:
    """The last number that was given out for a row of the table; 0 where none was, or the database gives out none."""
    if not table.is_numbered:
        return 0
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT MAX(seq) FROM sqlite_sequence WHERE name = %s", [table.name])
            return int(cursor.fetchone()[0] or 0)
        cursor.execute(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {_sequence(connection, table)}")
        return int(cursor.fetchone()[0])


def go_on_after(connection: BaseDatabaseWrapper, table: Table, number: int) -> None:
    """Let the next row of the table have the number after that one."""
    if not table.is_numbered:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table.name])
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table.name, number])
        else:
            sequence = _sequence(connection, table)
            cursor.execute("SELECT setval(%s, %s, %s)", [sequence, max(number, 1), number > 0])


def _sequence(connection: BaseDatabaseWrapper, table: Table) -> str:
    name = connection.ops.quote_name(table.name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [name, table.columns[0].name])
        # With its schema, and with quotes where it needs them.
        return str(cursor.fetchone()[0])
