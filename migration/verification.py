"""Compares the source with the stored records: counts, sums, and random records member by member."""

import random
from collections import Counter
from typing import Any

import orjson
from django.db import models
from django.db.models import Count, Q, Sum

from accounts.models import Administrator, User
from channels_app.models import Channel
from contents.models import Content, ContentBody
from migration import records
from migration.content_rows import ReadContent
from migration.context import Context
from migration.layout import CHANNELS, SITES, Layout
from migration.models import MigratedRecord
from migration.report import Outcome
from migration.sources.source import Row
from migration.steps import Brought
from migration.values import flag, number, text
from sites.models import Site

_SAMPLE = 200
_FIGURES = {
    "contents": Count("pk"),
    "hits": Sum("hits"),
    "approved": Count("pk", filter=Q(is_checked=True)),
    "pinned": Count("pk", filter=Q(is_top=True)),
    "trashed": Count("pk", filter=Q(trashed_at__isnull=False)),
}
# Of other rows, or of the moment of the migration; custom fields have the spelling of the site.
_NOT_COMPARED = {"reference_id", "trashed_at", "settings_xml"}
# Columns that hold the name of a record.
_NAMED: dict[str, tuple[type[models.Model], str, str]] = {
    SITES: (Site, "sitename", "site_name"),
    CHANNELS: (Channel, "channelname", "channel_name"),
    "siteserver_administrator": (Administrator, "username", "user_name"),
    "siteserver_user": (User, "username", "user_name"),
}


def verify(context: Context, layout: Layout, brought: Brought) -> bool:
    """Add checks to the report, and return whether all of them agree with the source, or a finding explains the
    difference."""
    context.report.is_recording = False  # the same findings again
    rows = sum(_check_contents(context, table, brought) for table in layout.content_tables)
    if outcomes := context.report.outcomes.get("contents"):  # a resumed run may have brought contents before
        _compare(context, "contents: rows", rows, outcomes.total() - outcomes[Outcome.DELETED])
    for table in _NAMED:
        _check_names(context, table, brought.site_ids)
    context.report.is_recording = True
    return all(each["is_right"] for each in context.report.checks)


def _compare(context: Context, name: str, expected: Any, found: Any) -> None:
    checks = context.report.checks
    checks.append({"name": name, "expected": expected, "found": found, "is_right": expected == found})


def _check_contents(context: Context, table: str, brought: Brought) -> int:
    """Return the number of requested rows; rows that were left out for a reason have a finding."""
    known = MigratedRecord.objects.filter(source_table=table)
    stored, changed_here = known.exclude(digest=""), _changed_here(known)
    expected: Counter[str] = Counter()
    channels: Counter[int] = Counter()
    sample = _Sample()
    rows = 0
    for row in context.rows(table, f"{table}, compared"):
        if not brought.reader.is_asked_for(row):
            continue
        rows += 1
        if number(row.get("id")) in changed_here or brought.reader.reason_to_leave_out(row):
            continue
        expected.update(_counted(row))
        channels[abs(number(row.get("channelid")))] += 1
        sample.offer(row)
    compared = stored.exclude(source_id__in=changed_here).values("target_id")
    here = Content.objects.filter(pk__in=compared, site_id__in=brought.site_ids).order_by()
    for name, found in here.aggregate(**_FIGURES).items():
        _compare(context, f"{table}: {name}", expected[name], found or 0)
    in_channels = dict(here.values_list("channel_id").annotate(Count("pk")))
    different = sum(channels[pk] != in_channels.get(pk, 0) for pk in channels.keys() | in_channels.keys())
    _compare(context, f"{table}: channels with another number of contents", 0, different)
    sampled = records.find(table, [number(row.get("id")) for row in sample.rows])
    wrong = [
        pk
        for row in sample.rows
        if not _is_equal(brought.reader.read(table, row), sampled.get(pk := number(row.get("id"))))
    ]
    _compare(context, f"{table}: different ones among {len(sample.rows)} random contents", [], wrong)
    return rows


def _changed_here(known: models.QuerySet[MigratedRecord]) -> set[int]:
    """Return the rows whose contents were changed or deleted here afterwards."""
    version = Content.objects.filter(pk=models.OuterRef("target_id")).values("version")
    changed = known.annotate(now=models.Subquery(version)).filter(Q(now=None) | Q(now__gt=models.F("version")))
    return set(changed.values_list("source_id", flat=True))


def _counted(row: Row) -> dict[str, int]:
    return {
        "contents": 1,
        "hits": max(number(row.get("hits")), 0),
        "approved": flag(row.get("ischecked", row.get("checked"))),
        "pinned": flag(row.get("istop", row.get("top"))),
        "trashed": number(row.get("channelid")) < 0,
    }


def _is_equal(read: ReadContent, known: records.Migrated | None) -> bool:
    content = Content.objects.filter(pk=known.target_id).first() if known else None
    if content is None:
        return False
    body = ContentBody.objects.filter(pk=content.pk).values_list("text", flat=True).first()
    custom = {name.casefold(): value for name, value in orjson.loads(content.settings_xml).items()}
    expected = {name.casefold(): value for name, value in read.custom.items()}
    fields = {name: value for name, value in read.fields.items() if name not in _NOT_COMPARED}
    return (
        body == read.body
        and custom == expected
        and all(getattr(content, name) == value for name, value in fields.items())
    )


def _check_names(context: Context, table: str, site_ids: frozenset[int]) -> None:
    """Compare the number of records, and the names of random ones that this run stored."""
    model, column, field = _NAMED[table]
    known = records.target_ids(table)
    stored = records.stored_since(table, context.options.started_at)
    sample = _Sample()
    counts: Counter[bool] = Counter()
    for row in context.source.rows(table):
        pk, of_site = number(row.get("id")), {SITES: row.get("id"), CHANNELS: row.get("siteid")}.get(table)
        if of_site is None or number(of_site) in site_ids or context.options.site_ids is None:
            counts[pk in known or context.report.explains(f"{table} {pk}")] += 1
            if pk in stored:
                sample.offer(row)
    _compare(context, f"{table}: records", counts.total(), counts[True])
    targets = {known[number(row.get("id"))]: row for row in sample.rows}
    names = dict(model._default_manager.filter(pk__in=targets).values_list("pk", field))
    wrong = [
        number(row.get("id"))
        for pk, row in targets.items()
        if names.get(pk) != text(row.get(column)) and not context.report.explains(f"{table} {number(row.get('id'))}")
    ]
    _compare(context, f"{table}: different names among {len(sample.rows)} random records", [], wrong)


class _Sample:
    """A random sample of rows that are offered one by one."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._offered = 0
        self._random = random.Random()  # noqa: S311 - nothing secret

    def offer(self, row: Row) -> None:
        self._offered += 1
        if len(self.rows) < _SAMPLE:
            self.rows.append(row)
        elif (place := self._random.randrange(self._offered)) < _SAMPLE:
            self.rows[place] = row
