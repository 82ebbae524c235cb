"""Cursors: where a page of a list begins, as a text that a client gets and sends back.

A cursor holds the sort keys of the last content before the page, and a digest of the list that it belongs to. It is no
secret and proves nothing: whatever a client makes of it, its values are read as those of their columns and bound.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any

import orjson
from django.db import connection

from cms_api.lib.errors import InvalidInput
from cms_api.rest.fields import read_boolean, read_integer, read_text
from cms_api.rest.rules import AllOf, Expression, Negation, Rule
from contents.conditions import Condition, join
from contents.flags import FLAGS
from contents.lists.request import ListRequest
from contents.rules.writer import SortKey
from contents.wire.columns import Column

_VERSION = "1"
_DIGEST = 8  # bytes
_TEXT = re.compile(r"[A-Za-z0-9_-]{1,200000}", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{6})?", re.ASCII)
_UNLIMITED = frozenset({"content", "summary", "settingsXml"})  # texts of any length


def write_cursor(request: ListRequest, columns: Sequence[Column], values: Sequence[Any]) -> str:
    """The cursor of the page after the content with these sort keys."""
    plain = [_plain(column, value) for column, value in zip(columns, values, strict=True)]
    return _VERSION + urlsafe_b64encode(_digest(request) + orjson.dumps(plain)).decode().rstrip("=")


def read_cursor(request: ListRequest, columns: Sequence[Column]) -> list[Any] | None:
    """The sort keys after which the page begins, None for the first page. Raises InvalidInput."""
    text = request.cursor or ""
    if not text:
        return None
    decoded = _decode(text)
    if decoded[:_DIGEST] != _digest(request):
        raise _wrong("belongs to another list: filters and orders must stay the same between its pages")
    try:
        values = orjson.loads(decoded[_DIGEST:])
        if not isinstance(values, list) or len(values) != len(columns):
            raise ValueError(text)
        return [_read(column, value) for column, value in zip(columns, values, strict=True)]
    except (ValueError, InvalidInput) as error:
        raise _wrong("is none that the service has given") from error


def _plain(column: Column, value: Any) -> Any:
    if isinstance(value, datetime):
        return str(value)
    return bool(value) if column.is_boolean else value


def refuse_unlimited(column: Column, name: str) -> None:
    """Raises InvalidInput for a column whose values may be too long for a cursor."""
    if column.wire in _UNLIMITED or column.is_custom:
        message = f"{name} is an order by {column.wire}, which may be of any length; no cursor goes by it."
        raise InvalidInput("invalid_cursor", message, member="cursor")


def _wrong(what: str) -> InvalidInput:
    return InvalidInput("invalid_cursor", f"The cursor {what}.", member="cursor")


def _decode(text: str) -> bytes:
    if not _TEXT.fullmatch(text) or text[0] != _VERSION:
        raise _wrong("is none that the service has given")
    try:
        return urlsafe_b64decode(text[1:] + "=" * (-len(text[1:]) % 4))
    except ValueError as error:
        raise _wrong("is none that the service has given") from error


def _digest(request: ListRequest) -> bytes:
    """What the list is, apart from its pages, the shape of its contents, and the spelling of its rules."""
    flags = {name: value for name in FLAGS if (value := getattr(request, name)) is not None}
    names = (sorted(request.group_names), sorted(request.tag_names))
    orders = [(order.column.strip().casefold(), order.desc) for order in request.orders]
    rules = (list(map(_meaning, request.wheres)), orders)
    plain = (request.site_id, request.list_channel_id, flags, names, rules)
    return blake2b(orjson.dumps(plain), digest_size=_DIGEST).digest()


def _meaning(expression: Expression) -> Any:
    if isinstance(expression, Rule):
        return (
            expression.column.strip().casefold(),
            expression.operator.casefold(),
            expression.value,
            expression.as_json,
        )
    if isinstance(expression, Negation):
        return ("not", [_meaning(expression.part)])
    return ("all" if isinstance(expression, AllOf) else "any", list(map(_meaning, expression.parts)))


def _read(column: Column, value: Any) -> Any:
    """The value as the database compares it. Raises ValueError or InvalidInput."""
    if value is None and column.is_nullable:
        return None
    if column.is_date:
        return _read_moment(value)
    if column.is_boolean:
        return read_boolean(value, column.wire)
    if not column.is_text:
        return read_integer(value, column.wire)
    text = read_text(value, column.wire)
    if "\0" in text:
        raise ValueError(text)
    return text


def _read_moment(value: Any) -> Any:
    # With its fraction, which dates of bodies lose: contents may have been stored with one.
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        raise ValueError(value)
    return connection.ops.adapt_datetimefield_value(datetime.fromisoformat(value))


# ---- conditions


def after(keys: Sequence[tuple[str, SortKey]], values: Sequence[Any]) -> Condition:
    """What comes after the values in the order of the keys, each given with its SQL."""
    first, first_key = keys[0]
    if len({key.descending for _, key in keys}) == 1 and not any(key.column.is_nullable for _, key in keys):
        return row_after([sql for sql, _ in keys], values, descending=first_key.descending)
    ways = [_after_equal(keys[: place + 1], values) for place in range(len(keys))]
    if first_key.column.is_nullable:
        return join(ways, " OR ")
    # Said once more of the first key alone, so that its index begins there.
    reach = Condition(f"{first} {'<=' if first_key.descending else '>='} %s", (values[0],))
    return join([reach, join(ways, " OR ")])


def row_after(columns: Sequence[str], values: Sequence[Any], *, descending: bool) -> Condition:
    """The same of columns in one direction, none of which can be null: a range of an index on them."""
    marks = ", ".join(["%s"] * len(columns))
    return Condition(f"({', '.join(columns)}) {'<' if descending else '>'} ({marks})", tuple(values))


def _after_equal(keys: Sequence[tuple[str, SortKey]], values: Sequence[Any]) -> Condition:
    """Equal in all keys but the last, and after the value in that one."""
    *equal, (last, key) = keys
    parts = [_equal(sql, value) for (sql, _), value in zip(equal, values, strict=False)]
    return join([*parts, _beyond(last, key, values[len(equal)])])


def _equal(sql: str, value: Any) -> Condition:
    return Condition(f"{sql} IS NULL") if value is None else Condition(f"{sql} = %s", (value,))


def _beyond(sql: str, key: SortKey, value: Any) -> Condition:
    if value is None:  # which lies before every value
        return Condition("1 = 0" if key.descending else f"{sql} IS NOT NULL")
    beyond = Condition(f"{sql} {'<' if key.descending else '>'} %s", (value,))
    if key.descending and key.column.is_nullable:
        return join([beyond, Condition(f"{sql} IS NULL")], " OR ")
    return beyond
