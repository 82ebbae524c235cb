"""What a worker and its child say to each other: frames over pipes.

A frame is two lengths, a header in JSON and a payload. The worker sends a Configuration, gets an empty header
when the child is ready, and then sends Requests; each is answered by one frame.
"""

import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, BinaryIO

import orjson

from cms_api.lib.sql_sandbox.limits import Limits

_LENGTHS = struct.Struct("!II")
_MAX_HEADER = 1024 * 1024

BUG = "bug"  # the code of an answer that is no refusal but an error of ours


class BadFrame(Exception):
    """What arrived is not a frame."""


@dataclass(frozen=True)
class Configuration:
    """What a child needs to know before its first statement."""

    database: Mapping[str, Any]  # `engine`, which chooses the reader, and what that one asks for
    tables: tuple[str, ...]  # names of the catalogue's tables that are open
    contents: str = ""  # the name of the table that contents tables are parts of
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of(cls, header: Mapping[str, Any]) -> "Configuration":
        tables, limits = tuple(header["tables"]), Limits(**header["limits"])
        return cls(header["database"], tables, header["contents"], limits)


@dataclass(frozen=True)
class Request:
    """A statement, who asks, and which part of its rows is wanted."""

    text: str
    now: datetime  # the wall clock, to the second
    site_ids: tuple[int, ...] | None = None  # the sites that the key reaches; None: every site
    contents_tables: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # names that sites give, and the sites
    order: tuple[tuple[str, bool], ...] = ()  # result columns and whether they descend, instead of the query's order
    start: int = 1
    total: int = 0  # 0: all

    @classmethod
    def of(cls, header: Mapping[str, Any]) -> "Request":
        return cls(
            header["text"],
            datetime.fromisoformat(header["now"]),
            None if header["site_ids"] is None else tuple(header["site_ids"]),
            {name: tuple(ids) for name, ids in header["contents_tables"].items()},
            tuple((name, descending) for name, descending in header["order"]),
            header["start"],
            header["total"],
        )


def pack(header: Mapping[str, Any], payload: bytes = b"") -> bytes:
    """The frame. Raises orjson.JSONEncodeError, such as for a text with lone surrogates."""
    packed = orjson.dumps(header)
    return _LENGTHS.pack(len(packed), len(payload)) + packed + payload


def pack_configuration(configuration: Configuration) -> bytes:
    return pack(asdict(configuration))


def pack_request(request: Request, deadline: float) -> bytes:
    """The frame of a statement; the deadline is a time of time.monotonic(), which the machine's processes share."""
    return pack({"request": asdict(request), "deadline": deadline})


def read_frame(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next header and payload of a blocking stream; None at its end."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    header, payload = (stream.read(length) for length in _LENGTHS.unpack(lengths))
    return orjson.loads(header), payload


class Inbox:
    """Puts a frame together that arrives in pieces."""

    def __init__(self, max_payload: int) -> None:
        self._max_payload = max_payload
        self._arrived = bytearray()

    def take(self, piece: bytes) -> tuple[dict[str, Any], bytes] | None:
        """The header and payload, as soon as all of both has arrived. Raises BadFrame."""
        self._arrived += piece
        if len(self._arrived) < _LENGTHS.size:
            return None
        lengths = header, payload = _LENGTHS.unpack_from(self._arrived)
        if header > _MAX_HEADER or payload > self._max_payload:
            raise BadFrame(f"Lengths of {header} and {payload} bytes.")
        missing = _LENGTHS.size + sum(lengths) - len(self._arrived)
        if missing > 0:
            return None
        if missing < 0:
            raise BadFrame("More bytes than announced.")
        end = _LENGTHS.size + header
        try:
            members = orjson.loads(memoryview(self._arrived)[_LENGTHS.size : end])
        except orjson.JSONDecodeError as error:
            raise BadFrame("The header is not JSON.") from error
        if not isinstance(members, dict):
            raise BadFrame("The header is not an object.")
        return members, bytes(self._arrived[end:])
