"""The history of a content as pages of rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q

from contents.admin.history.descriptions import (
    ChangeWords,
    DescribedMember,
    describe_author,
    describe_kind,
    describe_maker,
    describe_reasons,
)
from contents.admin.history.texts import TextBudget, weight_of
from contents.models import Content, ContentChange
from contents.storing.history import members_at, oldest_version, read_before
from core.audit.actions import label_of
from core.audit.admin.descriptions import describe_actor
from core.audit.models import AuditEntry

_PER_PAGE = 25
_SHORT = 60  # longest value shown in the list
_MAX_ENTRIES = 100  # audit entries per page
_MAX_TOLD = 50  # members per change
_CHANGE_ROOM = 4000  # bytes for the members of a change
_WEIGHT = 130  # bytes of markup per member


@dataclass(frozen=True)
class Row:
    """An event of the history; only changes have a version to look at."""

    at: datetime
    author: str
    what: str
    version: int = 0
    reasons: str = ""
    request_id: str = ""
    changes: Sequence[DescribedMember] = ()
    more: int = 0  # further changed members
    body_changed: bool = False
    is_present: bool = False

    @property
    def before(self) -> int:
        return self.version - 1


@dataclass(frozen=True)
class Beginning:
    """The oldest stored version. Writers choose the date of a content; the time of creation is unknown."""

    version: int
    editor: str = ""
    edited_at: datetime | None = None
    added_by: str = ""
    date: datetime | None = None


@dataclass(frozen=True)
class History:
    """One page, newest first."""

    rows: list[Row]
    page: "Page[Any]"
    beginning: Beginning | None

    @property
    def page_numbers(self) -> list[Any]:
        return list(self.page.paginator.get_elided_page_range(self.page.number))


def history_of(content: Content, number: str | None) -> History:
    """The page of this number; its cost does not depend on earlier pages."""
    changes = content.changes.order_by("-version").defer("body_before").annotate(has_body=Q(body_before__isnull=False))
    page = Paginator(changes, _PER_PAGE).get_page(number)
    shown = list(page.object_list)
    # At equal times audit entries come first: deletions often follow a change within a second.
    found = [*_entries(content, page, shown), *_change_rows(content, shown)]
    rows = sorted(found, key=lambda row: row.at, reverse=True)
    # Keep versions in order even if the clock went back.
    versions = iter(sorted((row for row in rows if row.version), key=lambda row: -row.version))
    rows = [next(versions) if row.version else row for row in rows]
    return History(rows, page, None if page.has_next() else _beginning(content))


def _change_rows(content: Content, changes: Sequence[Any]) -> Iterator[Row]:
    if not changes:
        return
    words = ChangeWords(content.site_id)
    state = members_at(content, changes[0].version)
    before = [read_before(change) for change in changes]
    places = [values["channel_id"] for values in before if "channel_id" in values]
    words.load_channels([*places, state["channel_id"]])
    for change, values in zip(changes, before, strict=True):
        told = words.description_of(change, values, state)
        short = _shortened(told)
        yield Row(
            change.at,
            describe_author(change),
            describe_kind(change),
            version=change.version,
            reasons=describe_reasons(change),
            request_id=change.request_id,
            changes=short,
            more=len(told) - len(short),
            body_changed=change.has_body,
            is_present=change.version == content.version,
        )
        state |= values


def _shortened(changes: list[DescribedMember]) -> list[DescribedMember]:
    found: list[DescribedMember] = []
    room = TextBudget(_CHANGE_ROOM)
    for told in changes[:_MAX_TOLD]:
        is_short = max(len(told.before), len(told.after)) <= _SHORT and "\n" not in told.before + told.after
        values = (told.before, told.after) if is_short else ("", "")
        short = DescribedMember(told.name, told.member.shortened(), *values)
        room.spend(_WEIGHT + sum(map(weight_of, (*short.member, *values))))
        if not room.left:
            break
        found.append(short)
    return found


def _entries(content: Content, page: "Page[Any]", changes: Sequence[ContentChange]) -> Iterator[Row]:
    """Audit entries between the last change of the previous page and the first of the next."""
    # These acts change no member, so only the audit log has them.
    actions = ("content.trashed", "content.restored")
    entries = AuditEntry.objects.filter(
        object_type=Content._meta.label_lower, object_id=str(content.pk), action__in=actions
    ).order_by("-id")
    if changes and page.has_previous():
        newer = content.changes.filter(version__gt=changes[0].version).order_by("version")
        entries = entries.filter(at__lt=newer.values_list("at", flat=True)[:1])
    if changes and page.has_next():
        entries = entries.filter(at__gte=changes[-1].at)
    for entry in entries[:_MAX_ENTRIES]:
        author = describe_actor(entry, with_account=False)
        yield Row(entry.at, author, label_of(entry.action), request_id=entry.request_id)


def _beginning(content: Content) -> Beginning:
    oldest = oldest_version(content)
    was = members_at(content, oldest, ("last_edit_user_name", "last_edit_date", "add_user_name", "add_date"))
    added_by = describe_maker(was["add_user_name"], content.added_by_key)
    return Beginning(oldest, was["last_edit_user_name"], was["last_edit_date"], added_by, was["add_date"])
