from datetime import datetime

from django.db.backends.base.base import BaseDatabaseWrapper


def now() -> datetime:
    """Return the wall-clock time of CMS_TIME_ZONE, to the second: the wire form has no fraction."""
    return datetime.now().replace(microsecond=0)


def date_text(sql: str, connection: BaseDatabaseWrapper) -> str:
    """Return SQL for a date and time in the wire form, so that a record needs no conversion."""
    return f"left({sql}::text, 19)" if connection.vendor == "postgresql" else f"substr({sql}, 1, 19)"
