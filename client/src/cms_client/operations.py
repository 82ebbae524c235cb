"""Operations as values: what is to be sent, how the answer is read, and whether it may be sent twice."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any, Generic, TypeVar

import httpx

from cms_client.records import Tagged
from cms_client.wire import Members, checked_header, checked_key, json_of, new_key, path_of, query_of

T = TypeVar("T")
Reader = Callable[[httpx.Response], T]
JSON = "application/json; charset=utf-8"


class Repeats(Enum):
    """What may be done when nobody knows whether a request has arrived."""

    READ = auto()  # changes nothing: send it again
    REPLACES = auto()  # sent twice, the same is stored twice over: send it again
    KEYED = auto()  # send it again where the server keeps Idempotency-Keys
    NEVER = auto()


@dataclass(frozen=True, slots=True)
class Operation(Generic[T]):
    """One request, with how its answer becomes a result."""

    method: str
    path: str  # below /api/v1
    read: Reader[T]
    repeats: Repeats = Repeats.READ
    query: str = field(default="", repr=False)
    body: bytes = field(default=b"", repr=False)  # passwords may be in it, and tokens in the headers
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    with_key: bool = True

    def with_headers(self, **values: str | None) -> "Operation[T]":
        """The operation with these headers, an underscore for each hyphen; None leaves one out. Raises ValueError."""
        named = {name.replace("_", "-"): value for name, value in values.items() if value is not None}
        given = {name: checked_header(name, value) for name, value in named.items()}
        return replace(self, headers={**self.headers, **given})

    def open_to_all(self) -> "Operation[T]":
        """The operation without the API key."""
        return replace(self, with_key=False)

    def tagged(self) -> "Operation[Tagged[T]]":
        """The operation whose result has the answer's ETag with it."""

        def read(answer: httpx.Response) -> Tagged[T]:
            return Tagged(self.read(answer), answer.headers.get("ETag"))

        made = Operation(self.method, self.path, read, self.repeats)
        return replace(made, query=self.query, body=self.body, headers=self.headers, with_key=self.with_key)


def get(
    *parts: str | int, read: Reader[T], query: Mapping[str, Any] | None = None, if_none_match: str | None = None
) -> Operation[T]:
    """A read."""
    operation = Operation("GET", path_of(*parts), read, query=query_of(query or {}))
    return operation.with_headers(If_None_Match=if_none_match)


def ask(*parts: str | int, read: Reader[T], body: Members) -> Operation[T]:
    """A read whose question is in the body."""
    return _with_json(Operation("POST", path_of(*parts), read), body)


def post(*parts: str | int, read: Reader[T], body: Members, key: str | None) -> Operation[T]:
    """A change that is done once: with the caller's Idempotency-Key, or one of its own."""
    return keyed(_with_json(Operation("POST", path_of(*parts), read), body), key)


def attempt(*parts: str | int, read: Reader[T], body: Members) -> Operation[T]:
    """An open request that counts each time, such as a login."""
    operation = Operation("POST", path_of(*parts), read, Repeats.NEVER, with_key=False)
    return _with_json(operation, body)


def put(*parts: str | int, read: Reader[T], body: Members, if_match: str | None) -> Operation[T]:
    """A change of what the body holds."""
    # With a tag the second would be refused because of the first.
    repeats = Repeats.REPLACES if if_match is None else Repeats.NEVER
    operation = _with_json(Operation("PUT", path_of(*parts), read, repeats), body)
    return operation.with_headers(If_Match=if_match)


def delete(*parts: str | int, read: Reader[T], if_match: str | None) -> Operation[T]:
    """A deletion: the second would find nothing, and answer what is not true of the first."""
    return Operation("DELETE", path_of(*parts), read, Repeats.NEVER).with_headers(If_Match=if_match)


def keyed(operation: Operation[T], key: str | None) -> Operation[T]:
    """The operation with an Idempotency-Key."""
    given = new_key() if key is None else checked_key(key)
    return replace(operation, repeats=Repeats.KEYED).with_headers(Idempotency_Key=given)


def _with_json(operation: Operation[T], body: Members) -> Operation[T]:
    return replace(operation, body=json_of(body)).with_headers(Content_Type=JSON)
