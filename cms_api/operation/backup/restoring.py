"""Brings a backup back: all of it is checked first, then files are stored, then all rows in one transaction."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from django.contrib.contenttypes.models import ContentType
from django.db import DataError, IntegrityError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from cms_api.operation.backup import derived, engine, kinds, media, schema, snapshot, tables
from cms_api.operation.backup.archive import Archive, Row
from cms_api.operation.backup.engine import hold_tables, triggers_aside
from cms_api.operation.backup.faults import BackupFault
from cms_api.operation.backup.manifest import Manifest
from cms_api.operation.backup.progress import Progress
from cms_api.operation.backup.tables import Table

_SHOWN = 5  # names of files in a sentence


@dataclass(slots=True)
class Restored:
    """What was brought back, and the files that had to give way to others of their name."""

    rows: int = 0
    files: int = 0
    replaced: list[str] = field(default_factory=list)
    # Numbers of kinds of objects, which processes remember for as long as they live, are others now.
    is_restart_due: bool = False


def check(file: BinaryIO, progress: Progress, *, vendor: str = "", with_media: bool = True) -> Manifest:
    """Read the whole backup, or all but its files, and return its manifest.

    Raises Damaged, and BackupFault where an engine, if one is named, cannot hold a row.
    """
    file.seek(0)
    archive = Archive(file, with_media=with_media)
    progress.begin("bytes", os.fstat(file.fileno()).st_size)
    before = 0

    def tell() -> None:
        nonlocal before
        progress.advance(archive.position - before)
        before = archive.position

    for _ in archive.files():
        tell()
    for table, parts in archive.tables():
        refuse_unfit = unfit(vendor, table) if vendor else None
        for rows in parts:
            if refuse_unfit:
                refuse_unfit(rows)
            tell()
    progress.end()
    return archive.manifest


def require_empty() -> None:
    """Raises BackupFault when the database has rows that a restore would replace."""
    for table in tables.stored_tables():
        if table.label not in tables.OF_MIGRATIONS and snapshot.has_rows(connection, table.name):
            raise BackupFault(
                f"The database is not empty: {table.label} has rows. A restore needs an empty database after "
                "`manage.py migrate`, or --replace."
            )


def restore(file: BinaryIO, progress: Progress, *, replace: bool, with_media: bool) -> Restored:
    """Bring back a backup that `check` has found whole, for a database of the same migrations.

    Raises BackupFault. Then the database is as it was, and so is the storage of files; or the rows are back and some
    files could not be replaced, which it says. Whoever reads meanwhile finds the rows of before until all is done;
    whoever writes waits.
    """
    restored = Restored()
    file.seek(0)
    archive = Archive(file, with_media=with_media)
    schema.require_same(archive.manifest)  # names of tables and columns are ours from here on
    try:
        with media.stored_for_rows() as stored:
            progress.begin("files")
            _take_files(archive, restored, stored, progress)
            if restored.replaced and not replace:
                raise BackupFault(_told_others(restored.replaced))
            progress.begin("rows")
            _take_rows(archive, restored, progress, stored.clear, replace=replace)
    finally:
        progress.end()
    # Only now, so that rows of before have had their files until there were others.
    left = set(restored.replaced)
    try:
        _replace_files(file, left)
    except Exception as error:
        told = f"The rows are back, but {len(left)} files were not replaced: {_shown(sorted(left))}"
        raise BackupFault(f"{told}. Run the restore again with --replace. ({error})") from error
    restored.files += len(restored.replaced)
    return restored


def _take_files(archive: Archive, restored: Restored, stored: list[str], progress: Progress) -> None:
    """Store the files that are not there."""
    for found in archive.files():
        progress.advance(1)
        present = media.sum_of(found.name)
        if present is None:
            stored.append(found.name)
            media.store(found.name, found.pieces)
            restored.files += 1
        elif present != media.digest(found.pieces):
            restored.replaced.append(found.name)


def _take_rows(
    archive: Archive, restored: Restored, progress: Progress, done: Callable[[], None], *, replace: bool
) -> None:
    stored = [one.table for one in archive.manifest.tables]
    names = [table.name for table in stored]
    emptied = tables.names_of(tables.EMPTIED)
    try:
        with transaction.atomic():
            transaction.on_commit(done)
            hold_tables(connection, sorted([*names, *emptied, *tables.names_of(tables.DERIVED)]))
            if not replace:
                require_empty()
            kinds_before = _kinds_of_objects()
            given_out = {table.name: engine.last_number(connection, table) for table in stored}
            with triggers_aside(connection, [*names, *tables.names_of(tables.DERIVED)]):
                derived.empty_derived(connection)
                _empty([*emptied, *reversed(names)])
                for table, parts in archive.tables():
                    for rows in parts:
                        load(connection, table, rows)
                        restored.rows += len(rows)
                        progress.advance(len(rows))
            for one in archive.manifest.tables:
                # Also what was given out here: clients may remember it.
                last = max(one.last_number, given_out[one.table.name] if replace else 0)
                engine.go_on_after(connection, one.table, last)
            derived.write_derived(connection)
            restored.is_restart_due = kinds_before != _kinds_of_objects()
    except IntegrityError as error:
        raise BackupFault(f"The rows do not fit together in this database: {error}") from error


def _kinds_of_objects() -> set[tuple[Any, ...]]:
    return set(ContentType.objects.using(connection.alias).values_list())


def _empty(names: list[str]) -> None:
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(name)}")


def _replace_files(file: BinaryIO, names: set[str]) -> None:
    if not names:
        return
    file.seek(0)
    for found in Archive(file).files():
        if found.name in names:
            media.store(found.name, found.pieces)
            names.remove(found.name)
        if not names:
            return


def _told_others(names: list[str]) -> str:
    return f"The storage has other files of the same names: {_shown(names)}. Remove them, or give --replace."


def _shown(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" and others" if len(names) > _SHOWN else "")


def load(connection: BaseDatabaseWrapper, table: Table, rows: list[Row]) -> None:
    """Insert the rows. Raises BackupFault in plain words where the engine cannot hold a value."""
    vendor = connection.vendor
    changed = [(place, column.kind) for place, column in enumerate(table.columns) if _differs(column.kind, vendor)]
    for row in rows:
        for place, kind in changed:
            row[place] = kinds.for_database(kind, row[place], vendor)
    names = ", ".join(connection.ops.quote_name(column.name) for column in table.columns)
    into = f"{connection.ops.quote_name(table.name)} ({names})"
    try:
        with connection.cursor() as cursor:
            if vendor == "sqlite":
                marks = ", ".join(["%s"] * len(table.columns))
                cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", rows)
            else:
                # Which Django leaves to the library, errors included.
                with connection.wrap_database_errors, cursor.copy(f"COPY {into} FROM STDIN") as copy:
                    for row in rows:
                        copy.write_row(row)
    except DataError as error:
        # What `unfit` does not foresee, such as JSON that PostgreSQL cannot hold.
        words = str(error).partition("\n")[0]
        raise BackupFault(f"The database cannot hold a row of {table.label}: {words}") from error


def _differs(kind: str, vendor: str) -> bool:
    return kind == kinds.BYTES or (kind == kinds.TIME and vendor == "sqlite")


def unfit(vendor: str, table: Table) -> Callable[[Iterable[list[Any]]], None]:
    """What raises BackupFault for rows that the engine cannot hold; SQLite holds whatever another engine did.

    PostgreSQL knows no NUL characters, and minds how long a text is, which SQLite does not.
    """
    if vendor == "sqlite":
        return lambda rows: None
    fields = {field.column: field for field in tables.model_of(table)._meta.concrete_fields}
    texts = [
        (place, column.name, getattr(fields.get(column.name), "max_length", None))
        for place, column in enumerate(table.columns)
        if column.kind in {kinds.TEXT, kinds.JSON}
    ]

    def check(rows: Iterable[list[Any]]) -> None:
        for row in rows:
            for place, name, most in texts:
                value = row[place]
                if value is None:
                    continue
                if "\0" in value:
                    raise BackupFault(
                        f"{table.label} {row[0]}: {name} has a NUL character, which PostgreSQL cannot hold."
                    )
                if most is not None and len(value) > most:
                    raise BackupFault(
                        f"{table.label} {row[0]}: {name} has {len(value)} characters; PostgreSQL can hold {most}."
                    )

    return check
