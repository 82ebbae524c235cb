"""Approval by levels: the states of a content, who may decide on which level, and the decisions (docs/approval.md).

A content stores its state as the original does: `is_checked`, or else a level in `checked_level`, which is -99 for a
draft, 0 while it waits, n once it has passed level n, and -n where it was rejected at level n.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.db import models, transaction
from django.db.models import BooleanField, Field, Func, Q, Value
from django.db.models.lookups import GreaterThan
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from cms_api.admin.ranks import Rank, rank_of, sites_of
from cms_api.lib.errors import InvalidInput, ServiceError
from contents.models import MAX_LEVEL, Content, ContentChange, ContentQuerySet
from contents.services import single
from contents.services.decisions import note_contents, note_decisions, store_decisions
from contents.storing.locking import Locked, Seen, only
from contents.storing.overwrite import overwrite_each
from sites.models import Site

DRAFT, WAITING = -99, 0
_WAITING_ORDER = ("site_id", "checked_level", "last_edit_date", "id")
# Contents with the levels up to which they pass, or at which they are rejected.
Decisions = Sequence[tuple[Content, int]]


class Kind(models.TextChoices):
    """What a content may be on its way; lists filter by these."""

    DRAFT = "draft", _("Draft")
    WAITING = "waiting", _("Waiting for approval")
    PASSED = "passed", _("Passed a level")
    REJECTED = "rejected", _("Rejected")
    APPROVED = "approved", _("Approved")


@dataclass(frozen=True, slots=True)
class State:
    """Where a content stands: its kind, and the level that it passed or at which it was rejected."""

    kind: Kind
    level: int = 0

    def __str__(self) -> str:
        if self.kind is Kind.PASSED:
            return gettext("Passed level %(level)d") % {"level": self.level}
        if self.kind is Kind.REJECTED:
            return gettext("Rejected at level %(level)d") % {"level": self.level}
        return str(self.kind.label)


def state_of(content: Content) -> State:
    """Where the content stands; its words are `str(state)`."""
    level = int(content.checked_level)
    if content.is_checked:
        return State(Kind.APPROVED)
    if level == DRAFT:
        return State(Kind.DRAFT)
    if level < WAITING:
        return State(Kind.REJECTED, -level)
    return State(Kind.PASSED, level) if level else State(Kind.WAITING)


# ---- levels and rights


def levels_of(site_ids: Iterable[int]) -> dict[int, int]:
    """How many levels of approval each of the sites has. One statement."""
    rows = Site.objects.filter(pk__in=set(site_ids)).values_list(
        "pk", "settings__isCheckContentLevel", "settings__checkContentLevel"
    )
    return {pk: _levels(has_levels, number) for pk, has_levels, number in rows}


def _levels(has_levels: object, number: object) -> int:
    # As sites.attributes answers it: one level unless the site says otherwise.
    return min(max(1, number), MAX_LEVEL) if has_levels is True and isinstance(number, int) else 1


def reach_of(user: Any) -> int:
    """Up to which level the administrator approves; 0: not at all. Site administrators do so on their sites only."""
    if rank_of(user) in {Rank.HIGHEST, Rank.SITES} or user.has_perm("contents.approve_content"):
        return MAX_LEVEL
    granted = (n for n in range(MAX_LEVEL - 1, 0, -1) if user.has_perm(f"contents.approve{n}_content"))
    return next(granted, 0)


def may_finish(user: Any, levels: int) -> bool:
    """Whether the administrator may approve for good, and take that back, in a site of so many levels."""
    return reach_of(user) >= levels


def may_decide(content: Content, reach: int, levels: int) -> bool:
    """Whether somebody who approves up to `reach` may decide on the content as it is now."""
    if content.is_checked:
        return reach >= levels
    level = int(content.checked_level)
    if WAITING > level != DRAFT:
        return reach >= min(-level, levels)  # over a rejection decides who may reject at that level
    return reach >= min(max(level, WAITING) + 1, levels)


def waiting_for(user: Any) -> ContentQuerySet:
    """The contents on which the administrator may decide now: by site, then by level, the oldest first.

    That is the order of the index `content_waiting`, so that the first of them cost the same at any number.
    """
    reach = reach_of(user)
    found = Content.objects.present().filter(is_checked=False, checked_level__gte=WAITING)
    if not reach:
        return found.none()
    if (sites := sites_of(user)) is not None:
        found = found.filter(site__in=sites)
    if reach < MAX_LEVEL:
        found = found.filter(Q(checked_level__lt=reach) | Q(site__in=_sites_up_to(reach)))
    return found.order_by(*_WAITING_ORDER)


def next_of(waiting: ContentQuerySet, content: Content) -> Content | None:
    """What follows the content among those that wait, in their order; the first of the others where nothing does."""
    # A comparison of rows is a range of the index.
    fields = cast("list[Field[Any, Any]]", [Content._meta.get_field(name) for name in _WAITING_ORDER])
    here = [Value(getattr(content, field.attname), field) for field in fields]
    following = waiting.filter(GreaterThan(_row(*_WAITING_ORDER), _row(*here))).first()
    return following or waiting.exclude(pk=content.pk).first()


def _row(*members: str | Value) -> Func:
    return Func(*members, template="(%(expressions)s)", output_field=BooleanField())


def unfinished_of(user: Any) -> ContentQuerySet:
    """What was rejected of the administrator's, and their drafts, by site and the last edited first."""
    found = Content.objects.present().filter(is_checked=False, checked_level__lt=WAITING)
    if (sites := sites_of(user)) is not None:
        found = found.filter(site__in=sites)
    return found.filter(add_user_name=user.get_username()).order_by(
        "site_id", "-checked_level", "-last_edit_date", "-id"
    )


