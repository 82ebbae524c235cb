"""Operations as values: what to send, how to read the response, and whether a retry is safe."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any, Generic, TypeVar

import httpx

from cms_client.forms import Form
from cms_client.records import Tagged
from cms_client.wire import Members, checked_header, checked_key, json_of, new_key, path_of, query_of

T = TypeVar("T")
Reader = Callable[[httpx.Response], T]
JSON = "application/json; charset=utf-8"


class Repeats(Enum):
    """Whether to retry a request that may have reached the server."""

    READ = auto()  # changes nothing: retry
    REPLACES = auto()  # a second request stores the same values again: retry
    KEYED = auto()  # retry if the server supports Idempotency-Keys
    NEVER = auto()


@dataclass(frozen=True, slots=True)
class Operation(Generic[T]):
    """A request and the function that reads its response."""

    method: str
    path: str  # below /api/v1
    read: Reader[T]
    repeats: Repeats = Repeats.READ
    query: str = field(default="", repr=False)
    body: bytes | Form = field(default=b"", repr=False)  # may contain passwords; the headers may contain tokens
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    with_key: bool = True

    def with_headers(self, **values: str | None) -> "Operation[T]":
        """Return a copy with these headers, named with underscores; omit None. Raises ValueError for invalid values."""
        named = {name.replace("_", "-"): value for name, value in values.items() if value is not None}
        given = {name: checked_header(name, value) for name, value in named.items()}
        return replace(self, headers={**self.headers, **given})

    def with_query(self, **parameters: object) -> "Operation[T]":
        """Return a copy with this query; omit None."""
        return replace(self, query=query_of(parameters))

    def open_to_all(self) -> "Operation[T]":
        """Return a copy that sends no API key."""
        return replace(self, with_key=False)

    def tagged(self) -> "Operation[Tagged[T]]":
        """Return a copy whose result includes the ETag of the response."""

        def read(answer: httpx.Response) -> Tagged[T]:
            return Tagged(self.read(answer), answer.headers.get("ETag"))

        made = Operation(self.method, self.path, read, self.repeats)
        return replace(made, query=self.query, body=self.body, headers=self.headers, with_key=self.with_key)


def get(
    *parts: str | int, read: Reader[T], query: Mapping[str, Any] | None = None, if_none_match: str | None = None
) -> Operation[T]:
    """Build a GET request, which only reads."""
    operation = Operation("GET", path_of(*parts), read, query=query_of(query or {}))
    return operation.with_headers(If_None_Match=if_none_match)


def ask(*parts: str | int, read: Reader[T], body: Members) -> Operation[T]:
    """Build a POST request that only reads and has its parameters in the body."""
    return _with_json(Operation("POST", path_of(*parts), read), body)


def post(*parts: str | int, read: Reader[T], body: Members, key: str | None) -> Operation[T]:
    """Build a POST request that must take effect once, with the caller's Idempotency-Key or a generated one."""
    return keyed(_with_json(Operation("POST", path_of(*parts), read), body), key)


def send(*parts: str | int, read: Reader[T], form: Form, key: str | None) -> Operation[T]:
    """Build a POST request with a form, which must take effect once, like `post`."""
    operation = Operation("POST", path_of(*parts), read, body=form)
    kind = f"multipart/form-data; boundary={form.boundary}"
    return keyed(operation.with_headers(Content_Type=kind, Content_Length=str(form.length)), key)


def attempt(*parts: str | int, read: Reader[T], body: Members) -> Operation[T]:
    """Build a POST request without API key that is never repeated because each attempt counts, such as a login."""
    operation = Operation("POST", path_of(*parts), read, Repeats.NEVER, with_key=False)
    return _with_json(operation, body)


def put(*parts: str | int, read: Reader[T], body: Members, if_match: str | None) -> Operation[T]:
    """Build a PUT request that changes the members in the body."""
    # With If-Match, a retry would fail because the first request changed the ETag.
    repeats = Repeats.REPLACES if if_match is None else Repeats.NEVER
    operation = _with_json(Operation("PUT", path_of(*parts), read, repeats), body)
    return operation.with_headers(If_Match=if_match)


def delete(*parts: str | int, read: Reader[T], if_match: str | None) -> Operation[T]:
    """Build a DELETE request; it is never repeated, because after a successful first attempt a second returns 404."""
    return Operation("DELETE", path_of(*parts), read, Repeats.NEVER).with_headers(If_Match=if_match)


def keyed(operation: Operation[T], key: str | None) -> Operation[T]:
    """Return a copy with the Idempotency-Key, or a generated one for None. Raises ValueError for an invalid key."""
    given = new_key() if key is None else checked_key(key)
    return replace(operation, repeats=Repeats.KEYED).with_headers(Idempotency_Key=given)


def _with_json(operation: Operation[T], body: Members) -> Operation[T]:
    return replace(operation, body=json_of(body)).with_headers(Content_Type=JSON)
