"""Approval by levels (docs/approval.md).

As in SiteServer v6, `checked_level` of an unapproved content is -99 for a draft, 0 while waiting, n after passing
level n, and -n if rejected at level n.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, TypeVar, cast

from django.db import models, transaction
from django.db.models import BooleanField, Exists, Field, Func, OuterRef, Q, Value, prefetch_related_objects
from django.db.models.lookups import GreaterThan
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from contents.models import MAX_LEVEL, Content, ContentChange, ContentQuerySet, ContentSchedule
from contents.services import single
from contents.services.decisions import record_contents_action, record_decisions, store_decisions
from contents.storing.locking import Locked, Seen
from contents.storing.overwrite import overwrite_each
from core.admin.places import NOWHERE, Places, people_with, places_of
from core.lib.errors import InvalidInput, ServiceError
from sites.models import Site

Rows = TypeVar("Rows", bound=models.QuerySet[Any])
DRAFT, WAITING = -99, 0
_WAITING_ORDER = ("site_id", "checked_level", "last_edit_date", "id")


class DecisionKind(models.TextChoices):
    DRAFT = "draft", _("Draft")
    WAITING = "waiting", _("Waiting for approval")
    PASSED = "passed", _("Passed a level")
    REJECTED = "rejected", _("Rejected")
    APPROVED = "approved", _("Approved")


@dataclass(frozen=True, slots=True)
class ApprovalState:
    """ApprovalState of a content, with the level that it passed or that rejected it."""

    kind: DecisionKind
    level: int = 0

    def __str__(self) -> str:
        if self.kind is DecisionKind.PASSED:
            return gettext("Passed level %(level)d") % {"level": self.level}
        if self.kind is DecisionKind.REJECTED:
            return gettext("Rejected at level %(level)d") % {"level": self.level}
        return str(self.kind.label)


def state_of(content: Content) -> ApprovalState:
    level = int(content.checked_level)
    if content.is_checked:
        return ApprovalState(DecisionKind.APPROVED)
    if level == DRAFT:
        return ApprovalState(DecisionKind.DRAFT)
    if level < WAITING:
        return ApprovalState(DecisionKind.REJECTED, -level)
    return ApprovalState(DecisionKind.PASSED, level) if level else ApprovalState(DecisionKind.WAITING)


# ---- levels and rights


def levels_of(site_ids: Iterable[int]) -> dict[int, int]:
    """Number of approval levels by site id; one statement."""
    rows = Site.objects.filter(pk__in=set(site_ids)).values_list(
        "pk", "settings__isCheckContentLevel", "settings__checkContentLevel"
    )
    # Same rule as sites.attributes: one level unless the site configures more.
    return {
        pk: min(max(1, number), MAX_LEVEL) if has_levels is True and isinstance(number, int) else 1
        for pk, has_levels, number in rows
    }


class Reach:
    """The highest level that an administrator may approve, by place."""

    def __init__(self, user: Any) -> None:
        found: dict[Places, int] = {}  # for each place, only the highest level counts
        for level in range(MAX_LEVEL, 0, -1):
            number = "" if level == MAX_LEVEL else level
            if places := places_of(user, f"contents.approve{number}_content"):
                found.setdefault(places, level)
        self.levels = [(level, places) for places, level in found.items()]

    def __bool__(self) -> bool:
        return bool(self.levels)

    def at(self, content: Content) -> int:
        """Return the highest level in the place of the content; 0 for none."""
        covering = (level for level, places in self.levels if places.covers(content.site_id, content.channel_path()))
        return next(covering, 0)

    def finishing(self, levels: int) -> Places:
        """Return the places of final approval in sites with this many levels."""
        return reduce(or_, (places for level, places in self.levels if level >= levels), NOWHERE)


def reach_of(user: Any, contents: Sequence[Content] = ()) -> Reach:
    """Return the reach; loads the channels of the contents together if branches decide."""
    reach = Reach(user)
    if any(places.branch_ids for _level, places in reach.levels):
        prefetch_related_objects(contents, "channel")
    return reach


def may_finish(user: Any, content: Content, levels: int) -> bool:
    """Return whether the administrator may give and withdraw final approval there, in a site with this many levels."""
    return reach_of(user).at(content) >= levels


def may_publish_in(channel: Channel, user: Any) -> bool:
    """Return whether the administrator may give final approval to contents of the channel."""
    levels = levels_of([channel.site_id])[channel.site_id]
    return may_finish(user, Content(site_id=channel.site_id, channel=channel), levels)


def require_finishing(content: Content, reach: Reach, levels: int) -> None:
    """Raise InvalidInput unless the administrator may give final approval to the content in a site of `levels`."""
    if reach.at(content) < levels:
        raise _beyond()


def rule_of_public(user: Any, contents: Sequence[Content], target: Channel | None = None) -> Callable[[Content], None]:
    """Return a rule that refuses changes of approved contents, which visitors see immediately, without final approval.

    With a `target` of a move, the right is needed there as well.
    """
    reach, levels = reach_of(user, contents), levels_of({content.site_id for content in contents})
    is_open = target is None or may_publish_in(target, user)
    may_change = {content.pk for content in contents if is_open and reach.at(content) >= levels[content.site_id]}

    def require(content: Content) -> None:
        if content.is_checked and content.pk not in may_change:
            raise _seen_at_once()

    return require


def require_public(user: Any, site_id: int, contents: ContentQuerySet) -> None:
    """Raise InvalidInput if an approved one of the site's contents is beyond the administrator's final approval."""
    places = reach_of(user).finishing(levels_of([site_id])[site_id])
    if places.covers_site(site_id):
        return
    if contents.filter(is_checked=True).exclude(places.condition("site", "channel")).exists():
        raise _seen_at_once()


def may_decide(content: Content, reach: int, levels: int) -> bool:
    """Return whether an administrator with this reach may decide on the content in its current state."""
    if content.is_checked:
        return reach >= levels
    level = int(content.checked_level)
    if WAITING > level != DRAFT:
        return reach >= min(-level, levels)  # people who may reject at that level may overrule the rejection
    return reach >= min(max(level, WAITING) + 1, levels)


def waiting_for(user: Any) -> ContentQuerySet:
    """Contents that the administrator may decide on, in the order of the index `content_waiting`.

    Without those whose publication has been scheduled.
    """
    found = Content.objects.live().filter(is_checked=False, checked_level__gte=WAITING)
    return within_reach(without_scheduled(found), user).order_by(*_WAITING_ORDER)


def without_scheduled(waiting: Rows) -> Rows:
    planned = ContentSchedule.objects.filter(pk=OuterRef("pk"), publish_at__isnull=False, failure="")
    return waiting.filter(~Exists(planned))


def within_reach(waiting: Rows, user: Any, channel_lookup: str = "channel") -> Rows:
    """Those of the waiting contents or drafts that the administrator may decide on."""
    conditions: list[Q] = []
    for level, places in reach_of(user).levels:
        if level == MAX_LEVEL and places.everywhere:
            return waiting
        condition = places.condition("site_id", channel_lookup)
        if level < MAX_LEVEL:
            levels = levels_of(Site.objects.values_list("pk", flat=True))
            finished = [pk for pk, most in levels.items() if most <= level]  # sites where they give final approval
            condition &= Q(checked_level__lt=level) | Q(site_id__in=finished)
        conditions.append(condition)
    return waiting.filter(reduce(or_, conditions)) if conditions else waiting.none()


def deciders_of(contents: Sequence[Content]) -> dict[int, list[Content]]:
    """The waiting contents that each administrator may decide on, by the administrator's id; a few statements.

    Administrators who may decide on the same ones share a list.
    """
    alike: dict[tuple[int, int, int], list[Content]] = {}
    for content in contents:
        alike.setdefault((content.site_id, content.channel_id, content.checked_level), []).append(content)
    prefetch_related_objects([some[0] for some in alike.values()], "channel")
    levels = levels_of(site_id for site_id, _channel_id, _level in alike)
    found: dict[int, list[Content]] = {}
    lists: dict[tuple[Any, ...], list[Content]] = {}
    for user in people_with(Q(content_type__app_label="contents", codename__startswith="approve")):
        reach = reach_of(user)
        chosen = tuple(
            place for place, (first, *_) in alike.items() if may_decide(first, reach.at(first), levels[place[0]])
        )
        if chosen and chosen not in lists:
            lists[chosen] = [content for place in chosen for content in alike[place]]
        if chosen:
            found[user.pk] = lists[chosen]
    return found


def next_of(waiting: ContentQuerySet, content: Content) -> Content | None:
    """The content after this one in the queue; at the end, the first other one."""
    fields = cast("list[Field[Any, Any]]", [Content._meta.get_field(name) for name in _WAITING_ORDER])
    here = [Value(getattr(content, field.attname), field) for field in fields]
    # A row comparison is an index range.
    rows = (
        Func(*members, template="(%(expressions)s)", output_field=BooleanField()) for members in (_WAITING_ORDER, here)
    )
    return waiting.filter(GreaterThan(*rows)).first() or waiting.exclude(pk=content.pk).first()


def unfinished_of(user: Any) -> ContentQuerySet:
    """Drafts and rejected contents of the administrator, by site, the last edited first."""
    found = Content.objects.live().filter(is_checked=False, checked_level__lt=WAITING)
    found = places_of(user, "contents.change_content").narrow(found, "site", "channel")
    return found.filter(add_user_name=user.get_username()).order_by(
        "site_id", "-checked_level", "-last_edit_date", "-id"
    )


# ---- decisions


@transaction.atomic
def approve_each(
    seen: Sequence[Seen], user: Any, *, level: int | None = None, reasons: str = ""
) -> list[Content | ServiceError]:
    """Approve up to the level, by default the highest allowed; the last level is final.

    Refuses contents that are missing, changed since `seen`, already approved, or beyond the administrator's rights.
    """
    locked = Locked(seen)
    levels, reach = levels_of(each.site_id for each in seen), reach_of(user, locked.contents)

    def target(content: Content) -> int:
        if content.is_checked:
            raise InvalidInput("approved_already", f"Content {content.pk} is already approved.")
        most = levels[content.site_id]
        require_reach(content, reach, most)
        return target_level(content, reach, most, level)

    targets = locked.decide(target)
    passed = [(content, reached) for content, reached in targets if reached < levels[content.site_id]]
    _store_levels(passed, ContentChange.Kind.APPROVED, user.get_username(), reasons)
    final = [content for content, reached in targets if reached >= levels[content.site_id]]
    single.approve_contents(final, reasons, user.get_username())
    return locked.results()


@transaction.atomic
def reject_each(seen: Sequence[Seen], user: Any, reasons: str) -> list[Content | ServiceError]:
    """Reject the contents with reasons for their authors; raises InvalidInput without reasons.

    Refuses contents that are missing, not waiting, changed since `seen`, or beyond the administrator's rights.
    """
    if not reasons.strip():
        raise InvalidInput("reasons_missing", "Give reasons for the rejection.")
    locked = Locked(seen)
    levels, reach = levels_of(each.site_id for each in seen), reach_of(user, locked.contents)

    def rejected_at(content: Content) -> int:
        if content.is_checked or content.checked_level < WAITING:
            raise InvalidInput("not_waiting", f"Content {content.pk} is not waiting for a decision.")
        require_reach(content, reach, levels[content.site_id])
        return -min(next_level(content), levels[content.site_id])

    _store_levels(locked.decide(rejected_at), ContentChange.Kind.REJECTED, user.get_username(), reasons)
    return locked.results()


@transaction.atomic
def withdraw_each(seen: Sequence[Seen], user: Any, reasons: str = "") -> list[Content | ServiceError]:
    """Withdraw final approvals. Refuses contents that are missing, changed, not approved, or beyond one's rights."""
    locked = Locked(seen)
    levels, reach = levels_of(each.site_id for each in seen), reach_of(user, locked.contents)

    def require_decidable(content: Content) -> None:
        _require_approved(content)
        require_reach(content, reach, levels[content.site_id])

    locked.decide(require_decidable)
    values = {"is_checked": False, "checked_level": WAITING}
    overwrite_each([(content, values) for content in locked.contents], reasons=reasons)
    record_decisions(locked.contents)
    return locked.results()


