"""Schedules of publication: setting them, and carrying them out (docs/approval.md).

A schedule is final approval, or its withdrawal, at a time set in advance. Callers hold the row locks of the contents.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from contents.models import Content, ContentChange, ContentDraft, ContentSchedule
from contents.services.approval import WAITING, levels_of, reach_of, require_finishing
from contents.services.approved import TIMES as TIMES
from contents.services.approved import (
    as_details,
    clear_times,
    is_as_approved,
    is_draft_as_approved,
    notify_approvers,
    record_skipped,
)
from contents.services.decisions import record_contents_action, store_decisions
from contents.services.drafts import lock_draft, publish_draft, require_publishable, return_to_queue
from contents.storing.locking import Locked, Seen, only
from contents.storing.overwrite import overwrite_each
from core import audit
from core.audit import Actor
from core.lib import clock
from core.lib.errors import InvalidInput, ServiceError

# New times by attribute name; None clears one, and one that is missing stays.
Plan = Mapping[str, datetime | None]
_NOTHING: Plan = {"publish_at": None, "unpublish_at": None}
_STORED = (
    *("publish_at", "unpublish_at", "version", "former_publish_at", "former_unpublish_at", "scheduled_at"),
    *("actor_kind", "administrator_id", "actor_name", "key_id", "key_name", "failure", "reasons"),
    *("approved_draft", "approved_version"),
)


def schedules_of(numbers: Iterable[int]) -> dict[int, ContentSchedule]:
    """The schedules by content id, for contents that have one."""
    found = list(numbers)
    rows = ContentSchedule.objects.filter(pk__in=found) if found else ()
    return {schedule.content_id: schedule for schedule in rows}


def due_at(now: datetime) -> QuerySet[ContentSchedule]:
    due = ContentSchedule.objects.filter(failure="").annotate(due=Coalesce("publish_at", "unpublish_at"))
    return due.filter(due__lte=now).order_by("due", "content_id")


# ---- setting


def require_possible(stored: ContentSchedule | None, plan: Plan, *, is_final: bool) -> dict[str, datetime | None]:
    """Return both times after the change; `is_final`: there is nothing left to approve.

    Raises InvalidInput if they make no sense.
    """
    now = clock.now()
    times: dict[str, datetime | None] = {name: plan.get(name, getattr(stored, name, None)) for name in TIMES}
    publish_at, unpublish_at = times["publish_at"], times["unpublish_at"]
    if publish_at is not None and publish_at > now and is_final:
        message = "An approved content without a draft has no publishAt in the future; withdraw its approval first."
        raise InvalidInput("approved_already", message, member="publishAt")
    if plan.get("unpublish_at") is not None and unpublish_at is not None and unpublish_at <= now:
        raise InvalidInput("invalid_schedule", "unpublishAt must be in the future.", member="unpublishAt")
    if publish_at is not None and unpublish_at is not None and unpublish_at <= publish_at:
        raise InvalidInput("invalid_schedule", "unpublishAt must be later than publishAt.", member="unpublishAt")
    return times


def store_plans(plans: Sequence[tuple[Content, Plan]], reasons: str = "", *, of_draft: bool = False) -> list[Content]:
    """Store the schedules; return the contents whose schedule changes. Raises InvalidInput.

    A new `publish_at` approves the present version of a public content's draft, or of the content; with `of_draft` of
    the draft of any content that has one. Without new reasons, the actor's own stay.
    """
    reasons = reasons[:255]
    stored, actor, now = schedules_of(content.pk for content, _plan in plans), audit.current_actor(), clock.now()
    drafts = _drafts_of(content for content, _plan in plans)
    final = _final((content for content, _plan in plans), drafts)
    rows: list[ContentSchedule] = []
    removed: list[Content] = []
    noted: dict[tuple[datetime | None, ...], list[Content]] = {}
    for content, plan in plans:
        before = stored.get(content.pk)
        times = require_possible(before, plan, is_final=content.pk in final)
        former = {name: getattr(before, name, None) for name in TIMES}
        own = before.reasons if before and actor_of(before) == actor else ""
        draft = drafts.get(content.pk) if content.is_checked or of_draft else None
        approved: tuple[int | None, int | None] = (draft.version, None) if draft else (None, content.version)
        if before and before.publish_at and "publish_at" not in plan:
            approved = (before.approved_draft, before.approved_version)
        elif not times["publish_at"]:
            approved = (None, None)
        is_same = times == former and (before is None or approved == (before.approved_draft, before.approved_version))
        if is_same and reasons in {"", own} and not (before and before.failure):
            continue
        if times == _NOTHING:
            removed.append(content)
            continue
        noted.setdefault(tuple(times.values()), []).append(content)
        row = ContentSchedule(content=content, site_id=content.site_id, scheduled_at=now, **times)
        row.former_publish_at, row.former_unpublish_at = former["publish_at"], former["unpublish_at"]
        row.actor_kind, row.actor_name, row.administrator_id = actor.kind, actor.name[:255], actor.administrator_id
        row.key_id, row.key_name = actor.key_id, actor.key_name
        row.reasons = (reasons or own) if row.publish_at else ""
        row.approved_draft, row.approved_version = approved
        rows.append(row)
    ContentSchedule.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["content"], update_fields=list(_STORED)
    )
    ContentSchedule.objects.filter(pk__in=[content.pk for content in removed]).delete()
    for moments, contents in noted.items():
        record_contents_action("content.scheduled", contents, **as_details(dict(zip(TIMES, moments, strict=True))))
    record_contents_action("content.unscheduled", removed)
    return [row.content for row in rows] + removed


@transaction.atomic
def schedule_each(
    seen: Sequence[Seen], user: Any, plan: Plan, reasons: str = "", *, of_draft: bool = False
) -> list[Content | ServiceError | None]:
    """Schedule the contents or their drafts; a past publishAt publishes immediately. The result is None if nothing
    changes.

    Refuses contents that are missing, approved before a later publishAt and without a draft, or beyond the
    administrator's rights.
    """
    locked = Locked(seen)
    levels, reach = levels_of(each.site_id for each in seen), reach_of(user, locked.contents)
    stored, final = schedules_of(content.pk for content in locked.contents), _final(locked.contents)

    def require(content: Content) -> None:
        require_finishing(content, reach, levels[content.site_id])
        require_possible(stored.get(content.pk), plan, is_final=content.pk in final)

    locked.decide(require)
    changed = store_plans([(content, plan) for content in locked.contents], reasons, of_draft=of_draft)
    do_what_is_due(changed)
    return locked.results_if_changed(changed)


@transaction.atomic
def schedule_draft(
    site_id: int, content_id: int, user: Any, version: int, publish_at: datetime, reasons: str = ""
) -> ContentSchedule | None:
    """Publish the draft at this time, immediately if it has passed; return the schedule, None for a published draft.

    Raises NotFound, and InvalidInput if the draft has changed since `version`, cannot be published now, or is beyond
    the administrator's rights.
    """
    require_publishable(*lock_draft(site_id, content_id, version))
    only(schedule_each([Seen(site_id, content_id)], user, {"publish_at": publish_at}, reasons, of_draft=True))
    return ContentSchedule.objects.filter(pk=content_id, publish_at__isnull=False).first()


@transaction.atomic
def reschedule(seen: Seen, user: Any, name: str, moment: datetime, version: int) -> ContentSchedule:
    """Move one of the times (`publish_at`, `unpublish_at`) of the schedule with this version; what is approved stays.

    Raises NotFound, and InvalidInput if the schedule or the approved text has changed, the moment has passed, or the
    content is beyond the administrator's rights.
    """
    locked = Locked([seen])
    levels, reach = levels_of([seen.site_id]), reach_of(user, locked.contents)
    stored = schedules_of(content.pk for content in locked.contents)
    drafts = _drafts_of(locked.contents)

    def require(content: Content) -> Plan:
        require_finishing(content, reach, levels[content.site_id])
        schedule = stored.get(content.pk)
        if schedule is None or schedule.version != version or getattr(schedule, name) is None:
            raise InvalidInput("changed_meanwhile", f"The schedule of content {content.pk} has changed.")
        if moment <= clock.now():
            raise InvalidInput("invalid_schedule", f"{TIMES[name]} must be in the future.", member=TIMES[name])
        if schedule.publish_at is not None and not _is_as_approved(schedule, content, drafts.get(content.pk)):
            raise InvalidInput("changed_meanwhile", f"Content {content.pk} has changed since it was approved.")
        return require_possible(schedule, {name: moment}, is_final=False)

    plans = locked.decide(require)
    content = only(locked.results())
    before = stored[content.pk]
    store_plans(plans, before.reasons, of_draft=before.approved_draft is not None)
    return ContentSchedule.objects.get(pk=content.pk)


@transaction.atomic
def take_back_schedules(seen: Sequence[Seen], versions: Mapping[int, int], user: Any) -> list[Content | ServiceError]:
    """Restore the former times of schedules with these versions; refuses schedules that have changed since."""
    locked = Locked(seen)
    levels, reach = levels_of(each.site_id for each in seen), reach_of(user, locked.contents)
    stored, final = schedules_of(content.pk for content in locked.contents), _final(locked.contents)
    now = clock.now()

    def former_of(content: Content) -> Plan:
        require_finishing(content, reach, levels[content.site_id])
        schedule = stored.get(content.pk)
        if schedule is None or schedule.version != versions[content.pk]:
            raise InvalidInput("changed_meanwhile", f"The schedule of content {content.pk} has changed.")
        former = {"publish_at": schedule.former_publish_at, "unpublish_at": schedule.former_unpublish_at}
        # Times that have passed since are not acted on.
        former = {name: moment if moment and moment > now else None for name, moment in former.items()}
        return require_possible(schedule, former, is_final=content.pk in final)

    store_plans(locked.decide(former_of))
    return locked.results()


def _drafts_of(contents: Iterable[Content]) -> dict[int, ContentDraft]:
    rows = ContentDraft.objects.defer("draft_values", "base_values", "draft_body")
    return rows.in_bulk([content.pk for content in contents])


def _final(contents: Iterable[Content], drafts: Collection[int] | None = None) -> set[int]:
    """The numbers of approved contents without a draft; `drafts`: of contents with one, if they are known."""
    approved = {content.pk for content in contents if content.is_checked}
    if drafts is None:
        drafts = ContentDraft.objects.filter(pk__in=approved).values_list("pk", flat=True)
    return approved.difference(drafts)


# ---- carrying out due schedules


def do_what_is_due(contents: Collection[Content]) -> int:
    """Publish and withdraw the locked contents that are due; return the number of schedules.

    Contents that differ from their approved version are not published: they wait for approval again.
    """
    now = clock.now()
    by_number = {content.pk: content for content in contents}
    due = list(due_at(now).filter(pk__in=by_number)) if by_number else []
    drafts = _drafts_of(by_number[schedule.pk] for schedule in due)
    final = _final(contents, drafts)
    done: dict[int, set[str]] = {}
    publish: list[ContentSchedule] = []
    withdraw: list[ContentSchedule] = []
    skipped: list[tuple[ContentSchedule, str]] = []
    changed: list[ContentSchedule] = []
    for schedule in due:
        content = by_number[schedule.pk]
        is_over = schedule.unpublish_at is not None and schedule.unpublish_at <= now
        done[schedule.pk] = {name for name in TIMES if (moment := getattr(schedule, name)) and moment <= now}
        if schedule.publish_at is not None and schedule.pk not in final:
            if is_over or content.trashed_at is not None:
                skipped.append((schedule, "over" if is_over else "trashed"))
            elif _is_as_approved(schedule, content, drafts.get(schedule.pk)):
                publish.append(schedule)
            else:
                changed.append(schedule)
        elif is_over and content.is_checked:
            withdraw.append(schedule)
    clear_times(due, done)
    for schedule, reason in skipped:
        record_skipped(schedule, by_number[schedule.pk], reason, actor_of(schedule))
    for schedule in changed:
        _return(schedule, by_number[schedule.pk], drafts.get(schedule.pk))
    for (actor, reasons), some in _by_decision(publish).items():
        with audit.acting_as(actor):
            ready = [by_number[each.pk] for each in some]
            approved = [(by_number[each.pk], _APPROVED) for each in some if not _means_draft(each, by_number[each.pk])]
            for schedule in some:
                content = by_number[schedule.pk]
                if _means_draft(schedule, content):
                    publish_draft(content.site_id, content.pk, actor.name, reasons=reasons)
            store_decisions(approved, ContentChange.Kind.APPROVED, actor.name, reasons)
            record_contents_action("content.published_by_schedule", ready)
    for (actor, _reasons), some in _by_decision(withdraw).items():
        with audit.acting_as(actor):
            # Also in the trash, so that a restored content is not public after its time.
            withdrawn = [(by_number[each.pk], {"is_checked": False, "checked_level": WAITING}) for each in some]
            overwrite_each(withdrawn)
            record_contents_action("content.unpublished_by_schedule", [content for content, _state in withdrawn])
    return len(due)


_APPROVED = {"is_checked": True, "checked_level": 0}


def _means_draft(schedule: ContentSchedule, content: Content) -> bool:
    return schedule.approved_draft is not None or content.is_checked


def _is_as_approved(schedule: ContentSchedule, content: Content, draft: ContentDraft | None) -> bool:
    if _means_draft(schedule, content):
        return draft is not None and is_draft_as_approved(schedule, draft)
    return is_as_approved(schedule, content, content.version)


def _return(schedule: ContentSchedule, content: Content, draft: ContentDraft | None) -> None:
    """Return a content or draft that has changed to the queue, and notify who approved it."""
    is_draft = draft is not None and _means_draft(schedule, content)
    with audit.acting_as(actor_of(schedule)):
        record_skipped(schedule, content, "changed", actor_of(schedule))
        if draft is not None and is_draft:
            return_to_queue(draft)
        elif not content.is_checked and content.checked_level < WAITING:
            overwrite_each([(content, {"checked_level": WAITING})])
    notify_approvers([(schedule, content, draft.editor if draft and is_draft else content.last_edit_user_name)])


def actor_of(schedule: ContentSchedule) -> Actor:
    return Actor(
        schedule.actor_kind,
        administrator_id=schedule.administrator_id,
        name=schedule.actor_name,
        key_id=schedule.key_id,
        key_name=schedule.key_name,
    )


def _by_decision(schedules: Iterable[ContentSchedule]) -> dict[tuple[Actor, str], list[ContentSchedule]]:
    found: dict[tuple[Actor, str], list[ContentSchedule]] = {}
    for schedule in schedules:
        found.setdefault((actor_of(schedule), schedule.reasons), []).append(schedule)
    return found
