import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from typing import Any, BinaryIO

from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, connection, transaction
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.models import ForeignKey

from apikeys.grants import announce_change
from channels_app.models import TreeVersion
from cms_api.backup.stored import DERIVED, EMPTIED, OF_MIGRATIONS, model_of, names_of, stored_tables
from contents.lists import derived_tables
from core.archive import database, media, schema
from core.archive.commands import Progress
from core.archive.errors import ArchiveError
from core.archive.manifest import Manifest
from core.archive.reading import Archive, read_through
from core.archive.tables import Row, Table
from forms import entry_files
from media_library import filling
from sites.models import Site

_SHOWN = 5  # file names per sentence
_TREE_NUMBERS = 2**53


@dataclass(slots=True)
class Restored:
    """Restored rows and files; `replaced` names the files that overwrote others of the same name."""

    rows: int = 0
    files: int = 0
    replaced: list[str] = field(default_factory=list)
    # Content type ids changed; running processes cache them for their lifetime.
    is_restart_due: bool = False


def require_fitting(manifest: Manifest) -> None:
    """Raises `ArchiveError` unless the backup is of an installation with the migrations and tables of this code."""
    manifest.require_installation()
    schema.require_same_migrations(manifest)
    schema.require_same_tables(manifest, stored_tables())


def check(
    file: BinaryIO,
    progress: Progress,
    *,
    vendor: str = "",
    with_media: bool = True,
    expected: Manifest | None = None,
) -> Manifest:
    """Read the whole backup; return its manifest. Raises `Damaged`, and `ArchiveError` for rows unfit for `vendor`."""
    archive = Archive(file, with_media=with_media, expected=expected)
    archive.manifest.require_installation()
    read_through(file, archive, progress, partial(unfit, vendor) if vendor else None)
    return archive.manifest


def require_empty() -> None:
    """Raises `ArchiveError` if the database has rows that a restore would replace."""
    for table in stored_tables():
        if table.label not in OF_MIGRATIONS and database.has_rows(connection, table):
            raise ArchiveError(
                f"The database is not empty: {table.label} has rows. A restore needs an empty database after "
                "`manage.py migrate`, or --replace."
            )


def restore(file: BinaryIO, manifest: Manifest, progress: Progress, *, replace: bool, with_media: bool) -> Restored:
    """Restore a backup that passed `check` and `require_fitting`; others read the previous rows until the commit.

    Raises `ArchiveError`; nothing has changed then, unless it says that the rows are restored but some files are not.
    """
    restored = Restored()
    archive = Archive(file, with_media=with_media, expected=manifest)
    try:
        with media.stored_for_rows() as stored:
            progress.begin("files")
            for found in archive.files():
                progress.advance(1)
                present = media.sum_of(found.name)
                if present is None:
                    stored.append(found.name)
                    media.store(found.name, found.pieces)
                    restored.files += 1
                elif present != media.digest(found.pieces):
                    restored.replaced.append(found.name)
            if restored.replaced and not replace:
                names = _shown(restored.replaced)
                raise ArchiveError(
                    f"The storage has different files with the same names: {names}. Remove them, or use --replace."
                )
            progress.begin("rows", manifest.rows)
            _restore_rows(archive, restored, progress, stored.clear, replace=replace)
    finally:
        progress.end()
    entry_files.review()
    # Last, so that the previous rows keep their files until the commit.
    left = set(restored.replaced)
    try:
        if left:
            _replace_files(Archive(file, expected=manifest), left)
    except Exception as error:
        told = f"The rows were restored, but {len(left)} files were not replaced: {_shown(sorted(left))}"
        raise ArchiveError(f"{told}. Run the restore again with --replace. ({error})") from error
    restored.files += len(restored.replaced)
    return restored


def _restore_rows(
    archive: Archive, restored: Restored, progress: Progress, done: Callable[[], None], *, replace: bool
) -> None:
    stored = archive.manifest.tables
    names, derived, emptied = [one.table.name for one in stored], names_of(DERIVED), names_of(EMPTIED)
    try:
        with transaction.atomic():
            transaction.on_commit(done)
            database.hold_tables(connection, sorted([*names, *emptied, *derived]))
            if not replace:
                require_empty()
            kinds_before = _kinds_of_objects()
            given_out = {one.table.name: database.last_number(connection, one.table) for one in stored}
            with database.triggers_aside(connection, [*names, *derived]), connection.cursor() as cursor:
                for name in (*derived, *emptied, *reversed(names)):
                    cursor.execute(f"DELETE FROM {connection.ops.quote_name(name)}")
                for table, parts in archive.tables():
                    for rows in parts:
                        database.load(connection, table, rows)
                        restored.rows += len(rows)
                        progress.advance(len(rows))
            for one in stored:
                # Never reuse ids that were issued here: clients may remember them.
                last = max(one.last_number, given_out[one.table.name] if replace else 0)
                database.go_on_after(connection, one.table, last)
            write_derived()
            restored.is_restart_due = kinds_before != _kinds_of_objects()
    except IntegrityError as error:
        raise ArchiveError(f"The rows contradict each other in this database: {error}") from error


