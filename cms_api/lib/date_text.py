"""Dates and times as the wire has them, made by the database: a record then needs no conversion."""

from django.db.backends.base.base import BaseDatabaseWrapper


def date_text(sql: str, connection: BaseDatabaseWrapper) -> str:
    """SQL of a date and time in the wire form."""
    if connection.vendor == "postgresql":
        return f"left({sql}::text, 19)"
    return f"substr({sql}, 1, 19)"
