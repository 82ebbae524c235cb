"""An approval counts for the text that was seen (docs/approval.md).

A change by someone who may not give final approval ends an approval for a later time, and the levels beyond their own.
`after_changes` gets every change of an unapproved content, because it runs where contents are stored,
`after_change_of_draft` every change of a draft. Callers hold the row locks of the contents.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

import orjson
from django.contrib.auth import get_user_model
from django.db.models import F, Q

from contents.models import Content, ContentDraft, ContentSchedule, new_schedule_version
from contents.services.approval import DRAFT, WAITING, Reach, levels_of, reach_of
from contents.services.decisions import CHECK_MEMBERS
from contents.storing.history import COUNTERS, PreviousValues
from core import audit
from core.audit import Actor
from core.audit.models import AuditEntry
from core.notifications.notifying import Subject, notify

TIMES = {"publish_at": "publishAt", "unpublish_at": "unpublishAt"}  # attribute name → wire name
# Members other than the text: an approval does not depend on them.
_BESIDES = COUNTERS | {"taxis", "is_checked", "checked_level", "last_edit_user_name", "last_edit_date"}
# A key with Contents:write gives final approval itself, and reaches only sites where its owner may. A command is the
# operator's.
_FINISHING = {AuditEntry.ActorKind.KEY, AuditEntry.ActorKind.COMMAND}


class Editor:
    """The current actor, and how far the actor may decide on the contents that it changes."""

    def __init__(self, contents: Sequence[Content]) -> None:
        self.actor = audit.current_actor()
        self._contents = contents
        self._former: dict[int, int] = {}  # reach by channel

    def level_after(self, content: Content, level: int, former_channel: int | None = None) -> int:
        """The level of a content or draft whose text has changed: it must pass levels beyond the editor's again."""
        if level <= WAITING or self.actor.kind in _FINISHING:
            return level
        return (
            level if self._reach_at(content, former_channel) >= min(level, self._levels[content.site_id]) else WAITING
        )

    def may_finish(self, content: Content, former_channel: int | None = None) -> bool:
        if self.actor.kind in _FINISHING:
            return True
        return self._reach_at(content, former_channel) >= self._levels[content.site_id]

    @cached_property
    def _levels(self) -> dict[int, int]:
        return levels_of(content.site_id for content in self._contents)

    @cached_property
    def _reach(self) -> Reach:
        user = get_user_model()._default_manager.filter(pk=self.actor.administrator_id or 0).first()
        return reach_of(user, self._contents)

    def _reach_at(self, content: Content, former_channel: int | None) -> int:
        """In the place of the content; for one that moves, in both places."""
        reach = self._reach.at(content)
        if former_channel is None:
            return reach
        if former_channel not in self._former:
            self._former[former_channel] = self._reach.at(Content(site_id=content.site_id, channel_id=former_channel))
        return min(reach, self._former[former_channel])


# ---- contents


def after_changes(sender: Any, changes: Sequence[tuple[Content, PreviousValues]], **options: Any) -> None:
    """Drop levels and `publish_at` that do not count for the new text, and `publish_at` that a decision overtakes.

    The contents have their new values, and are stored afterwards.
    """
    concerned = {content.pk: (content, before) for content, before in changes}
    editor = Editor([content for content, _before in concerned.values()])
    for content, before in concerned.values():
        if content.checked_level > WAITING and _alters_text(content, before):
            moved_from = before.members.get("channel_id")
            _lead_to(content, before, editor.level_after(content, content.checked_level, moved_from))
    overtaken, kept, dropped = [], [], []
    for schedule in ContentSchedule.objects.filter(pk__in=concerned, publish_at__isnull=False):
        content, before = concerned[schedule.pk]
        if _is_overtaken(schedule, content, before):
            is_taken_back = content.checked_level == DRAFT and not editor.may_finish(content)
            dropped.append((schedule, content)) if is_taken_back else overtaken.append(schedule)
        elif not _alters_text(content, before) or editor.may_finish(content, before.members.get("channel_id")):
            if schedule.approved_draft is None and is_as_approved(schedule, content, content.version - 1):
                schedule.approved_version = content.version
                kept.append(schedule)
        else:
            dropped.append((schedule, content))
            if schedule.approved_draft is None and "checked_level" not in before.members:
                _lead_to(content, before, max(int(content.checked_level), WAITING))
    ContentSchedule.objects.bulk_update(kept, ["approved_version"])
    clear_publication(overtaken)
    if dropped:
        drop(dropped, editor.actor)
        # A draft of a withdrawn content would publish the change, too.
        drafts = ContentDraft.objects.filter(pk__in=[each.pk for each, _content in dropped if each.approved_draft])
        drafts.exclude(checked_level=WAITING).update(checked_level=WAITING, version=F("version") + 1)


def _is_overtaken(schedule: ContentSchedule, content: Content, before: PreviousValues) -> bool:
    """Return true if someone has approved or rejected the content, or made it a draft."""
    if before.members.keys().isdisjoint({"is_checked", "checked_level"}):
        return False
    is_approved = content.is_checked and schedule.approved_draft is None  # the draft is not public by that
    return is_approved or content.checked_level < WAITING


