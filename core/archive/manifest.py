import json
import subprocess
from dataclasses import asdict, dataclass, field, is_dataclass
from types import UnionType
from typing import Any, Self, get_args, get_origin, get_type_hints

from django.conf import settings
from django.db import connection

from core.archive import database
from core.archive.errors import ArchiveError, Damaged
from core.archive.tables import Table
from core.lib import clock

FORMAT = 1
MAX_BYTES = 16 * 1024 * 1024  # of a manifest
_NO_SUM = "0" * 64
_DIGITS = 20  # reserved for a number filled in later


@dataclass(slots=True)
class StoredTable:
    """A stored table; `sha256` covers its packed parts in order."""

    table: Table
    rows: int = 0
    parts: int = 0
    last_number: int = 0  # last id issued; 0 in the file of a site
    sha256: str = _NO_SUM


@dataclass(slots=True)
class StoredMedia:
    """The stored files; `parts` and `sha256` belong to their index."""

    is_included: bool = False
    files: int = 0
    bytes: int = 0
    parts: int = 0
    sha256: str = _NO_SUM


@dataclass(slots=True)
class StoredInstallation:
    secret_key: str  # a digest, which does not reveal the key
    peppers: dict[str, str]  # id: digest
    salt: str  # of the digests
    settings: dict[str, Any]  # configured values that hold no secret
    settings_not_kept: list[str]  # names of the other configured ones


@dataclass(slots=True)
class StoredSite:
    id: int
    site_name: str
    site_dir: str


@dataclass(slots=True)
class Manifest:
    """Everything that decides whether and how an archive can be restored. Holds no secret."""

    made_at: str  # in CMS_TIME_ZONE, "2026-01-31 08:00:00"
    moment: int  # the same in seconds of Unix time
    code: str  # git commit of the code; empty outside a git checkout
    engine: str  # "sqlite" or "postgresql"
    time_zone: str
    migrations: list[str]
    # Exactly one of the two is set.
    installation: StoredInstallation | None = None
    site: StoredSite | None = None
    tables: list[StoredTable] = field(default_factory=list)
    media: StoredMedia = field(default_factory=StoredMedia)
    format: int = FORMAT

    @classmethod
    def begin(cls, tables: list[Table], *, with_media: bool, **holds: Any) -> Self:
        now = clock.now()
        return cls(
            made_at=now.isoformat(" ", "seconds"),
            moment=int(now.timestamp()),
            code=_code_commit(),
            engine=connection.vendor,
            time_zone=settings.TIME_ZONE,
            migrations=database.applied_migrations(connection),
            tables=[StoredTable(table) for table in tables],
            media=StoredMedia(with_media),
            **holds,
        )

    @property
    def rows(self) -> int:
        return sum(stored.rows for stored in self.tables)

    @property
    def most_of_a_row(self) -> int:
        """Limit in bytes for a row as JSON; files of sites may come from strangers."""
        return (64 if self.site else 128) * 1024 * 1024

    def require_installation(self) -> StoredInstallation:
        """Return the installation. Raises `ArchiveError` for the file of a site."""
        if self.installation is None:
            raise ArchiveError("This is a site file, not a backup: import it with `import_site`.")
        return self.installation

    def require_site(self) -> StoredSite:
        """Return the site. Raises `ArchiveError` for a backup."""
        if self.site is None:
            raise ArchiveError("This is a backup of a whole installation: restore it with `restore`.")
        return self.site

    def write(self, size: int | None = None) -> bytes:
        """Return the manifest as JSON padded to `size`, by default large enough for the completed manifest."""
        members = {"format": self.format} | {name: value for name, value in asdict(self).items() if name != "format"}
        members["tables"] = [_flat(stored) for stored in self.tables]
        text = json.dumps(members, indent=1, ensure_ascii=False).encode()
        if size is None:
            size = len(text) + _DIGITS * (3 * len(self.tables) + 4)
        if len(text) >= size:
            raise ArchiveError("The manifest is longer than the space reserved for it.")
        return text.ljust(size - 1) + b"\n"

    @classmethod
    def read(cls, data: bytes) -> "Manifest":
        """Parse a manifest. Raises `Damaged`, and `ArchiveError` for a later format."""
        try:
            members = json.loads(data)
            if (format_number := _read(int, members["format"])) > FORMAT:
                raise ArchiveError(
                    f"The archive has format {format_number}; this version of the service supports formats up to "
                    f"{FORMAT}. Use the version that made it, or a later one."
                )
            members["tables"] = [_nested(table) for table in members["tables"]]
            manifest: Manifest = _read(cls, members)
            if (manifest.installation is None) == (manifest.site is None):
                raise ValueError("neither an installation nor a site")
            for stored in manifest.tables:
                if not stored.table.are_columns_known():
                    raise ValueError(stored.table)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise Damaged("The manifest of the archive cannot be read.") from error
        return manifest


def _code_commit() -> str:
    command = ["git", "-C", str(settings.BASE_DIR), "rev-parse", "--verify", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)  # noqa: S603 - our own command
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _flat(stored: StoredTable) -> dict[str, Any]:
    members = asdict(stored)
    columns = {column.name: column.kind for column in stored.table.columns}
    return {**members.pop("table"), "columns": columns, **members}


def _nested(members: Any) -> dict[str, Any]:
    columns = [{"name": name, "kind": kind} for name, kind in members["columns"].items()]
    return {**members, "table": {**members, "columns": columns}}


def _read(kind: Any, value: Any) -> Any:
    """Convert a JSON value to a type. Raises `TypeError`, or `KeyError` for a missing member."""
    outer, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if outer is UnionType:
        return None if value is None else _read(inner[0], value)
    if is_dataclass(kind):
        make: Any = kind
        return make(**{name: _read(hint, value[name]) for name, hint in get_type_hints(kind).items()})
    found: type = type(value)
    if found is not (list if outer is tuple else outer or kind) or (kind is int and value < 0):
        raise TypeError(value)
    if outer is dict:
        return {name: _read(inner[1], each) for name, each in value.items()}
    return outer(_read(inner[0], each) for each in value) if outer else value
