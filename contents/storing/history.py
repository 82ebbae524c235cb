"""The history of contents: author, time and former values of each change.

A change stores the values it overwrites; an old version is the current content with all later changes undone. Creating
a content and changing only its hit counters write no history. Trashing and restoring raise the version and appear only
in the audit log.

The stored changes of a content are always its latest ones without a gap (contents.storing.retention), so a version is
either exact or unavailable.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from django.db import connection
from django.dispatch import Signal

from contents.models import Content, ContentBody, ContentChange
from core.audit import current_actor
from core.lib import clock
from core.lib.bulk import insert_records, update_columns

# Counters: changes of these write no history.
COUNTERS = frozenset({"hits", "hits_by_day", "hits_by_week", "hits_by_month", "last_hits_date"})
# Not editable by editors; the audit log records trashing.
_OUTSIDE = COUNTERS | {"id", "site_id", "version", "trashed_at", "trashed_with_id", "added_by_key"}
MEMBERS = tuple(field.attname for field in Content._meta.concrete_fields if field.attname not in _OUTSIDE)
_DATES = frozenset(
    field.attname for field in Content._meta.concrete_fields if field.get_internal_type() == "DateTimeField"
)
_CHUNK = 200  # changes read at a time
# Sent before columns are stored, with `changes`: the contents, which already have their new values, and the previous
# ones. The second only has changes, other than of counters, of contents that are unapproved before or after them.
contents_changing = Signal()
unapproved_changing = Signal()


@dataclass(frozen=True, slots=True)
class PreviousValues:
    """The values that a change overwrites, by attribute name; the body is None if unchanged."""

    members: dict[str, Any]
    body: str | None = None

    @property
    def is_worth_noting(self) -> bool:
        return self.body is not None or not COUNTERS.issuperset(self.members)


def take_over(content: Content, values: Mapping[str, Any], body_before: str | None = None) -> PreviousValues:
    """Set the values and, unless only counters change, the next version; return the overwritten values."""
    before = PreviousValues({name: getattr(content, name) for name in values}, body_before)
    for name, value in values.items():
        setattr(content, name, value)
    content.version += before.is_worth_noting
    return before


def store_changes(
    changes: Sequence[tuple[Content, PreviousValues]], kind: str = ContentChange.Kind.CHANGED, *, reasons: str = ""
) -> None:
    """Store the changed columns, and record the changes, of contents that already have their new values."""
    store_columns(changes)
    record_changes(changes, kind, reasons=reasons)


def store_columns(changes: Sequence[tuple[Content, PreviousValues]]) -> None:
    """Store the versions and the changed columns of contents that already have their new values."""
    unapproved = [
        (content, before)
        for content, before in changes
        if before.is_worth_noting and (not content.is_checked or "is_checked" in before.members)
    ]
    if unapproved:
        unapproved_changing.send(Content, changes=unapproved)
    contents_changing.send(Content, changes=changes)
    names = {"version"}.union(*(before.members for _content, before in changes))
    update_columns([content for content, _before in changes], names)


def record_changes(
    changes: Iterable[tuple[Content, PreviousValues]],
    kind: str = ContentChange.Kind.CHANGED,
    *,
    reasons: str = "",
) -> None:
    """Record changes of contents that already have their new values. Raises RuntimeError outside a transaction."""
    if not connection.in_atomic_block:
        raise RuntimeError("Record a change of a content within its transaction.")
    actor, now = current_actor(with_address=False), clock.now()
    rows = [
        ContentChange(
            content=content,
            site_id=content.site_id,
            version=content.version,
            at=now,
            kind=kind,
            actor_kind=actor.kind,
            administrator_id=actor.administrator_id,
            actor_name=actor.name[:255],
            key_id=actor.key_id,
            key_name=actor.key_name,
            request_id=actor.request_id,
            reasons=reasons[:255],
            before=dump_members(before.members),
            body_before=before.body,
        )
        for content, before in changes
        if before.is_worth_noting
    ]
    insert_records(rows)


def version_of(content: Content, version: int) -> tuple[dict[str, Any], str]:
    """Members by attribute name and body at the version. Raises LookupError if the history does not reach it."""
    # The body first: a change saved in between is then among the changes and undone.
    body = ContentBody.objects.filter(content=content).values_list("text", flat=True).first() or ""
    members = members_at(content, version)
    first = content.changes.filter(version__gt=version, body_before__isnull=False).order_by("version")
    text = first.values_list("body_before", flat=True).first()
    # Checked last: the oldest changes may have been purged during the reads.
    if not oldest_version(content) <= version <= content.version:
        raise LookupError(f"Version {version} of content {content.pk} is not stored.")
    return members, body if text is None else text


def members_at(content: Content, version: int, names: Collection[str] = MEMBERS) -> dict[str, Any]:
    """Values of these members at the version; current values where no later change has one."""
    values = {name: getattr(content, name) for name in names}
    missing = set(names)
    later = content.changes.filter(version__gt=version).order_by("version").values_list("before", flat=True)
    for before in later.iterator(chunk_size=_CHUNK):
        # The first change after the version holds the value at the version.
        found = {name: value for name, value in load_members(before).items() if name in missing}
        values |= found
        missing -= found.keys()
        if not missing:
            break
    return values


def oldest_version(content: Content) -> int:
    """The earliest version that the stored changes can restore."""
    first = content.changes.order_by("version").values_list("version", flat=True).first()
    return content.version if first is None else first - 1


def read_before(change: ContentChange) -> dict[str, Any]:
    return load_members(change.before)


def load_members(before: str) -> dict[str, Any]:
    values = {name: value for name, value in orjson.loads(before).items() if name in MEMBERS}
    for name in _DATES.intersection(values):
        values[name] = values[name] and datetime.fromisoformat(values[name])
    return values


def dump_members(members: Mapping[str, Any]) -> str:
    texts = {
        name: value.isoformat(" ") if isinstance(value, datetime) else value
        for name, value in members.items()
        if name not in COUNTERS
    }
    return orjson.dumps(texts).decode()
