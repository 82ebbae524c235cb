"""What a backup says of itself, in its first member."""

import json
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from cms_api.operation.backup import kinds
from cms_api.operation.backup.faults import BackupFault, Damaged
from cms_api.operation.backup.tables import Table

FORMAT = 1
MOST_BYTES = 16 * 1024 * 1024  # of a manifest
_NO_SUM = "0" * 64
_DIGITS = 20  # of a number that is known later


@dataclass(slots=True)
class StoredTable:
    """A table with what was stored of it; `sha256` is of its parts, one after the other, as they are in the archive."""

    table: Table
    rows: int = 0
    parts: int = 0
    last_number: int = 0
    sha256: str = _NO_SUM


@dataclass(slots=True)
class StoredMedia:
    """The files: how many, their bytes together, and the parts of their index with the sum of those."""

    is_included: bool = False
    files: int = 0
    bytes: int = 0
    parts: int = 0
    sha256: str = _NO_SUM


@dataclass(slots=True)
class Manifest:
    """Everything that decides whether and how a backup can be restored. Holds no secret."""

    made_at: str  # of CMS_TIME_ZONE, "2026-01-31 08:00:00"
    moment: int  # the same in seconds of Unix time
    code: str  # the commit of the service's code; empty where nobody knows it
    engine: str  # "sqlite" or "postgresql"
    time_zone: str
    migrations: list[str]
    secret_key: str  # a digest, from which nobody finds the key
    peppers: dict[str, str]  # id: digest
    settings: dict[str, Any]  # what was set, without what may be a secret
    settings_not_kept: list[str]  # names of what was set besides
    salt: str  # of the digests
    tables: list[StoredTable] = field(default_factory=list)
    media: StoredMedia = field(default_factory=StoredMedia)
    format: int = FORMAT

    def write(self, size: int | None = None) -> bytes:
        """The manifest as JSON, filled up with blanks to a size, by default to one that will hold it when complete."""
        members = {"format": self.format} | {name: value for name, value in asdict(self).items() if name != "format"}
        members["tables"] = [_flat(stored) for stored in self.tables]
        text = json.dumps(members, indent=1, ensure_ascii=False).encode()
        if size is None:
            size = len(text) + _DIGITS * (3 * len(self.tables) + 4)
        if len(text) >= size:
            raise BackupFault("The manifest has become longer than was thought.")
        return text.ljust(size - 1) + b"\n"

    @classmethod
    def read(cls, data: bytes) -> "Manifest":
        """What was written. Raises Damaged, and BackupFault for a format of a later version."""
        try:
            members = json.loads(data)
            if (format_number := _read(int, members["format"])) > FORMAT:
                raise BackupFault(
                    f"The backup has the format {format_number}; this version of the service knows formats up to "
                    f"{FORMAT}. Restore it with the version that made it, or a later one."
                )
            members["tables"] = [_nested(table) for table in members["tables"]]
            manifest: Manifest = _read(cls, members)
            for table in (stored.table for stored in manifest.tables):
                are_known = all(kinds.is_kind(column.kind) for column in table.columns)
                if not are_known or not 0 < table.keys <= len(table.columns) or not table.name.isidentifier():
                    raise ValueError(table)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise Damaged("The manifest of the backup cannot be read.") from error
        return manifest


def _flat(stored: StoredTable) -> dict[str, Any]:
    """A table as the manifest has it: with what was stored of it, and its columns as an object."""
    members = asdict(stored)
    columns = {column.name: column.kind for column in stored.table.columns}
    return {**members.pop("table"), "columns": columns, **members}


def _nested(members: Any) -> dict[str, Any]:
    columns = [{"name": name, "kind": kind} for name, kind in members["columns"].items()]
    return {**members, "table": {**members, "columns": columns}}


def _read(kind: Any, value: Any) -> Any:
    """The value, which JSON has, as something of a type. Raises TypeError, or KeyError for a member that is missing."""
    make: Any = kind
    if is_dataclass(kind):
        return make(**{name: _read(hint, value[name]) for name, hint in get_type_hints(kind).items()})
    outer, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    found: type = type(value)
    if found is not (list if outer is tuple else outer or kind) or (kind is int and value < 0):
        raise TypeError(value)
    if outer is dict:
        return {name: _read(inner[1], each) for name, each in value.items()}
    return outer(_read(inner[0], each) for each in value) if outer else value