def _sites_up_to(reach: int) -> list[int]:
    """The sites in which somebody who approves up to this level approves for good."""
    numbers = Site.objects.values_list("pk", flat=True)
    return [pk for pk, levels in levels_of(numbers).items() if levels <= reach]


# ---- decisions


def approve(
    content: Content, user: Any, *, level: int | None = None, reasons: str = "", version: int | None = None
) -> Content:
    """Let the content pass up to the level, by default the highest that the administrator may; the last is final.

    `version` is the one in which it was seen. Raises NotFound, or InvalidInput where it has been changed since, is
    approved already, or the administrator's rights do not reach that far.
    """
    return only(approve_each([_seen(content, version)], user, level=level, reasons=reasons))


@transaction.atomic
def approve_each(
    seen: Sequence[Seen], user: Any, *, level: int | None = None, reasons: str = ""
) -> list[Content | ServiceError]:
    """The same for several contents; what is refused of one concerns that one only."""
    locked = Locked(seen)
    levels, reach = levels_of(each.site_id for each in seen), reach_of(user)

    def target(content: Content) -> int:
        if content.is_checked:
            raise InvalidInput("approved_already", f"Content {content.pk} is approved already.")
        most = levels[content.site_id]
        _require_reach(content, user, reach, most)
        return max(min(level or reach, reach, most), min(_next_level(content), most))

    targets = locked.decide(target)
    _pass([each for each in targets if each[1] < levels[each[0].site_id]], user.get_username(), reasons)
    final = [content for content, passed in targets if passed >= levels[content.site_id]]
    single.approve_contents(final, reasons, user.get_username())
    return locked.results()


@transaction.atomic
def reject_each(seen: Sequence[Seen], user: Any, reasons: str) -> list[Content | ServiceError]:
    """Send the contents back to their authors, who are told the reasons.

    A content is refused that is not there, does not wait for a decision, has been changed since it was seen, or is
    beyond the administrator's rights. Raises InvalidInput without reasons.
    """
    if not reasons.strip():
        raise InvalidInput("reasons_missing", "A rejection needs its reasons.")
    locked = Locked(seen)
    levels, reach = levels_of(each.site_id for each in seen), reach_of(user)

    def rejected_at(content: Content) -> int:
        if content.is_checked or content.checked_level < WAITING:
            raise InvalidInput("not_waiting", f"Content {content.pk} does not wait for a decision.")
        _require_reach(content, user, reach, levels[content.site_id])
        return min(_next_level(content), levels[content.site_id])

    _reject(locked.decide(rejected_at), user.get_username(), reasons)
    return locked.results()


def withdraw(content: Content, user: Any, reasons: str = "", *, version: int | None = None) -> Content:
    """Take the final approval back, so that the content waits again.

    Raises NotFound, or InvalidInput where it is not approved, has been changed since `version`, or the administrator
    may not approve for good.
    """
    return only(withdraw_each([_seen(content, version)], user, reasons))


