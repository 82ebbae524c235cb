"""The history of contents: who changed what and when, and what a content was before.

A change stores what it overwrites. A version is thus read backwards: the content as it is now, with the values
before each later change put back. Creations, ordinary updates of the API among them, cost nothing here; changes of
the hit counters alone are none. Going to the trash and back raise the version and stand in the audit.

What is kept of a content is always its latest changes without a gap (contents.storing.retention): a version is told
rightly or not at all.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from django.db import connection
from django.db.models import QuerySet

from cms_api.audit import current_actor
from cms_api.lib import clock
from contents.models import Content, ContentBody, ContentChange

# What is counted and not written.
COUNTERS = frozenset({"hits", "hits_by_day", "hits_by_week", "hits_by_month", "last_hits_date"})
# What belongs to the record and not to what editors make; the trash has entries of the audit.
_OUTSIDE = COUNTERS | {"id", "site_id", "version", "trashed_at", "trashed_with_id", "added_by_key"}
MEMBERS = tuple(field.attname for field in Content._meta.concrete_fields if field.attname not in _OUTSIDE)
_DATES = frozenset(
    field.attname for field in Content._meta.concrete_fields if field.get_internal_type() == "DateTimeField"
)
# What a change overwrote, which may be long.
_LONG = frozenset({"before", "body_before"})
_CHUNK = 200  # changes that are held at a time


@dataclass(frozen=True, slots=True)
class Overwritten:
    """What a change is about to overwrite: members by attribute name, and the body unless it stays."""

    members: Mapping[str, Any]
    body: str | None = None

    @property
    def is_worth_noting(self) -> bool:
        """Whether anything but counters changes."""
        return self.body is not None or not COUNTERS.issuperset(self.members)


def note_change(
    content: Content, before: Overwritten, kind: str = ContentChange.Kind.CHANGED, *, reasons: str = ""
) -> None:
    """Store what the change made of the content: `content` is as the change leaves it, its version raised.

    Raises RuntimeError outside of a transaction, since a change and its history have to be stored together.
    """
    note_changes([(content, before)], kind, reasons=reasons)


def note_changes(
    changes: Iterable[tuple[Content, Overwritten]],
    kind: str = ContentChange.Kind.CHANGED,
    *,
    reasons: str = "",
) -> None:
    """The same for several contents that were changed at once."""
    if not connection.in_atomic_block:
        raise RuntimeError("A change of a content is to be noted in its own transaction.")
    actor, now = current_actor(), clock.now()
    ContentChange.objects.bulk_create(
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
            before=_dump(before.members),
            body_before=before.body,
        )
        for content, before in changes
        if before.is_worth_noting
    )


def version_of(content: Content, version: int) -> tuple[dict[str, Any], str]:
    """The content's members by attribute name, and its body, as they were at the version.

    Reads one body whatever the number of changes. Raises LookupError when the history does not reach back to it.
    """
    # In this order: what is saved meanwhile is among the changes, and so put back.
    body = ContentBody.objects.filter(content=content).values_list("text", flat=True).first() or ""
    members = members_at(content, version)
    first = content.changes.filter(version__gt=version, body_before__isnull=False).order_by("version")
    text = first.values_list("body_before", flat=True).first()
    # Afterwards: the oldest changes may have been purged while this read.
    if not oldest_version(content) <= version <= content.version:
        raise LookupError(f"Version {version} of content {content.pk} is not kept.")
    return members, body if text is None else text


def members_at(content: Content, version: int, names: Collection[str] = MEMBERS) -> dict[str, Any]:
    """The members of these names, as they were at the version; the present ones where no later change tells."""
    values = {name: getattr(content, name) for name in names}
    missing = set(names)
    later = content.changes.filter(version__gt=version).order_by("version").values_list("before", flat=True)
    for before in later.iterator(chunk_size=_CHUNK):
        # The first change after the version overwrote what stood there at the version.
        found = {name: value for name, value in _load(before).items() if name in missing}
        values |= found
        missing -= found.keys()
        if not missing:
            break
    return values


def oldest_version(content: Content) -> int:
    """The earliest version that can still be told: the one before the first change that is kept."""
    first = content.changes.order_by("version").values_list("version", flat=True).first()
    return content.version if first is None else first - 1


def told_changes() -> QuerySet[ContentChange]:
    """Changes, the newest first, with their contents; of both what a list tells."""
    names = ("content__title", "content__site_id", "content__channel_id", "content__trashed_at", "content__version")
    own = [field.attname for field in ContentChange._meta.concrete_fields if field.attname not in _LONG]
    return ContentChange.objects.select_related("content").only(*own, *names).order_by("-at", "-id")


def read_before(change: ContentChange) -> dict[str, Any]:
    """The members that the change overwrote, by attribute name, as Python values."""
    return _load(change.before)


def _load(before: str) -> dict[str, Any]:
    values: dict[str, Any] = orjson.loads(before)
    for name in _DATES.intersection(values):
        values[name] = values[name] and datetime.fromisoformat(values[name])
    return {name: value for name, value in values.items() if name in MEMBERS}


def _dump(members: Mapping[str, Any]) -> str:
    written = {name: value for name, value in members.items() if name not in COUNTERS}
    texts = {name: value.isoformat(" ") if isinstance(value, datetime) else value for name, value in written.items()}
    return orjson.dumps(texts).decode()
