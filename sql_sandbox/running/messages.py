"""Frames (two lengths, JSON header, payload): a Configuration, an empty header when ready, then Requests in turn."""

import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, BinaryIO

import orjson

from sql_sandbox.compiled import Limits

LENGTHS = struct.Struct("!II")

BUG = "bug"  # code of a response to an error of ours


class BadFrame(Exception):
    """The bytes are not a frame."""


@dataclass(frozen=True)
class Configuration:
    database: Mapping[str, Any]  # `engine`, which chooses the reader, and that reader's parameters
    tables: tuple[str, ...]  # names of the open tables
    contents: str = ""  # the table that contents tables are parts of
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of(cls, header: Mapping[str, Any]) -> "Configuration":
        tables, limits = tuple(header["tables"]), Limits(**header["limits"])
        return cls(header["database"], tables, header["contents"], limits)


@dataclass(frozen=True)
class Request:
    text: str
    now: datetime  # the wall clock, to the second
    site_ids: tuple[int, ...] | None = None  # the sites that the key reaches; None: all
    contents_tables: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # names that sites give, and the sites
    order: tuple[tuple[str, bool], ...] = ()  # result columns and whether they descend, instead of the query's order
    start: int = 1
    total: int = 0  # 0: all
    only_approved: bool = False

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
            header["only_approved"],
        )


def pack(header: Mapping[str, Any], payload: bytes = b"") -> bytes:
    """Return the frame. Raise orjson.JSONEncodeError, such as for lone surrogates."""
    packed = orjson.dumps(header)
    return LENGTHS.pack(len(packed), len(payload)) + packed + payload


def pack_request(request: Request, deadline: float) -> bytes:
    """Return the frame of a statement; processes of a machine share time.monotonic(), which the deadline uses."""
    return pack({"request": asdict(request), "deadline": deadline})


def read_frame(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """Return the next header and payload of a blocking stream; None at its end."""
    lengths = stream.read(LENGTHS.size)
    if len(lengths) < LENGTHS.size:
        return None
    header, payload = (stream.read(length) for length in LENGTHS.unpack(lengths))
    return orjson.loads(header), payload