@transaction.atomic
def withdraw_each(seen: Sequence[Seen], user: Any, reasons: str = "") -> list[Content | ServiceError]:
    """The same for several contents; what is refused of one concerns that one only."""
    locked = Locked(seen)
    levels, reach = levels_of(each.site_id for each in seen), reach_of(user)

    def require_decidable(content: Content) -> None:
        _require_approved(content)
        _require_reach(content, user, reach, levels[content.site_id])

    locked.decide(require_decidable)
    _make_waiting(locked.contents, reasons=reasons)
    return locked.results()


def hand_in(content: Content, editor: str, *, version: int | None = None) -> Content:
    """Let a draft, or what was rejected, wait for approval. Raises NotFound, or InvalidInput where it does already."""
    return only(hand_in_each([_seen(content, version)], editor))


@transaction.atomic
def hand_in_each(seen: Sequence[Seen], editor: str) -> list[Content | ServiceError]:
    """The same for several contents; what is refused of one concerns that one only."""
    locked = Locked(seen)
    locked.decide(_require_unfinished)
    overwrite_each([(content, {"checked_level": WAITING}) for content in locked.contents], editor=editor)
    return locked.results()


@transaction.atomic
def hand_in_again(content: Content, editor: str, *, version: int | None = None) -> Content:
    """Let an approved content wait once more, for whoever changes it and wants the change to be looked at.

    That needs no right to approve. Raises NotFound, or InvalidInput where it is not approved, or has been changed since
    `version`.
    """
    locked = Locked([_seen(content, version)])
    locked.decide(_require_approved)
    _make_waiting(locked.contents, editor=editor)
    return only(locked.results())


def require_reach_back(content: Content, before: Mapping[str, Any], user: Any, levels: int) -> None:
    """Raises InvalidInput where the administrator may not bring the content back to what it was `before`.

    What was decided needs the rights to decide it once more, and these may have gone since. The site of the content
    has so many levels.
    """
    is_checked = bool(before.get("is_checked", content.is_checked))
    level = int(before.get("checked_level", content.checked_level))
    if (is_checked, level) == (content.is_checked, content.checked_level):
        return
    if not is_checked and not content.is_checked and content.checked_level == WAITING > level:
        return  # it was handed in, which decides nothing
    was = Content(site_id=content.site_id, is_checked=is_checked, checked_level=level)
    reach = reach_of(user)
    _require_reach(was, user, reach, levels)
    passed = levels if content.is_checked else min(max(int(content.checked_level), WAITING), levels)
    if reach < passed:
        raise _beyond()


def _seen(content: Content, version: int | None) -> Seen:
    return Seen(content.site_id, content.pk, version)


def _make_waiting(contents: Sequence[Content], *, editor: str | None = None, reasons: str = "") -> None:
    values = {"is_checked": False, "checked_level": WAITING}
    overwrite_each([(content, values) for content in contents], editor=editor, reasons=reasons)
    note_decisions(contents)


def _require_approved(content: Content) -> None:
    if not content.is_checked:
        raise InvalidInput("not_approved", f"Content {content.pk} is not approved.")


def _require_unfinished(content: Content) -> None:
    if content.is_checked or content.checked_level >= WAITING:
        raise InvalidInput("handed_in_already", f"Content {content.pk} has been handed in already.")


def _require_reach(content: Content, user: Any, reach: int, levels: int) -> None:
    sites = sites_of(user)
    if (sites is not None and content.site_id not in sites) or not may_decide(content, reach, levels):
        raise _beyond()


def _beyond() -> InvalidInput:
    return InvalidInput("level_beyond", "Your rights do not reach this level of approval.")


def _next_level(content: Content) -> int:
    return max(int(content.checked_level), WAITING) + 1


def _pass(targets: Decisions, user_name: str, reasons: str) -> None:
    _store(targets, ContentChange.Kind.APPROVED, user_name, reasons)
    _note_levels("content.level_passed", targets)


def _reject(targets: Decisions, user_name: str, reasons: str) -> None:
    _store([(content, -level) for content, level in targets], ContentChange.Kind.REJECTED, user_name, reasons)
    _note_levels("content.rejected", targets)


def _store(targets: Decisions, kind: str, user_name: str, reasons: str) -> None:
    """Give the contents their levels."""
    store_decisions([(content, {"checked_level": level}) for content, level in targets], kind, user_name, reasons)


def _note_levels(action: str, targets: Decisions) -> None:
    for level in sorted({level for _content, level in targets}):
        note_contents(action, [content for content, at in targets if at == level], level=level)
