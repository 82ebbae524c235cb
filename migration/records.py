"""Which records of this service the rows of the source became."""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

import orjson
from django.db import models

from core.lib import clock
from migration.models import MigratedRecord
from migration.sources.source import Row

_AT_A_TIME = 500


class Migrated(NamedTuple):
    target_id: int
    digest: str
    version: int
    migrated_at: datetime


def digest_of(row: Row) -> str:
    """Return a digest that differs if a column does."""
    try:
        text = orjson.dumps(row, default=str, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # halves of surrogate pairs, or numbers beyond 64 bits
        text = repr(sorted(row.items())).encode()
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def find(table: str, ids: Collection[int]) -> dict[int, Migrated]:
    """Return the records of migrated rows of the table, by their ids."""
    numbers = list(ids)
    found: dict[int, Migrated] = {}
    for start in range(0, len(numbers), _AT_A_TIME):
        rows = _of(table).filter(source_id__in=numbers[start : start + _AT_A_TIME])
        for row in rows.values_list("source_id", "target_id", "digest", "version", "migrated_at"):
            found[row[0]] = Migrated(*row[1:])
    return found


def target_ids(table: str) -> dict[int, int]:
    """Return the ids of all records of a small table by the ids of their rows."""
    return dict(_of(table).values_list("source_id", "target_id"))


def stored_since(table: str, moment: datetime) -> set[int]:
    return set(_of(table).filter(migrated_at__gte=moment).values_list("source_id", flat=True))


def store(
    table: str, records: Iterable[tuple[int, int, str]], version: int = 0, channels: Mapping[int, int] | None = None
) -> None:
    """Store the id of a row, the id of its record and the digest of the row, for each; all records have the version.

    `channels` has the channels of contents by the ids of their rows.
    """
    now = clock.now()
    MigratedRecord.objects.bulk_create(
        (
            MigratedRecord(
                source_table=table.casefold(),
                source_id=source_id,
                target_id=target_id,
                digest=digest,
                version=version,
                migrated_at=now,
                channel_id=(channels or {}).get(source_id),
            )
            for source_id, target_id, digest in records
        ),
        batch_size=_AT_A_TIME,
        update_conflicts=True,
        unique_fields=["source_table", "source_id"],
        update_fields=["target_id", "digest", "version", "migrated_at", "channel_id"],
    )


def unforgotten(table: str) -> dict[int, int]:
    """Return the ids of the records by the ids of their rows, without forgotten ones."""
    return dict(_of(table).exclude(digest="").values_list("source_id", "target_id"))


def forget(table: str, ids: Collection[int], *, of_trashed: bool = False) -> None:
    """Let rows that the source has no more count as changed if they come back; `of_trashed`: we just trashed them."""
    _of(table).filter(source_id__in=ids).update(digest="", version=models.F("version") + int(of_trashed))


def _of(table: str) -> models.QuerySet[MigratedRecord]:
    return MigratedRecord.objects.filter(source_table=table.casefold())
