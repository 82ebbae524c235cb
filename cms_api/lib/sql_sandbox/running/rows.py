"""Rows of an engine as the JSON of the answer."""

import base64
from collections.abc import Iterable, Sequence
from decimal import Decimal

import orjson

from cms_api.lib.sql_sandbox.catalogue import Kind
from cms_api.lib.sql_sandbox.compiled import Answer
from cms_api.lib.sql_sandbox.limits import Limits
from cms_api.lib.sql_sandbox.refusals import TooLarge


def shape_rows(rows: Iterable[Sequence[object] | None], columns: Sequence[tuple[str, Kind]], limits: Limits) -> Answer:
    """The rows as a JSON list of objects, cut short at the first limit reached. Raises TooLarge.

    No more than one row beyond the answer is taken from `rows`, so that what is held stays within the limit
    of bytes and one row. None stands for a row that the engine found to be over that limit.
    """
    shaped: list[bytes] = []
    room = limits.bytes - len(b"[]")
    for row in rows:
        if len(shaped) == limits.rows:
            return _answer(shaped, "rows")
        one = None if row is None else _shape(row, columns, room)
        if one is None and not shaped:
            raise TooLarge(f"A single row of the result has more than {limits.bytes} bytes.")
        if one is None:
            return _answer(shaped, "bytes")
        shaped.append(one)
        room -= len(one) + len(b",")
    return _answer(shaped, "")


def _answer(shaped: list[bytes], truncated: str) -> Answer:
    return Answer(b"[" + b",".join(shaped) + b"]", truncated)


def _shape(row: Sequence[object], columns: Sequence[tuple[str, Kind]], room: int) -> bytes | None:
    """The row as a JSON object; None if it does not fit into the room."""
    # A wide row is recognised before a second copy of it is made.
    if sum(len(value) for value in row if isinstance(value, str | bytes)) > room:
        return None
    members = {
        # SQLite has no type for conditions.
        name: bool(value) if kind is Kind.BOOLEAN and value is not None else value
        for (name, kind), value in zip(columns, row, strict=True)
    }
    try:
        shaped = orjson.dumps(members, default=_plain)
    except orjson.JSONEncodeError:
        shaped = orjson.dumps({name: _writable(value) for name, value in members.items()}, default=_plain)
    return shaped if len(shaped) <= room else None


def _plain(value: object) -> object:
    """What stands in JSON for a value that JSON does not know."""
    if isinstance(value, Decimal):
        is_whole = value.is_finite() and value.adjusted() < 19 and value == value.to_integral_value()
        return int(value) if is_whole else float(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode("ascii")
    raise TypeError(f"No value of the type {type(value).__name__} is expected from a database.")


def _writable(value: object) -> object:
    """The value, or the nearest that JSON can hold: no lone surrogates, no whole numbers beyond 64 bits."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    value = _plain(value) if isinstance(value, Decimal) else value
    return float(value) if isinstance(value, int) and not -(2**63) <= value < 2**63 else value
