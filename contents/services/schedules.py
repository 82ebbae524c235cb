"""Schedules of publication: setting them, and doing what is due (docs/approval.md).

A schedule is final approval, or its withdrawal, given in advance. Callers hold the row locks of the contents.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from cms_api import audit
from cms_api.audit import Actor
from cms_api.lib import clock
from cms_api.lib.errors import InvalidInput, ServiceError
from contents.models import Content, ContentChange, ContentDraft, ContentSchedule, new_schedule_version
from contents.services.approval import WAITING, levels_of, reach_of, require_finishing
from contents.services.decisions import record_contents_action, store_decisions
from contents.services.drafts import lock_draft, publish_draft, require_publishable
from contents.storing.history import PreviousValues
from contents.storing.locking import Locked, Seen, only
from contents.storing.overwrite import overwrite_each

# New times by attribute name; None clears one, and one that is missing stays.
Plan = Mapping[str, datetime | None]
TIMES = {"publish_at": "publishAt", "unpublish_at": "unpublishAt"}  # attribute name → wire name
_NOTHING: Plan = {"publish_at": None, "unpublish_at": None}
_STORED = (
    *("publish_at", "unpublish_at", "version", "former_publish_at", "former_unpublish_at", "scheduled_at"),
    *("actor_kind", "administrator_id", "actor_name", "key_id", "key_name", "failure", "reasons"),
)


def schedules_of(numbers: Iterable[int]) -> dict[int, ContentSchedule]:
    """The schedules by content id, without those of contents that have none."""
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


def store_plans(plans: Sequence[tuple[Content, Plan]], reasons: str = "") -> list[Content]:
    """Store the schedules; return the contents whose schedule changes. Raises InvalidInput.

    Without new reasons, the actor's own stay.
    """
    reasons = reasons[:255]
    stored, actor, now = schedules_of(content.pk for content, _plan in plans), audit.current_actor(), clock.now()
    final = _final(content for content, _plan in plans)
    rows: list[ContentSchedule] = []
    removed: list[Content] = []
    noted: dict[tuple[datetime | None, ...], list[Content]] = {}
    for content, plan in plans:
        before = stored.get(content.pk)
        times = require_possible(before, plan, is_final=content.pk in final)
        former = {name: getattr(before, name, None) for name in TIMES}
        own = before.reasons if before and actor_of(before) == actor else ""
        if times == former and reasons in {"", own} and not (before and before.failure):
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
        rows.append(row)
    ContentSchedule.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["content"], update_fields=list(_STORED)
    )
    ContentSchedule.objects.filter(pk__in=[content.pk for content in removed]).delete()
    for moments, contents in noted.items():
        record_contents_action("content.scheduled", contents, **_as_details(dict(zip(TIMES, moments, strict=True))))
    record_contents_action("content.unscheduled", removed)
    return [row.content for row in rows] + removed


@transaction.atomic
def schedule_each(
    seen: Sequence[Seen], user: Any, plan: Plan, reasons: str = ""
) -> list[Content | ServiceError | None]:
    """Schedule the contents or their drafts; a past publishAt publishes at once. The result is None if nothing changes.

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
    changed = store_plans([(content, plan) for content in locked.contents], reasons)
    do_what_is_due(changed)
    return locked.results_if_changed(changed)


@transaction.atomic
def schedule_draft(
    site_id: int, content_id: int, user: Any, version: int, publish_at: datetime, reasons: str = ""
) -> None:
    """Publish the draft at this time, at once if it has passed.

    Raises NotFound, and InvalidInput if the draft has changed since `version`, cannot be published now, or is beyond
    the administrator's rights.
    """
    require_publishable(*lock_draft(site_id, content_id, version))
    only(schedule_each([Seen(site_id, content_id)], user, {"publish_at": publish_at}, reasons))


@transaction.atomic
def take_back_schedules(seen: Sequence[Seen], versions: Mapping[int, int], user: Any) -> list[Content | ServiceError]:
    """Restore the former times of schedules with these versions; refuses those that have changed since."""
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