def _kinds_of_objects() -> set[tuple[Any, ...]]:
    return set(ContentType.objects.using(connection.alias).values_list())


def write_derived() -> None:
    """Rebuild lists and uses of media, renew tree numbers, announce changed keys to running servers, with the rows."""
    TreeVersion.objects.bulk_create(
        TreeVersion(site_id=pk, number=secrets.randbelow(_TREE_NUMBERS))
        for pk in Site.with_trash.order_by("pk").values_list("pk", flat=True)
    )
    with _statistics():
        derived_tables.rebuild()
    filling.rebuild()
    announce_change()


@contextmanager
def _statistics() -> Iterator[None]:
    """Update the planner's statistics, without which lists of many tags take hours; on SQLite temporarily."""
    with connection.cursor() as cursor:
        had_some = True
        if connection.vendor == "sqlite":
            cursor.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'sqlite_stat1'")
            had_some = bool(cursor.fetchone()[0])
        for table in stored_tables():
            cursor.execute(f"ANALYZE {connection.ops.quote_name(table.name)}")
        yield
        for name in names_of(DERIVED) if had_some else ():
            cursor.execute(f"ANALYZE {connection.ops.quote_name(name)}")
        if not had_some:
            cursor.execute("DROP TABLE sqlite_stat1")
            cursor.execute("DROP TABLE IF EXISTS sqlite_stat4")


def _replace_files(archive: Archive, names: set[str]) -> None:
    for found in archive.files():
        if found.name in names:
            media.store(found.name, found.pieces)
            names.remove(found.name)
        if not names:
            return


def _shown(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" and others" if len(names) > _SHOWN else "")


def unfit(vendor: str, table: Table) -> Callable[[Iterable[Row]], None]:
    """Return a check that raises `ArchiveError` for values which the engine, or any, cannot store in the column."""
    concrete: Any = model_of(table)._meta.concrete_fields
    fields = {each.column: each for each in concrete}
    if unknown := {column.name for column in table.columns} - fields.keys():
        raise ArchiveError(f"{table.label} has no column {min(unknown)}.")
    columns = [(place, column, fields[column.name]) for place, column in enumerate(table.columns)]

    def check(rows: Iterable[Row]) -> None:
        for row in rows:
            for place, column, stored_in in columns:
                value = row[place]
                if value is not None and (problem := _problem(vendor, column.kind, stored_in, value)):
                    raise ArchiveError(f"{table.label} {row[0]}: {column.name} has {problem}.")

    return check


def _problem(vendor: str, kind: str, stored_in: Any, value: Any) -> str:
    if kind == "integer":
        lowest, highest = _range_of(stored_in)
        return "" if lowest <= value <= highest else f"{value}; the column can store {lowest} to {highest}"
    if kind in {"time", "date"}:
        return "" if _is_moment(kind, value) else "no valid date"
    if vendor == "sqlite" or kind not in {"text", "json"}:
        return ""
    # JSON escapes it, and a backslash before it, too.
    if "\0" in value or (kind == "json" and "\\u0000" in value.replace("\\\\", "")):
        return "a NUL character, which PostgreSQL cannot store"
    if stored_in.max_length is not None and len(value) > stored_in.max_length:
        return f"{len(value)} characters; PostgreSQL can store {stored_in.max_length}"
    return ""


def _range_of(stored_in: Any) -> tuple[int, int]:
    while isinstance(stored_in, ForeignKey):
        stored_in = stored_in.target_field
    # The same for all engines. SQLite stores larger numbers in columns of 32 bits, too.
    return BaseDatabaseOperations.integer_field_ranges[stored_in.get_internal_type()]


def _is_moment(kind: str, text: str) -> bool:
    # A single format, since SQLite compares times as texts.
    try:
        moment = (datetime if kind == "time" else date).fromisoformat(text)
    except ValueError:
        return False
    return moment.isoformat() == text