@transaction.atomic
def hand_in_each(seen: Sequence[Seen], editor: str) -> list[Content | ServiceError]:
    """Submit drafts and rejected contents for approval; refuses those already submitted."""

    def require_unfinished(content: Content) -> None:
        if content.is_checked or content.checked_level >= WAITING:
            raise InvalidInput("handed_in_already", f"Content {content.pk} has already been submitted.")

    locked = Locked(seen)
    locked.decide(require_unfinished)
    overwrite_each([(content, {"checked_level": WAITING}) for content in locked.contents], editor=editor)
    return locked.results()


def require_reach_back(content: Content, before: Mapping[str, Any], reach: Reach, levels: int) -> None:
    """Raise InvalidInput unless the administrator may make the decision in `before`; the site has `levels` levels."""
    is_checked = bool(before.get("is_checked", content.is_checked))
    level = int(before.get("checked_level", content.checked_level))
    if (is_checked, level) == (content.is_checked, content.checked_level):
        return
    if not is_checked and not content.is_checked and content.checked_level == WAITING > level:
        return  # undoing a submission undoes no decision
    was, most = Content(is_checked=is_checked, checked_level=level), reach.at(content)
    if not may_decide(was, most, levels):
        raise _beyond()
    if most < (levels if content.is_checked else min(max(int(content.checked_level), WAITING), levels)):
        raise _beyond()


