"""The versions of a content as its history tells them: a page of changes, what lies between them, and its beginning."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from cms_api.audit.actions import label_of
from cms_api.audit.admin.telling import tell_actor
from cms_api.audit.models import AuditEntry
from contents.admin.history.byte_budget import Room, cut, weight_of
from contents.admin.history.words import (
    ALONG,
    DECISION,
    STATE_MEMBERS,
    ChangeWords,
    Member,
    ToldMember,
    is_decision,
    tell_author,
    tell_kind,
    tell_maker,
    tell_reasons,
)
from contents.models import Content, ContentChange
from contents.storing.history import members_at, oldest_version, read_before

_PER_PAGE = 25
_SHORT = 60  # characters of a value that is told in the list
_MOST_ENTRIES = 100  # of the audit, on one page
_MOST_TOLD = 50  # members of one change
_CHANGE_ROOM = 4000  # bytes in which they are told
_WEIGHT = 130  # of the markup of one of them, in bytes
_MOST_NAME = 60  # characters
# What changes no member and is told by the audit alone.
_ACTIONS = ("content.trashed", "content.restored")


@dataclass(frozen=True)
class Row:
    """Something that happened to the content. Only a change has made a version that can be looked at."""

    at: datetime
    author: str
    what: str
    version: int = 0
    reasons: str = ""
    request_id: str = ""
    changes: Sequence[ToldMember] = ()
    more: int = 0  # members that changed, too, and are not told here
    body_changed: bool = False
    is_present: bool = False

    @property
    def before(self) -> int:
        return self.version - 1


@dataclass(frozen=True)
class Beginning:
    """The oldest version that is kept, as it was: who had edited it last and when, who had added it, and its date.

    When it was added nobody knows: the date of the content is what its writers choose.
    """

    version: int
    editor: str
    edited_at: datetime
    added_by: str
    date: datetime

    @property
    def is_creation(self) -> bool:
        """Whether everything since is kept."""
        return self.version == 1


@dataclass(frozen=True)
class History:
    """One page of the history, the newest first."""

    rows: list[Row]
    page: "Page[ContentChange]"
    paginator: "Paginator[ContentChange]"
    beginning: Beginning | None = field(default=None)

    @property
    def page_numbers(self) -> list[Any]:
        return list(self.paginator.get_elided_page_range(self.page.number))


def history_of(content: Content, number: str | None) -> History:
    """The page of this number; each page is read by itself, whatever lies before it."""
    paginator = Paginator(_changes(content), _PER_PAGE)
    page = paginator.get_page(number)
    changes = list(page.object_list)
    # Of the same second first what the audit tells: whoever deletes something has often just changed it.
    found = [*_entries(content, page, changes), *_change_rows(content, changes)]
    rows = sorted(found, key=lambda row: row.at, reverse=True)
    beginning = None if page.has_next() else _beginning(content)
    return History(_in_order(rows), page, paginator, beginning)


def _changes(content: Content) -> QuerySet[ContentChange]:
    has_body = ExpressionWrapper(Q(body_before__isnull=False), output_field=BooleanField())
    return content.changes.order_by("-version").defer("body_before").annotate(has_body=has_body)


def _change_rows(content: Content, changes: Sequence[Any]) -> Iterator[Row]:
    if not changes:
        return
    words = ChangeWords(content.site_id)
    state = members_at(content, changes[0].version)
    before = [read_before(change) for change in changes]
    places = [values["channel_id"] for values in before if "channel_id" in values]
    words.load_channels([*places, state["channel_id"]])
    for change, values in zip(changes, before, strict=True):
        told, more = _told(words, change, values, state)
        yield _row(change, told, more, is_present=change.version == content.version)
        state |= values


def _row(change: Any, told: list[ToldMember], more: int, *, is_present: bool) -> Row:
    return Row(
        change.at,
        tell_author(change),
        tell_kind(change),
        change.version,
        tell_reasons(change),
        change.request_id,
        told,
        more,
        change.has_body,
        is_present,
    )


def _told(
    words: ChangeWords, change: ContentChange, values: dict[str, Any], state: dict[str, Any]
) -> tuple[list[ToldMember], int]:
    """What the change made of the values, as far as it fits, and how many more there are."""
    # A state is told by two members, of which the change may have overwritten one.
    pair = STATE_MEMBERS if values.keys() & set(STATE_MEMBERS) else ()
    names = (values.keys() - ALONG) | set(pair)
    before = {name: values.get(name, state[name]) for name in names}
    differences = words.differences(before, {name: state[name] for name in names})
    # Who decided, when and why stands above what a decision changed.
    shown = [name for name in differences.names if not (name == DECISION and is_decision(change))]
    found = list(_fitting(_short(told) for told in differences.told(shown[:_MOST_TOLD])))
    return found, len(shown) - len(found)


def _fitting(found: Iterable[ToldMember]) -> Iterator[ToldMember]:
    room = Room(_CHANGE_ROOM)
    for told in found:
        room.spend(_WEIGHT + sum(map(weight_of, (*told.member, told.before, told.after))))
        if not room.left:
            return
        yield told


def _short(told: ToldMember) -> ToldMember:
    """What is told in the list: a long value is looked at on the page of the change."""
    member = Member(*(cut(text, _MOST_NAME) for text in told.member))
    is_short = max(len(told.before), len(told.after)) <= _SHORT and "\n" not in told.before + told.after
    return ToldMember(told.name, member, told.before, told.after) if is_short else ToldMember(told.name, member, "", "")


def _entries(content: Content, page: "Page[ContentChange]", changes: Sequence[ContentChange]) -> Iterator[Row]:
    """What the audit tells of the time between the last change of the page before and that of the page after."""
    entries = AuditEntry.objects.filter(
        object_type=Content._meta.label_lower, object_id=str(content.pk), action__in=_ACTIONS
    ).order_by("-id")
    if changes and page.has_previous():
        newer = content.changes.filter(version__gt=changes[0].version).order_by("version")
        entries = entries.filter(at__lt=newer.values_list("at", flat=True)[:1])
    if changes and page.has_next():
        entries = entries.filter(at__gte=changes[-1].at)
    for entry in entries[:_MOST_ENTRIES]:
        author = tell_actor(entry, with_account=False)
        yield Row(entry.at, author, label_of(entry.action), request_id=entry.request_id)


def _in_order(rows: list[Row]) -> list[Row]:
    """The rows, the versions among them in their order even where a clock went back."""
    versions = iter(sorted((row for row in rows if row.version), key=lambda row: -row.version))
    return [next(versions) if row.version else row for row in rows]


def _beginning(content: Content) -> Beginning:
    oldest = oldest_version(content)
    was = members_at(content, oldest, ("last_edit_user_name", "last_edit_date", "add_user_name", "add_date"))
    added_by = tell_maker(was["add_user_name"], content.added_by_key)
    return Beginning(oldest, was["last_edit_user_name"], was["last_edit_date"], added_by, was["add_date"])
