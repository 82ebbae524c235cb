"""Stores a new content: one statement on PostgreSQL, one short transaction on SQLite."""

from collections.abc import Sequence
from typing import Any

from django.db import connection, transaction

from contents.models import Content

# Every column but the id, which the database gives, and taxis, which a statement takes.
_FIELDS = tuple(field for field in Content._meta.concrete_fields if field.name not in {"id", "taxis"})
_NAMES = tuple(field.attname for field in _FIELDS)
_DATES = frozenset(field.attname for field in _FIELDS if field.get_internal_type() == "DateTimeField")
_COLUMNS = ", ".join(_NAMES)
_MARKS = ", ".join(["%s"] * len(_NAMES))

# The row of contents_lasttaxis is a lock: parallel creations in a channel are numbered in turn.
# What an import or a move brought into the channel counts too; an index gives the highest.
_NEXT_TAXIS = (
    "INSERT INTO contents_lasttaxis AS last (channel_id, taxis) "
    "SELECT %s, COALESCE(MAX(taxis), 0) + 1 FROM contents_content WHERE channel_id = %s "
    "ON CONFLICT (channel_id) DO UPDATE SET taxis = "
    "CASE WHEN excluded.taxis > last.taxis THEN excluded.taxis ELSE last.taxis + 1 END RETURNING taxis"
)
_GIVEN_TAXIS = (
    "INSERT INTO contents_lasttaxis AS last (channel_id, taxis) VALUES (%s, %s) "
    "ON CONFLICT (channel_id) DO UPDATE SET taxis = "
    "CASE WHEN last.taxis > excluded.taxis THEN last.taxis ELSE excluded.taxis END RETURNING taxis"
)
_INSERT = f"INSERT INTO contents_content ({_COLUMNS}, taxis)"
_INSERT_BODY = "INSERT INTO contents_contentbody (content_id, text)"
_ONE_STATEMENT = (
    "WITH place AS ({taxis}), "
    f"made AS ({_INSERT} SELECT {_MARKS}, {{value}} FROM place RETURNING id, taxis), "
    f"body AS ({_INSERT_BODY} SELECT id, %s FROM made) SELECT id, taxis FROM made"
)


def insert_content(values: dict[str, Any], body: str) -> tuple[int, int]:
    """Store a content and its body; return its id and its taxis.

    `values` hold every column by attribute name, `taxis` excepted: without it the content gets the
    number after the highest one of its channel.
    """
    row = [values[name] for name in _NAMES]
    if connection.vendor == "postgresql":
        return _insert_at_once(values, row, body)
    return _insert_in_steps(values, row, body)


def note_taxis(channel_id: int, taxis: int) -> None:
    """Let later contents of the channel be numbered after this one."""
    with connection.cursor() as cursor:
        cursor.execute(_GIVEN_TAXIS, (channel_id, taxis))


def _insert_at_once(values: dict[str, Any], row: Sequence[Any], body: str) -> tuple[int, int]:
    given = values.get("taxis")
    if given is None:
        sql, params = _AT_ONCE_NEXT, [values["channel_id"], values["channel_id"], *row, body]
    else:
        sql, params = _AT_ONCE_GIVEN, [values["channel_id"], given, *row, given, body]
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        content_id, taxis = cursor.fetchone()
    return content_id, taxis


def _insert_in_steps(values: dict[str, Any], row: Sequence[Any], body: str) -> tuple[int, int]:
    taxis, adapt = values.get("taxis"), connection.ops.adapt_datetimefield_value
    row = [adapt(value) if name in _DATES else value for name, value in zip(_NAMES, row, strict=True)]
    with transaction.atomic(), connection.cursor() as cursor:
        if taxis is None:
            cursor.execute(_NEXT_TAXIS, (values["channel_id"], values["channel_id"]))
            (taxis,) = cursor.fetchone()
        else:
            note_taxis(values["channel_id"], taxis)
        cursor.execute(f"{_INSERT} VALUES ({_MARKS}, %s) RETURNING id", [*row, taxis])
        (content_id,) = cursor.fetchone()
        cursor.execute(f"{_INSERT_BODY} VALUES (%s, %s)", (content_id, body))
    return content_id, taxis


_AT_ONCE_NEXT = _ONE_STATEMENT.format(taxis=_NEXT_TAXIS, value="taxis")
_AT_ONCE_GIVEN = _ONE_STATEMENT.format(taxis=_GIVEN_TAXIS, value="%s")