def _require_approved(content: Content) -> None:
    if not content.is_checked:
        raise InvalidInput("not_approved", f"Content {content.pk} is not approved.")


def require_reach(content: Content, reach: Reach, levels: int) -> None:
    if not may_decide(content, reach.at(content), levels):
        raise _beyond()


def _seen_at_once() -> InvalidInput:
    return InvalidInput("public_at_once", "Visitors see this change at once; it needs the right of final approval.")


def _beyond() -> InvalidInput:
    return InvalidInput("level_beyond", "Your rights do not include this level of approval.")


def next_level(content: Content) -> int:
    return max(int(content.checked_level), WAITING) + 1


def target_level(content: Content, reach: Reach, levels: int, level: int | None = None) -> int:
    """Return the level that an approval reaches, by default the highest that the administrator may give there."""
    most = reach.at(content)
    return max(min(level or most, most, levels), min(next_level(content), levels))


def _store_levels(targets: Sequence[tuple[Content, int]], kind: str, user_name: str, reasons: str) -> None:
    store_decisions([(content, {"checked_level": level}) for content, level in targets], kind, user_name, reasons)
    action = "content.rejected" if kind == ContentChange.Kind.REJECTED else "content.level_passed"
    for level in sorted({abs(level) for _content, level in targets}):
        record_contents_action(action, [content for content, at in targets if abs(at) == level], level=level)