def drop_overtaken(sender: Any, changes: Sequence[tuple[Content, PreviousValues]], **options: Any) -> None:
    """Drop publishAt of contents that someone approves, rejects, or makes a draft before that time."""
    decided = [
        content.pk
        for content, before in changes
        if not before.members.keys().isdisjoint({"is_checked", "checked_level"})
        and (content.is_checked or content.checked_level < WAITING)
    ]
    if decided:
        overtaken = ContentSchedule.objects.filter(pk__in=decided, publish_at__isnull=False)
        if found := list(overtaken):
            _clear(found, {schedule.pk: {"publish_at"} for schedule in found})


def drop_of_draft(sender: Any, instance: ContentDraft, **options: Any) -> None:
    """Drop publishAt of a public content whose draft has been published or discarded."""
    found = list(ContentSchedule.objects.filter(pk=instance.pk, content__is_checked=True, publish_at__isnull=False))
    _clear(found, {schedule.pk: {"publish_at"} for schedule in found})


def _final(contents: Iterable[Content]) -> set[int]:
    """The numbers of approved contents without a draft."""
    approved = {content.pk for content in contents if content.is_checked}
    return approved.difference(ContentDraft.objects.filter(pk__in=approved).values_list("pk", flat=True))


# ---- doing what is due


def do_what_is_due(contents: Collection[Content]) -> int:
    """Publish and withdraw those of the locked contents whose time has come; return the number of schedules."""
    now = clock.now()
    by_number, final = {content.pk: content for content in contents}, _final(contents)
    due = list(due_at(now).filter(pk__in=by_number)) if by_number else []
    done: dict[int, set[str]] = {}
    publish: list[ContentSchedule] = []
    withdraw: list[ContentSchedule] = []
    skipped: list[tuple[ContentSchedule, str]] = []
    for schedule in due:
        content = by_number[schedule.pk]
        is_over = schedule.unpublish_at is not None and schedule.unpublish_at <= now
        done[schedule.pk] = {name for name in TIMES if (moment := getattr(schedule, name)) and moment <= now}
        if schedule.publish_at is not None and schedule.pk not in final:
            if is_over or content.trashed_at is not None:
                skipped.append((schedule, "over" if is_over else "trashed"))
            else:
                publish.append(schedule)
        elif is_over and content.is_checked:
            withdraw.append(schedule)
    _clear(due, done)
    for schedule, reason in skipped:
        details = _as_details({"publish_at": schedule.publish_at}) | {"reason": reason}
        content = by_number[schedule.pk]
        audit.record("content.schedule_skipped", content, site_id=content.site_id, actor=actor_of(schedule), **details)
    for (actor, reasons), some in _by_decision(publish).items():
        with audit.acting_as(actor):
            waiting = [by_number[each.pk] for each in some]
            approved = [(each, {"is_checked": True, "checked_level": 0}) for each in waiting if not each.is_checked]
            for content in waiting:
                if content.is_checked:
                    publish_draft(content.site_id, content.pk, actor.name, reasons=reasons)
            store_decisions(approved, ContentChange.Kind.APPROVED, actor.name, reasons)
            record_contents_action("content.published_by_schedule", waiting)
    for (actor, _reasons), some in _by_decision(withdraw).items():
        with audit.acting_as(actor):
            # Also in the trash, so that a restored content is not public after its time.
            withdrawn = [(by_number[each.pk], {"is_checked": False, "checked_level": WAITING}) for each in some]
            overwrite_each(withdrawn)
            record_contents_action("content.unpublished_by_schedule", [content for content, _state in withdrawn])
    return len(due)


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


def _clear(schedules: Iterable[ContentSchedule], done: Mapping[int, Collection[str]]) -> None:
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
            others["reasons"] = ""
        ContentSchedule.objects.filter(pk__in=numbers).update(version=new_schedule_version(), **others)
    if finished:
        ContentSchedule.objects.filter(pk__in=finished).delete()


def _as_details(times: Plan) -> dict[str, str]:
    return {TIMES[name]: moment.isoformat(" ", "seconds") for name, moment in times.items() if moment}
