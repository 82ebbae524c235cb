"""Cursors: opaque texts that say where a page begins.

A cursor holds the sort keys of the previous page's last content, or its place among the results of a search, and a
digest of the list. It is not signed: values from clients are validated and bound.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, TypeVar

import orjson
from django.db import connection

from contents.flags import FLAGS
from contents.lists.request import ListRequest
from contents.rules.sql import SortKey
from contents.sql_fragments import SqlFragment, join
from contents.wire.columns import Column
from core.lib.errors import InvalidInput
from core.rest.rules import AllOf, Expression, Negation, Rule

_VERSION = "1"
_DIGEST = 8  # bytes
_TEXT = re.compile(r"[A-Za-z0-9_-]{1,200000}", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{6})?", re.ASCII)
Read = TypeVar("Read")
_UNLIMITED = frozenset({"content", "summary", "settingsXml"})  # texts of unlimited length


def write_cursor(request: ListRequest, columns: Sequence[Column], values: Sequence[Any]) -> str:
    plain = [
        str(value) if isinstance(value, datetime) else bool(value) if column.is_boolean else value
        for column, value in zip(columns, values, strict=True)
    ]
    return write_values(request, plain)


def write_values(request: ListRequest, values: Sequence[Any]) -> str:
    return _VERSION + urlsafe_b64encode(_digest(request) + orjson.dumps(values)).decode().rstrip("=")


def read_cursor(request: ListRequest, columns: Sequence[Column]) -> list[Any] | None:
    """The sort keys before the first row of the page; None for the first page. Raises InvalidInput."""

    def read(values: list[Any]) -> list[Any]:
        return [_read(column, value) for column, value in zip(columns, values, strict=True)]

    return read_values(request, read)


def read_values(request: ListRequest, read: Callable[[list[Any]], Read]) -> Read | None:
    """What `read` makes of the values in the cursor; None for the first page. Raises InvalidInput, also for its
    ValueError and TypeError."""
    if not (text := request.cursor):
        return None
    try:
        if not _TEXT.fullmatch(text) or text[0] != _VERSION:
            raise ValueError(text)
        decoded = urlsafe_b64decode(text[1:] + "=" * (-len(text[1:]) % 4))
        if decoded[:_DIGEST] != _digest(request):
            raise _wrong("belongs to another list: keep filters and orders the same between pages")
        values = orjson.loads(decoded[_DIGEST:])
        if not isinstance(values, list):
            raise ValueError(text)
        return read(values)
    except (ValueError, TypeError) as error:
        raise _wrong("was not issued by the service") from error


def raise_if_unlimited(column: Column, name: str) -> None:
    """Raise InvalidInput if the column's values may be too long for a cursor."""
    if column.wire in _UNLIMITED or column.is_custom:
        message = f"{name} orders by {column.wire}, whose values may have any length; it cannot be used with a cursor."
        raise InvalidInput("invalid_cursor", message, member="cursor")


def _wrong(what: str) -> InvalidInput:
    return InvalidInput("invalid_cursor", f"The cursor {what}.", member="cursor")


def _digest(request: ListRequest) -> bytes:
    flags = {name: value for name in FLAGS if (value := getattr(request, name)) is not None}
    names = (sorted(request.group_names), sorted(request.tag_names))
    orders = [(order.column.strip().casefold(), order.desc) for order in request.orders]
    rules = (list(map(_meaning, request.wheres)), orders)
    plain: tuple[Any, ...] = (request.site_id, request.list_channel_id, flags, names, rules)
    if request.query or request.channel_ids is not None:
        plain += (request.query, request.channel_ids)
    return blake2b(orjson.dumps(plain), digest_size=_DIGEST).digest()


def _meaning(expression: Expression) -> Any:
    if isinstance(expression, Rule):
        column, operator = expression.column.strip().casefold(), expression.operator.casefold()
        return (column, operator, expression.value, expression.as_json)
    if isinstance(expression, Negation):
        return ("not", [_meaning(expression.part)])
    return ("all" if isinstance(expression, AllOf) else "any", list(map(_meaning, expression.parts)))


def _read(column: Column, value: Any) -> Any:
    """Convert the value for the database. Raises ValueError."""
    if value is None and column.is_nullable:
        return None
    if column.is_date:
        # With fractions, which stored dates may have although requests lose them.
        if not isinstance(value, str) or not _MOMENT.fullmatch(value):
            raise ValueError(value)
        return connection.ops.adapt_datetimefield_value(datetime.fromisoformat(value))
    try:
        value = column.read(value, column.wire)
    except InvalidInput as error:
        raise ValueError(value) from error
    if column.is_text and "\0" in value:
        raise ValueError(value)
    return value


# ---- conditions


def after(keys: Sequence[tuple[str, SortKey]], values: Sequence[Any]) -> SqlFragment:
    """Rows after the values in the order of the keys, each with its SQL."""
    first, first_key = keys[0]
    if len({key.descending for _, key in keys}) == 1 and not any(key.column.is_nullable for _, key in keys):
        return row_after([sql for sql, _ in keys], values, descending=first_key.descending)
    # One alternative per key: equal in all earlier keys and after the value in this one.
    ways: list[SqlFragment] = []
    equal: list[SqlFragment] = []
    for (sql, key), value in zip(keys, values, strict=True):
        ways.append(join([*equal, _beyond(sql, key, value)]))
        equal.append(SqlFragment(f"{sql} IS NULL") if value is None else SqlFragment(f"{sql} = %s", (value,)))
    if first_key.column.is_nullable:
        return join(ways, " OR ")
    # Repeat only the bound of the first key, so that its index is used.
    reach = SqlFragment(f"{first} {'<=' if first_key.descending else '>='} %s", (values[0],))
    return join([reach, join(ways, " OR ")])


def row_after(columns: Sequence[str], values: Sequence[Any], *, descending: bool) -> SqlFragment:
    """Like `after`, for non-null columns in one direction: an index range."""
    marks = ", ".join(["%s"] * len(columns))
    return SqlFragment(f"({', '.join(columns)}) {'<' if descending else '>'} ({marks})", tuple(values))


def _beyond(sql: str, key: SortKey, value: Any) -> SqlFragment:
    if value is None:  # null sorts before every value
        return SqlFragment("1 = 0" if key.descending else f"{sql} IS NOT NULL")
    beyond = SqlFragment(f"{sql} {'<' if key.descending else '>'} %s", (value,))
    if key.descending and key.column.is_nullable:
        return join([beyond, SqlFragment(f"{sql} IS NULL")], " OR ")
    return beyond
