"""The database: how it is set up, and whether the rules that hold whoever writes are in place."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.checks import run_checks
from django.db import connection

from cms_api.lib.triggers import registered
from cms_api.operation.doctor.examinations import Finding, examination, risky, wrong
from cms_api.operation.restarts.nodes import living

OLDEST = 15  # of PostgreSQL
_MOST_LOG = 256 * 1024 * 1024  # bytes of SQLite's write-ahead log
_FULL = 0.8  # of the connections that PostgreSQL takes
_LONG_MINUTES = 10
_REMOTE = frozenset({"9p", "afs", "ceph", "cifs", "fuse.sshfs", "glusterfs", "nfs", "nfs4", "smb3", "smbfs"})


@examination("Database")
def _engine() -> Iterator[Finding]:
    """How the engine is set up."""
    yield from _postgresql() if connection.vendor == "postgresql" else _sqlite()
    for message in run_checks(databases=["default"], tags=["database"]):
        yield (wrong if message.is_serious() else risky)(message.msg, message.hint or "")


@examination("Triggers")
def _triggers() -> Iterator[Finding]:
    """Lists, counts, the search and the audit rest on them."""
    found = [files.differences(connection) for files in registered]
    for kind, harm in (
        ("missing", "are missing or switched off"),
        ("surplus", "belong to no file of this release"),
        ("outdated", "are not those of this release"),
    ):
        if names := sorted(name for one in found for name in getattr(one, kind)):
            told = f"{len(names)} triggers {harm}: {', '.join(names[:5])}"
            remedy = "Run: manage.py migrate, then check_lists --repair"
            yield wrong(f"{told}. Lists and counts are going wrong.", remedy)


# ---- PostgreSQL


def _postgresql() -> Iterator[Finding]:
    if (version := connection.pg_version // 10_000) < OLDEST:  # type: ignore[attr-defined]
        yield wrong(f"PostgreSQL {version} is older than {OLDEST}.", f"Move to PostgreSQL {OLDEST} or later.")
    if (encoding := _value("SHOW server_encoding")) != "UTF8":
        yield wrong(f"The database's encoding is {encoding}, which cannot hold every text.", "Make one with UTF8.")
    for name, harm in (
        ("fsync", "A crash of the machine can destroy the database."),
        ("full_page_writes", "A crash of the machine can destroy pages of the database."),
        ("synchronous_commit", "A crash can lose what was answered as stored."),
        ("autovacuum", "Tables and indexes grow without bound."),
    ):
        if _value(f"SHOW {name}") == "off":
            yield wrong(f"{name} is off: {harm}", f"Set {name} to on.")
    yield from _connections()
    long = _value(
        "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() "
        f"AND xact_start < clock_timestamp() - interval '{_LONG_MINUTES} minutes'"
    )
    if long:
        told = f"{long} transactions have been open for more than {_LONG_MINUTES} minutes; nothing is cleared up after"
        yield risky(f"{told} them.", "Look for them in pg_stat_activity. A long import is one, too.")


def _connections() -> Iterator[Finding]:
    used = _value("SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
    most = _value(
        "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
    )
    if used > _FULL * most:
        remedy = "Raise max_connections, or set CMS_DATABASE_POOL_SIZE."
        yield risky(f"{used} of the {most} connections that PostgreSQL takes are in use.", remedy)


# ---- SQLite


def _sqlite() -> Iterator[Finding]:
    path = Path(connection.settings_dict["NAME"])
    if len(names := list(living().values_list("name", flat=True))) > 1:
        told = f"{len(names)} servers use this SQLite file: {', '.join(names)}"
        yield risky(f"{told}. Through a network it breaks.", "Several machines need PostgreSQL (docs/scaling.md).")
    if kind := _remote_file_system(path):
        yield wrong(f"The SQLite file lies on {kind}, whose locks cannot be relied on.", "Move CMS_DATA_DIR.")
    if _value("PRAGMA journal_mode") != "wal":
        yield risky("SQLite does not write ahead (WAL): readers wait for writers.", "Run: PRAGMA journal_mode = WAL")
    log = Path(f"{path}-wal")
    if log.exists() and (size := log.stat().st_size) > _MOST_LOG:
        told = f"SQLite's log {log} has {size // 2**20} MiB: some process has been reading for long"
        yield risky(f"{told}.", "Restart the server; the log shrinks when nobody reads.")


@examination("SQLite file", is_thorough=True)
def _integrity() -> Iterator[Finding]:
    """What SQLite itself says of the file."""
    if connection.vendor == "sqlite" and (told := _value("PRAGMA integrity_check(1)")) != "ok":
        yield wrong(f"The database is damaged: {told}.", "Restore the last backup; keep the damaged file.")


def _remote_file_system(path: Path) -> str:
    """The kind of network file system that the file lies on; empty for a disk, and where nothing tells."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    points = {fields[1]: fields[2] for fields in (line.split() for line in mounts) if len(fields) > 2}
    above = [str(folder) for folder in path.resolve().parents if str(folder) in points]
    kind = points[above[0]] if above else ""
    return kind if kind in _REMOTE else ""


def _rows(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


def _value(statement: str) -> Any:
    return _rows(statement)[0][0]
