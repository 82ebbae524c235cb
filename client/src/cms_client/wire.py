"""Encoding of values in bodies, queries and headers."""

import json
import secrets
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from hashlib import md5
from typing import Any
from urllib.parse import quote, urlencode

Scalar = str | int | float | bool | date | None
Value = Scalar | Iterable[Scalar]
Members = Mapping[str, object]

_MAX_KEY = 255  # maximum length of an Idempotency-Key, in characters


def text_of(value: object) -> str:
    """Encode a value as a string, such as `true` or `2026-03-01 09:30:00`. Raises TypeError for other types."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return moment(value)
    if isinstance(value, str | int | float | Decimal):
        return str(value)
    raise TypeError(f"A {type(value).__name__} is no value of a rule or a query.")


def texts_of(value: object) -> list[str] | None:
    """Encode several values as strings; return None for a single value. Raises TypeError for an unsupported element."""
    if isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Iterable):
        return None
    return list(map(text_of, value))


def moment(value: object) -> str:
    """Encode a date or datetime; an aware datetime keeps its UTC offset. Raises TypeError for other types."""
    if isinstance(value, datetime):
        return value.isoformat(" " if value.tzinfo is None else "T", "seconds")
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"A {type(value).__name__} cannot be written as JSON.")


def json_of(body: Members) -> bytes:
    """Encode a body as JSON, None as null. Raises TypeError for unsupported types, ValueError for NaN and infinity."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False, default=moment).encode()


def without_absent(members: Members) -> dict[str, object]:
    """Return the members whose value is not None."""
    return {name: value for name, value in members.items() if value is not None}


def check_names(given: Members, kind: type) -> None:
    """Raise TypeError for a filter that the TypedDict does not define: if ignored, it would match everything."""
    if unknown := sorted(given.keys() - kind.__annotations__.keys()):
        raise TypeError(f"There is no filter {unknown[0]}; there are {', '.join(sorted(kind.__annotations__))}.")


def path_of(*parts: str | int) -> str:
    """Return the path below /api/v1 with each part percent-encoded."""
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def query_of(parameters: Mapping[str, Any]) -> str:
    """Encode the parameters that are not None as a query string; join several values with commas."""
    texts = {name: _joined(value) for name, value in parameters.items() if value is not None}
    return urlencode(texts)


def _joined(value: object) -> str:
    texts = texts_of(value)
    return text_of(value) if texts is None else ",".join(texts)


def digest_of(password: str) -> str:
    """Return the MD5 of a password, which logins send instead of the password and all servers accept."""
    return md5(password.encode(), usedforsecurity=False).hexdigest()


def new_key() -> str:
    """Generate an Idempotency-Key."""
    return secrets.token_hex(16)


def checked_key(key: str) -> str:
    """Return the Idempotency-Key. Raises ValueError if servers would reject it."""
    if not 0 < len(key) <= _MAX_KEY or not fits_header(key):
        raise ValueError(
            f"An idempotency key has 1 to {_MAX_KEY} printable characters of ASCII, no blanks around them."
        )
    return key


def fits_header(value: str) -> bool:
    """Return whether the value can be sent unchanged in a header."""
    return value.isascii() and value.isprintable() and value == value.strip()


def checked_header(name: str, value: str) -> str:
    """Return the header value. Raises ValueError, without the value, which may be secret, if it cannot be sent."""
    if not fits_header(value):
        raise ValueError(f"The value for {name} has characters that no header can carry, or blanks around it.")
    return value
