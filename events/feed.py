"""Events as the changes of the feed: which of them a key may see, and in pages."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from django.db import OperationalError, connection, transaction
from django.db.models import Q

from core.lib.errors import InvalidInput
from core.lib.statement_limit import waiting_at_most
from events.models import Event, Numbering
from events.numbering import lock_numbering, number_new

# Scope whose read access shows the events → their subject.
SUBJECTS = {
    "Contents": "content",
    "Channels": "channel",
    "STL": "site",
    "Users": "user",
    "Media": "media",
    "Forms": "form",
}
DELETIONS = {"trashed", "deleted", "entry_deleted"}
# Subject → member that has its id.
ID_NAMES = {subject: f"{subject}Id" for subject in SUBJECTS.values()} | {"form": "entryId"}
START = "start"
_WINDOW = 20_000  # positions that are searched for visible events at a time
_PATIENCE = 0.5  # seconds for another writer of SQLite
_CURSOR = re.compile(r"\d{1,18}", re.ASCII)


@dataclass(frozen=True)
class Visibility:
    """The events that a key may see."""

    subjects: Collection[str]  # of SUBJECTS
    site_ids: Collection[int] | None  # None: every site, and users

    @property
    def condition(self) -> Q:
        subjects = [Q(name__startswith=f"{subject}.") for subject in sorted(self.subjects)]
        shown = Q(*subjects, _connector=Q.OR)
        return shown if self.site_ids is None else shown & Q(site_id__in=self.site_ids)


@dataclass(frozen=True)
class Page:
    changes: list[dict[str, Any]]
    next_cursor: int
    has_more: bool


def last_position() -> int:
    return _number().last_position


def _number() -> Numbering:
    """Number committed events, and return the last position."""
    try:
        with waiting_at_most(connection, _PATIENCE):
            number_new()
    except OperationalError:
        if connection.vendor != "sqlite":
            raise
        # A long write on SQLite: its events, and those before it, are numbered afterwards.
    if (numbering := Numbering.objects.first()) is None:
        with transaction.atomic():
            numbering = lock_numbering()
    return numbering


def read_cursor(text: str) -> int:
    """Return the position of the cursor. Raises InvalidInput for an unknown or expired one."""
    numbering = _number()
    if not text:
        return numbering.last_position
    if text == START:
        return numbering.deleted_position
    if not _CURSOR.fullmatch(text):
        raise InvalidInput("invalid_cursor", f"The cursor was not issued by the service. Use {START}.", member="after")
    if not numbering.deleted_position <= (position := int(text)) <= numbering.last_position:
        message = (
            "Changes after this cursor are no longer stored. Get a new cursor without after, read all records again, "
            "then go on from that cursor."
        )
        raise InvalidInput("cursor_expired", message, member="after")
    return position


def read_page(after: int, visibility: Visibility, limit: int) -> Page:
    """Return changes after the position, oldest first; an empty page may have more."""
    last = last_position()
    end = min(last, after + _WINDOW)
    rows = Event.objects.filter(visibility.condition, position__gt=after, position__lte=end)
    found = list(rows.order_by("position")[: limit + 1])
    if len(found) > limit:
        del found[limit:]
        end = found[-1].position or end
    return Page([change(event) for event in found], end, end < last)


def change(event: Event) -> dict[str, Any]:
    """Return the event as a record on the wire."""
    subject, _, verb = event.name.partition(".")
    numbers: Mapping[str, int | None] = {
        "siteId": event.site_id,
        "channelId": event.channel_id,
        "contentId": None,
        "userId": None,
        "mediaId": None,
        "formId": event.form_id,
        "entryId": None,
    }
    return {
        "id": event.position,
        "at": event.at.isoformat(" ", "seconds"),
        "event": event.name,
        **numbers,
        ID_NAMES[subject]: event.subject_id,
        "version": event.version,
        "fields": orjson.loads(event.fields),
        "isDeleted": verb in DELETIONS,
    }
