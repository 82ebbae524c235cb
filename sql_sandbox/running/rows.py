import base64
from collections.abc import Iterable, Sequence
from decimal import Decimal

import orjson

from sql_sandbox.catalogue import ValueKind
from sql_sandbox.compiled import Answer, Limits
from sql_sandbox.refusals import TooLarge


def shape_rows(
    rows: Iterable[Sequence[object] | None], columns: Sequence[tuple[str, ValueKind]], limits: Limits
) -> Answer:
    """Return the rows as a JSON list of objects, cut at the first limit reached. Raise TooLarge.

    At most one row beyond the response is taken, to bound memory. None is a row that the engine found too long.
    """
    shaped: list[bytes] = []
    room = limits.bytes - len(b"[]")
    truncated = ""
    for row in rows:
        if len(shaped) == limits.rows:
            truncated = "rows"
            break
        one = None if row is None else _shape(row, columns, room)
        if one is None:
            if not shaped:
                raise TooLarge(f"A single row of the result has more than {limits.bytes} bytes.")
            truncated = "bytes"
            break
        shaped.append(one)
        room -= len(one) + len(b",")
    return Answer(b"[" + b",".join(shaped) + b"]", truncated)


def _shape(row: Sequence[object], columns: Sequence[tuple[str, ValueKind]], room: int) -> bytes | None:
    # Refuse a wide row before copying it.
    if sum(len(value) for value in row if isinstance(value, str | bytes)) > room:
        return None
    members = {
        # SQLite has no type for conditions.
        name: bool(value) if kind is ValueKind.BOOLEAN and value is not None else value
        for (name, kind), value in zip(columns, row, strict=True)
    }
    try:
        shaped = orjson.dumps(members, default=_plain)
    except orjson.JSONEncodeError:
        shaped = orjson.dumps({name: _writable(value) for name, value in members.items()}, default=_plain)
    return shaped if len(shaped) <= room else None


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        is_whole = value.is_finite() and value.adjusted() < 19 and value == value.to_integral_value()
        return int(value) if is_whole else float(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode("ascii")
    raise TypeError(f"A database should not return a value of the type {type(value).__name__}.")


def _writable(value: object) -> object:
    """Return the value, or the nearest that JSON can hold: no lone surrogates, no whole numbers beyond 64 bits."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    value = _plain(value) if isinstance(value, Decimal) else value
    return float(value) if isinstance(value, int) and not -(2**63) <= value < 2**63 else value
