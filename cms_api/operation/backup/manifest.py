"""What a backup says of itself, in its first member."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from cms_api.operation.backup import kinds
from cms_api.operation.backup.faults import BackupFault, Damaged
from cms_api.operation.backup.tables import Column, Table

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
        members["tables"] = [_write_table(stored) for stored in self.tables]
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
            if (format_number := _of_type(members, "format", int)) > FORMAT:
                raise BackupFault(
                    f"The backup has the format {format_number}; this version of the service knows formats up to "
                    f"{FORMAT}. Restore it with the version that made it, or a later one."
                )
            tables = [_read_table(one) for one in _of_type(members, "tables", list)]
            media = _of_type(members, "media", dict)
            return cls(
                made_at=_of_type(members, "made_at", str),
                moment=_of_type(members, "moment", int),
                code=_of_type(members, "code", str),
                engine=_of_type(members, "engine", str),
                time_zone=_of_type(members, "time_zone", str),
                migrations=_texts(_of_type(members, "migrations", list)),
                secret_key=_of_type(members, "secret_key", str),
                peppers=dict(zip(*map(_texts, _items(_of_type(members, "peppers", dict))), strict=True)),
                settings=_of_type(members, "settings", dict),
                settings_not_kept=_texts(_of_type(members, "settings_not_kept", list)),
                salt=_of_type(members, "salt", str),
                tables=tables,
                media=StoredMedia(
                    is_included=_of_type(media, "is_included", bool),
                    files=_of_type(media, "files", int),
                    bytes=_of_type(media, "bytes", int),
                    parts=_of_type(media, "parts", int),
                    sha256=_of_type(media, "sha256", str),
                ),
            )
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise Damaged("The manifest of the backup cannot be read.") from error


def _write_table(stored: StoredTable) -> dict[str, Any]:
    table = stored.table
    return {
        "name": table.name,
        "label": table.label,
        "columns": {column.name: column.kind for column in table.columns},
        "keys": table.keys,
        "is_numbered": table.is_numbered,
        "rows": stored.rows,
        "parts": stored.parts,
        "last_number": stored.last_number,
        "sha256": stored.sha256,
    }


def _read_table(members: Any) -> StoredTable:
    columns = tuple(Column(name, kind) for name, kind in _of_type(members, "columns", dict).items())
    keys = _of_type(members, "keys", int)
    if not all(kinds.is_kind(column.kind) for column in columns) or not 0 < keys <= len(columns):
        raise ValueError(columns)
    name, label = _of_type(members, "name", str), _of_type(members, "label", str)
    if not name.isidentifier():
        raise ValueError(name)
    return StoredTable(
        Table(name, label, columns, keys, _of_type(members, "is_numbered", bool)),
        rows=_of_type(members, "rows", int),
        parts=_of_type(members, "parts", int),
        last_number=_of_type(members, "last_number", int),
        sha256=_of_type(members, "sha256", str),
    )


def _of_type(members: Any, name: str, kind: type[Any]) -> Any:
    value: Any = members[name]
    if type(value) is not kind or (kind is int and value < 0):
        raise TypeError(name)
    return value


def _texts(values: Any) -> list[str]:
    found = list(values)
    if not all(isinstance(value, str) for value in found):
        raise TypeError(found)
    return found


def _items(members: dict[str, Any]) -> tuple[list[str], list[Any]]:
    return list(members), list(members.values())