def _alters_text(content: Content, before: PreviousValues) -> bool:
    if before.body is not None:
        return True
    names = before.members.keys() - _BESIDES
    if names != {"settings_xml"}:
        return bool(names)
    return _without_decision(before.members["settings_xml"]) != _without_decision(content.settings_xml)


def _without_decision(settings_xml: str) -> dict[str, Any]:
    return {name: value for name, value in orjson.loads(settings_xml).items() if name.casefold() not in CHECK_MEMBERS}


def _lead_to(content: Content, before: PreviousValues, level: int) -> None:
    """Make the level part of the change."""
    if level != content.checked_level:
        before.members.setdefault("checked_level", content.checked_level)
        content.checked_level = level


# ---- drafts


def after_change_of_draft(content: Content, draft: ContentDraft, level: int, *, is_altered: bool) -> int:
    """Return the level of a changed draft, before it is stored with it and the next version; `is_altered`: its text."""
    editor = Editor([content])
    if is_altered:
        level = editor.level_after(content, level)
    planned = ContentSchedule.objects.filter(pk=draft.pk, publish_at__isnull=False)
    schedule = planned.filter(Q(approved_draft__isnull=False) | Q(content__is_checked=True)).first()
    if schedule is None:
        return level
    is_taken_back = level < WAITING <= draft.checked_level
    if level < WAITING and level not in {DRAFT, draft.checked_level}:  # rejected
        clear_publication([schedule])
    elif editor.may_finish(content) or not (is_altered or is_taken_back):
        if is_draft_as_approved(schedule, draft):
            planned.update(approved_draft=draft.version + 1)
    else:
        drop([(schedule, content)], editor.actor)
        return max(level, WAITING) if is_altered else level
    return level


def drop_of_draft(sender: Any, instance: ContentDraft, **options: Any) -> None:
    """Drop `publish_at` of a draft that has been published or discarded."""
    of_draft = Q(approved_draft__isnull=False) | Q(content__is_checked=True)
    clear_publication(ContentSchedule.objects.filter(of_draft, pk=instance.pk, publish_at__isnull=False))


# ---- schedules


def is_as_approved(schedule: ContentSchedule, content: Content, version: int) -> bool:
    """Return true if the approval counts for this version of the content."""
    if schedule.approved_version is None:
        return not content.changes.filter(at__gt=schedule.scheduled_at).exists()
    return version == schedule.approved_version


def is_draft_as_approved(schedule: ContentSchedule, draft: ContentDraft) -> bool:
    if schedule.approved_draft is None:
        return draft.edited_at <= schedule.scheduled_at
    return draft.version == schedule.approved_draft


def drop(dropped: Collection[tuple[ContentSchedule, Content]], actor: Actor) -> None:
    """Drop `publish_at` of contents or drafts that the actor changes, and notify who approved them."""
    clear_publication(schedule for schedule, _content in dropped)
    for schedule, content in dropped:
        record_skipped(schedule, content, "changed", actor)
    others = [each for each in dropped if each[0].administrator_id != actor.administrator_id]
    notify_approvers((*each, actor.name) for each in others)


def notify_approvers(changed: Iterable[tuple[ContentSchedule, Content, str]]) -> None:
    """Notify of contents or drafts that an editor, by name, has changed after their approval."""
    told: dict[int, list[Subject]] = {}
    for schedule, content, editor in changed:
        if schedule.administrator_id is None:
            continue
        is_draft = schedule.approved_draft is not None or content.is_checked
        query = "" if is_draft or schedule.approved_version is None else f"from={schedule.approved_version}"
        subject = Subject("draft" if is_draft else "content", content.pk, content.title, content.site_id, editor, query)
        told.setdefault(schedule.administrator_id, []).append(subject)
    notify("content.changed_after_approval", told)


def record_skipped(schedule: ContentSchedule, content: Content, reason: str, actor: Actor) -> None:
    details = as_details({"publish_at": schedule.publish_at}) | {"reason": reason}
    audit.record("content.schedule_skipped", content, site_id=content.site_id, actor=actor, **details)


def as_details(times: Mapping[str, datetime | None]) -> dict[str, str]:
    return {TIMES[name]: moment.isoformat(" ", "seconds") for name, moment in times.items() if moment}


def clear_publication(schedules: Iterable[ContentSchedule]) -> None:
    found = list(schedules)
    clear_times(found, {schedule.pk: {"publish_at"} for schedule in found})


def clear_times(schedules: Iterable[ContentSchedule], done: Mapping[int, Collection[str]]) -> None:
    """Clear these times; delete rows without another."""
    kept: dict[str, list[int]] = {}
    finished = []
    for schedule in schedules:
        rest = [name for name in TIMES if name not in done[schedule.pk] and getattr(schedule, name) is not None]
        if rest:
            kept.setdefault(rest[0], []).append(schedule.pk)
        else:
            finished.append(schedule.pk)
    for name, numbers in kept.items():
        others: dict[str, Any] = dict.fromkeys(TIMES.keys() - {name})
        if name != "publish_at":
            others |= {"reasons": "", "approved_draft": None, "approved_version": None}
        ContentSchedule.objects.filter(pk__in=numbers).update(version=new_schedule_version(), **others)
    if finished:
        ContentSchedule.objects.filter(pk__in=finished).delete()
