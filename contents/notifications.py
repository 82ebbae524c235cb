"""Notifies administrators of contents that wait for their approval, and authors of decisions on theirs.

Decisions on contents are read from the changes that triggers write (events), so that no request waits, and for all
sources of changes: the API, the admin, imports. Drafts have no events, and notify in their own transactions.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Max

from contents.models import Content, ContentChange, ContentDraft
from contents.services.approval import DRAFT, WAITING, deciders_of
from core import audit
from core.audit.models import AuditEntry
from core.notifications.models import FollowedFeed
from core.notifications.notifying import Subject, notify
from events.models import Event

_FEED = "contents"
_BATCH = 2000  # events in a transaction
_NAMES = ("content.created", "content.changed", "content.published")
_COLUMNS = (
    *("title", "site_id", "channel_id", "is_checked", "checked_level", "trashed_at"),
    *("add_user_name", "last_edit_user_name", "added_by_key"),
)
_IN_PERSON = AuditEntry.ActorKind.ADMINISTRATOR


class _Told(NamedTuple):
    """A content and its author, and the actor by name, who is not notified."""

    content: Content
    author: str
    actor: str
    reasons: str = ""


def notify_new() -> None:
    """Notify of events since the last call; each node may call it at any time."""
    while _notify_next():
        pass


def _notify_next() -> bool:
    """Notify of the next events; return true if there may be more."""
    feed = FollowedFeed.objects.filter(pk=_FEED).first()
    events = Event.objects.filter(position__isnull=False)
    if feed is None:
        last = events.aggregate(last=Max("position"))["last"] or 0
        FollowedFeed.objects.bulk_create([FollowedFeed(pk=_FEED, position=last)], ignore_conflicts=True)
        return False
    new = list(events.filter(position__gt=feed.position).order_by("position")[:_BATCH])
    if not new:
        return False
    # Events from before the first call may get their position later.
    told = _read([each for each in new if each.at >= feed.began_at and each.name in _NAMES])
    submitted = told.pop("content.submitted", [])
    deciders = deciders_of([each.content for each in submitted]) if submitted else {}
    with transaction.atomic():
        # Another node may have been faster.
        if FollowedFeed.objects.select_for_update().filter(pk=_FEED, position=feed.position).first() is None:
            return False
        _notify_deciders(submitted, deciders)
        for kind, some in told.items():
            _notify_authors(kind, some)
        FollowedFeed.objects.filter(pk=_FEED).update(position=new[-1].position)
    return len(new) == _BATCH


def _read(events: Sequence[Event]) -> dict[str, list[_Told]]:
    """Return the contents by the kind of notification that their last event is worth in their current state."""
    stored = ContentChange.objects.filter(
        content__in={event.subject_id for event in events}, version__in={event.version for event in events}
    ).only("content_id", "version", "at", "kind", "actor_kind", "actor_name", "reasons")
    changes: dict[tuple[int, int | None], ContentChange]
    changes = {(change.content_id, change.version): change for change in stored}
    last: dict[int, tuple[str, ContentChange | None]] = {}
    for event in events:
        change = changes.get((event.subject_id, event.version))
        is_publication = change is not None and change.kind == ContentChange.Kind.PUBLISHED
        if event.name != "content.changed" or is_publication or '"checkedLevel"' in event.fields:
            last[event.subject_id] = "content.published" if is_publication else event.name, change
    by_schedule = _published_by_schedule([change for _name, change in last.values() if change])
    found: dict[str, list[_Told]] = {}
    for content in Content.objects.live().filter(pk__in=last).only(*_COLUMNS):
        name, change = last[content.pk]
        if kind := _kind_of(content, name, change):
            is_by_schedule = kind == "content.approved" and content.pk in by_schedule
            found.setdefault("content.published" if is_by_schedule else kind, []).append(
                _told(content, kind, change, is_by_schedule=is_by_schedule)
            )
    return found


def _kind_of(content: Content, name: str, change: ContentChange | None) -> str:
    if content.is_checked:
        return "content.approved" if name == "content.published" else ""
    if name == "content.published":
        return ""  # withdrawn since
    if content.checked_level >= WAITING:
        return "content.submitted"
    return "content.rejected" if change is not None and content.checked_level != DRAFT else ""


def _told(content: Content, kind: str, change: ContentChange | None, *, is_by_schedule: bool) -> _Told:
    if change is None:  # created
        return _Told(content, content.add_user_name, "" if content.added_by_key else content.add_user_name)
    # The editor of a published draft becomes the last editor.
    is_draft = change.kind == ContentChange.Kind.PUBLISHED
    author = content.last_edit_user_name if is_draft else content.add_user_name
    # A key submits on behalf of its clients, so its owner is notified too.
    is_own = change.actor_kind == _IN_PERSON or kind != "content.submitted"
    return _Told(content, author, change.actor_name if is_own and not is_by_schedule else "", change.reasons)


def _published_by_schedule(changes: Iterable[ContentChange]) -> set[int]:
    kinds = {ContentChange.Kind.APPROVED, ContentChange.Kind.PUBLISHED}
    approved = [change for change in changes if change.kind in kinds]
    if not approved:
        return set()
    entries = AuditEntry.objects.filter(
        action="content.published_by_schedule",
        object_type=Content._meta.label_lower,
        object_id__in=[str(change.content_id) for change in approved],
        at__gte=min(change.at for change in approved),
    )
    return {int(number) for number in entries.values_list("object_id", flat=True)}


def _notify_deciders(told: Sequence[_Told], deciders: Mapping[int, Sequence[Content]]) -> None:
    numbers = _numbers_of(each.actor for each in told)
    own = {(numbers.get(each.actor), each.content.pk) for each in told}
    actors = {number for number, _content_id in own}
    subjects = {each.content.pk: _subject(each.content) for each in told}
    found: dict[int, Sequence[Subject]] = {}
    lists: dict[int, Sequence[Subject]] = {}  # by the list of contents that deciders share
    for decider, contents in deciders.items():
        if decider in actors:
            found[decider] = [subjects[each.pk] for each in contents if (decider, each.pk) not in own]
            continue
        if id(contents) not in lists:
            lists[id(contents)] = [subjects[each.pk] for each in contents]
        found[decider] = lists[id(contents)]
    notify("content.submitted", found)


def _notify_authors(kind: str, told: Sequence[_Told]) -> None:
    numbers = _numbers_of(each.author for each in told)
    found: dict[int, list[Subject]] = {}
    for each in told:
        if each.author in numbers and each.author != each.actor:
            found.setdefault(numbers[each.author], []).append(_subject(each.content, each.reasons))
    notify(kind, found)


def _numbers_of(names: Iterable[str]) -> dict[str, int]:
    wanted = set(filter(None, names))
    people = get_user_model()._default_manager.filter(user_name__in=wanted) if wanted else ()
    return {person.user_name: person.pk for person in people}


def _subject(content: Content, note: str = "") -> Subject:
    return Subject("content", content.pk, content.title, content.site_id, note)


# ---- drafts


def notify_of_draft(
    sender: Any, instance: ContentDraft, update_fields: frozenset[str] | None = None, **options: Any
) -> None:
    """Notify of a draft that was submitted, passed a level, or was rejected."""
    draft, actor = instance, audit.current_actor()
    in_person = actor.administrator_id if actor.kind == _IN_PERSON else None
    if draft.checked_level >= WAITING:
        content = draft.content
        waiting = Content(
            pk=draft.pk, site_id=draft.site_id, channel_id=content.channel_id, checked_level=draft.checked_level
        )
        subject = Subject("draft", draft.pk, content.title, draft.site_id)
        notify("content.submitted", {number: [subject] for number in deciders_of([waiting]) if number != in_person})
    elif draft.checked_level != DRAFT and update_fields is not None:
        subject = Subject("draft", draft.pk, draft.content.title, draft.site_id, draft.reasons)
        numbers = _numbers_of([draft.editor]).values()
        notify("content.rejected", {number: [subject] for number in numbers if number != in_person})
