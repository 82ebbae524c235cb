"""Contents of all tables, in batches; each batch is stored with the ids that its rows got."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from django.db import DataError, IntegrityError, connection, transaction
from django.db.models import F, Max

from contents.models import Content, ContentBody, LastTaxis, ListedContent, ListedCount
from contents.storing.custom_fields import FieldNames
from core.archive import database
from core.archive.tables import table_of
from migration import records
from migration.content_ids import ContentIds
from migration.content_rows import ContentReader, ReadContent
from migration.context import Context
from migration.former_paths import remember_old_addresses
from migration.layout import Layout
from migration.models import MigratedRecord
from migration.records import Migrated
from migration.references import References
from migration.report import Outcome
from migration.sources.source import Row
from migration.values import number
from transfer.importing import read_ahead
from transfer.whole_site.tables import BODY

_BATCH = 1000
_CHARACTERS = 8 * 1024**2  # of the texts of a batch
_FIRST_STATISTICS = 4 * _BATCH  # contents; then after four times as many, and so on
_KIND = "contents"
_EDITED_HERE = "A content was changed here after it had been migrated, and in the source as well; ours was kept."
_TABLE = table_of(Content)
_DEFAULTS: dict[str, Any] = {field.attname: field.get_default() for field in Content._meta.concrete_fields}


class _Item(NamedTuple):
    row: Row
    digest: str


class _Read(NamedTuple):
    content: ReadContent
    digest: str


class ContentsMigration:
    def __init__(self, context: Context, layout: Layout, reader: ContentReader, site_ids: frozenset[int]) -> None:
        self._context, self._layout, self._reader, self._site_ids = context, layout, reader, site_ids
        source = context.source
        highest = max((source.highest_id(table) for table in layout.content_tables), default=0)
        self._ids = ContentIds(highest, is_dry_run=context.options.is_dry_run)
        self._references = References(context)
        self._stored, self._next_statistics = 0, _FIRST_STATISTICS

    def migrate(self) -> None:
        for table in self._layout.content_tables:
            self._migrate_table(table)
        if self._context.options.is_dry_run:
            return
        self._references.resolve()
        self._ids.go_on()
        self._set_last_taxis()
        _gather_statistics()

    def _migrate_table(self, table: str) -> None:
        seen: set[int] = set()
        rows = (row for row in self._context.rows(table, table) if self._is_wanted(table, row, seen))
        # The source and the database here work at the same time.
        with closing(read_ahead(_batches(rows))) as batches:
            for batch in batches:
                self._store(table, batch)
        self._trash_missing(table, seen)

    def _is_wanted(self, table: str, row: Row, seen: set[int]) -> bool:
        if not self._reader.is_asked_for(row):
            return False
        reason = self._reader.reason_to_leave_out(row)
        if reason:
            self._context.report.find(reason, self._reader.place_of(table, row))
            self._context.report.add(_KIND, Outcome.LEFT_OUT)
            return False
        seen.add(number(row.get("id")))
        self._references.place(abs(number(row.get("channelid"))), table)
        return True

    def _store(self, table: str, batch: list[Row]) -> None:
        known = records.find(table, [number(row.get("id")) for row in batch])
        new: list[_Item] = []
        changed: list[tuple[_Item, Migrated]] = []
        for row in batch:
            item, before = _Item(row, records.digest_of(row)), known.get(number(row.get("id")))
            if before is None:
                new.append(item)
            elif before.digest != item.digest:
                changed.append((item, before))
            else:
                self._references.add(table, before.target_id, self._reader.refers_to(row))
        self._context.report.add(_KIND, Outcome.UNCHANGED, len(batch) - len(new) - len(changed))
        ids = self._ids.assign(number(item.row.get("id")) for item in new)
        self._write(table, self._read(table, new), ids)
        self._update(table, changed)

    def _read(self, table: str, items: list[_Item]) -> list[_Read]:
        read = [self._reader.read(table, item.row) for item in items]
        self._spell(read)
        return [_Read(content, item.digest) for content, item in zip(read, items, strict=True)]

    def _write(self, table: str, items: list[_Read], ids: dict[int, int]) -> None:
        if not items:
            return
        read = [item.content for item in items]
        try:
            # One transaction without savepoints, which take SQLite longer with each row.
            with transaction.atomic():
                if not self._context.options.is_dry_run:
                    _load(read, ids)
                    _remember_old_addresses(read, ids)
                done = [(item.content.source_id, ids[item.content.source_id], item.digest) for item in items]
                self._context.store(table, done, version=1, channels=_channels(read))
        except (DataError, IntegrityError) as error:
            self._write_in_halves(table, items, ids, error)
            return
        self._context.report.add(_KIND, Outcome.NEW, len(items))
        for each in read:
            self._references.add(table, ids[each.source_id], each.refers_to)
        self._stored += len(items)
        if self._stored >= self._next_statistics and not self._context.options.is_dry_run:
            _gather_statistics()
            self._next_statistics *= 4

    def _write_in_halves(self, table: str, items: list[_Read], ids: dict[int, int], error: Exception) -> None:
        if len(items) == 1:
            place = f"{table} {items[0].content.source_id}"
            told = "The database rejects a content; it was left out."
            self._context.report.find(told, place, str(error).partition("\n")[0])
            self._context.report.add(_KIND, Outcome.LEFT_OUT)
            return
        half = len(items) // 2
        self._write(table, items[:half], ids)
        self._write(table, items[half:], ids)

    def _update(self, table: str, changed: list[tuple[_Item, Migrated]]) -> None:
        read = self._read(table, [item for item, _before in changed])
        for (each, digest), (item, before) in zip(read, changed, strict=True):
            stored = Content.objects.filter(pk=before.target_id).first()
            if stored is None or stored.version > before.version:
                self._context.report.find(_EDITED_HERE, self._reader.place_of(table, item.row))
                self._context.report.add(_KIND, Outcome.LEFT_OUT)
                continue
            with transaction.atomic():
                Content.objects.filter(pk=stored.pk).update(**each.fields, version=F("version") + 1)
                ContentBody.objects.filter(pk=stored.pk).update(text=each.body)
                done = [(each.source_id, stored.pk, digest)]
                self._context.store(table, done, stored.version + 1, _channels([each]))
            self._references.add(table, stored.pk, each.refers_to)
            self._context.report.add(_KIND, Outcome.UPDATED)

    def _spell(self, read: list[ReadContent]) -> None:
        """Write custom fields in the spelling that the site has for them."""
        of_site: dict[int, list[ReadContent]] = defaultdict(list)
        for each in read:
            of_site[each.fields["site_id"]].append(each)
        for site_id, found in of_site.items():
            names = FieldNames(site_id, {name for each in found for name in each.custom})
            for each in found:
                spelled = names.spell(each.custom)
                names.accept(spelled)
                each.fields["settings_xml"] = orjson.dumps(spelled).decode() if spelled else "{}"
            names.register()

    def _trash_missing(self, table: str, seen: set[int]) -> None:
        """Move contents to the trash that an earlier run brought and that the source has no more."""
        gone = {pk: one for one, pk in records.unforgotten(table).items() if one not in seen}
        ids = list(gone)
        for start in range(0, len(ids), _BATCH):
            of_sites = Content.objects.filter(pk__in=ids[start : start + _BATCH], site_id__in=self._site_ids)
            with transaction.atomic():
                found = dict(of_sites.select_for_update().values_list("pk", "trashed_at"))
                live = [pk for pk, trashed_at in found.items() if trashed_at is None]
                now = self._context.options.started_at
                Content.objects.filter(pk__in=live).update(trashed_at=now, version=F("version") + 1)
                records.forget(table, [gone[pk] for pk in live], of_trashed=True)
                records.forget(table, [gone[pk] for pk in found.keys() - set(live)])
            self._context.report.add(_KIND, Outcome.DELETED, len(found))

    def _set_last_taxis(self) -> None:
        of_sites = Content.objects.filter(site_id__in=self._site_ids).order_by()
        highest = of_sites.values_list("channel_id").annotate(last=Max("taxis"))
        LastTaxis.objects.bulk_create(
            (LastTaxis(channel_id=channel_id, taxis=taxis) for channel_id, taxis in highest),
            update_conflicts=True,
            unique_fields=["channel_id"],
            update_fields=["taxis"],
            batch_size=_BATCH,
        )


def _batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(batch) >= _BATCH or characters >= _CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _gather_statistics() -> None:
    """Let PostgreSQL plan for the size that its tables have now.

    It reuses the plans of prepared statements and triggers, made for empty tables, until there are new statistics.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for model in (Content, ContentBody, ListedContent, ListedCount, MigratedRecord):
                cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")


def _channels(read: list[ReadContent]) -> dict[int, int]:
    return {each.source_id: each.fields["channel_id"] for each in read}


def _remember_old_addresses(read: list[ReadContent], ids: dict[int, int]) -> None:
    renumbered: dict[int, dict[int, int]] = defaultdict(dict)
    for each in read:
        if ids[each.source_id] != each.source_id:
            renumbered[each.fields["site_id"]][ids[each.source_id]] = each.source_id
    for site_id, old_ids in renumbered.items():
        remember_old_addresses(site_id, old_ids)


def _load(read: list[ReadContent], ids: dict[int, int]) -> None:
    contents = [_DEFAULTS | each.fields | {"id": ids[each.source_id]} for each in read]
    database.load(
        connection, _TABLE, [[_storable(fields[column.name]) for column in _TABLE.columns] for fields in contents]
    )
    database.load(connection, BODY.table, [[ids[each.source_id], each.body] for each in read])


def _storable(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
