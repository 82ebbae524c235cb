"""Values as the interface writes them, in bodies and in queries."""

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

_MAX_KEY = 255  # characters of an Idempotency-Key


def text_of(value: object) -> str:
    """The value as a text: `true`, `2026-03-01 09:30:00`. Raises TypeError for what has no such text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return moment(value)
    if isinstance(value, str | int | float | Decimal):
        return str(value)
    raise TypeError(f"A {type(value).__name__} is no value of a rule or a query.")


def texts_of(value: object) -> list[str] | None:
    """Several values as texts; None for a single one. Raises TypeError for what is neither."""
    if isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Iterable):
        return None
    return list(map(text_of, value))


def moment(value: object) -> str:
    """A date or time as the interface has it; one with a zone keeps its offset. Raises TypeError for anything else."""
    if isinstance(value, datetime):
        return value.isoformat(" " if value.tzinfo is None else "T", "seconds")
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"A {type(value).__name__} cannot be written as JSON.")


def json_of(body: Members) -> bytes:
    """The body as JSON; members without a value (None) are sent as null. Raises TypeError and ValueError."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False, default=moment).encode()


def without_absent(members: Members) -> dict[str, object]:
    """The members that have a value."""
    return {name: value for name, value in members.items() if value is not None}


def check_names(given: Members, kind: type) -> None:
    """Raises TypeError for a filter that this kind of TypedDict does not have: misspelt, it would choose everything."""
    if unknown := sorted(given.keys() - kind.__annotations__.keys()):
        raise TypeError(f"There is no filter {unknown[0]}; there are {', '.join(sorted(kind.__annotations__))}.")


def path_of(*parts: str | int) -> str:
    """The path below /api/v1, each part as a part of its own."""
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def query_of(parameters: Mapping[str, Any]) -> str:
    """The parameters that have a value; several are joined by commas."""
    texts = {name: _joined(value) for name, value in parameters.items() if value is not None}
    return urlencode(texts)


def _joined(value: object) -> str:
    texts = texts_of(value)
    return text_of(value) if texts is None else ",".join(texts)


def digest_of(password: str) -> str:
    """What logins present in place of a password: its MD5, which every server of the interface takes."""
    return md5(password.encode(), usedforsecurity=False).hexdigest()


def new_key() -> str:
    """A new Idempotency-Key."""
    return secrets.token_hex(16)


def checked_key(key: str) -> str:
    """The Idempotency-Key. Raises ValueError for one that servers refuse."""
    if not 0 < len(key) <= _MAX_KEY or not fits_header(key):
        raise ValueError(
            f"An idempotency key has 1 to {_MAX_KEY} printable characters of ASCII, no blanks around them."
        )
    return key


def fits_header(value: str) -> bool:
    """Whether a header can carry the value as it is."""
    return value.isascii() and value.isprintable() and value == value.strip()


def checked_header(name: str, value: str) -> str:
    """The value of a header. Raises ValueError for one that cannot be sent, which is not shown: it may be a secret."""
    if not fits_header(value):
        raise ValueError(f"The value for {name} has characters that no header can carry, or blanks around it.")
    return value
