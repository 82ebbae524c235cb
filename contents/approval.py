"""Approval by levels: the states of a content, who may decide on which level, and the decisions (docs/approval.md).

A content stores its state as the original does: `is_checked`, or else a level in `checked_level`, which is -99 for a
draft, 0 while it waits, n once it has passed level n, and -n where it was rejected at level n.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import models, transaction
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from cms_api import audit
from cms_api.back_end.ranks import Rank, rank_of, sites_of
from cms_api.rest.errors import BadRequest
from contents import services
from contents.decisions import check_entries
from contents.models import MAX_LEVEL, Content, ContentChange, ContentQuerySet
from contents.overwriting import lock_content, overwrite, with_settings
from sites.models import Site

DRAFT, WAITING = -99, 0


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
    return found.order_by("site_id", "checked_level", "last_edit_date", "id")


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


@transaction.atomic
def approve(
    content: Content, user: Any, *, level: int | None = None, reasons: str = "", version: int | None = None
) -> Content:
    """Let the content pass up to the level, by default the highest that the administrator may; the last is final.

    `version` is the one in which it was seen. Raises NotFound, or BadRequest where it has been changed since, is
    approved already, or the administrator's rights do not reach that far.
    """
    present = lock_content(content.site_id, content.pk, version)
    if present.is_checked:
        raise BadRequest("approved_already", f"Content {present.pk} is approved already.")
    levels = levels_of([present.site_id])[present.site_id]
    reach = _require_reach(present, user, levels)
    target = max(min(level or reach, reach, levels), min(_next_level(present), levels))
    if target < levels:
        _pass(present, target, user.get_username(), reasons)
        return present
    places = [(present.channel_id, present.pk)]
    services.check_contents(present.site_id, places, reasons, user.get_username())
    present.refresh_from_db(fields=["version", "is_checked", "checked_level"])
    return present


@transaction.atomic
def reject(content: Content, user: Any, reasons: str, *, version: int | None = None) -> Content:
    """Send the content back to its author, who is told the reasons.

    Raises NotFound, or BadRequest without reasons, where it does not wait for a decision, has been changed since
    `version`, or the administrator's rights do not reach its level.
    """
    if not reasons.strip():
        raise BadRequest("reasons_missing", "A rejection needs its reasons.")
    present = lock_content(content.site_id, content.pk, version)
    if present.is_checked or present.checked_level < WAITING:
        raise BadRequest("not_waiting", f"Content {present.pk} does not wait for a decision.")
    levels = levels_of([present.site_id])[present.site_id]
    _require_reach(present, user, levels)
    level = min(_next_level(present), levels)
    values = {"checked_level": -level} | _decided(present, reasons, user.get_username())
    overwrite(present, values, ContentChange.Kind.REJECTED, reasons=reasons)
    audit.note("content.rejected", present, site_id=present.site_id, level=level)
    return present


@transaction.atomic
def withdraw(content: Content, user: Any, reasons: str = "", *, version: int | None = None) -> Content:
    """Take the final approval back, so that the content waits again.

    Raises NotFound, or BadRequest where it is not approved, has been changed since `version`, or the administrator
    may not approve for good.
    """
    present = lock_content(content.site_id, content.pk, version)
    if not present.is_checked:
        raise BadRequest("not_approved", f"Content {present.pk} is not approved.")
    _require_reach(present, user, levels_of([present.site_id])[present.site_id])
    overwrite(present, {"is_checked": False, "checked_level": WAITING}, reasons=reasons)
    audit.note("content.approval_withdrawn", present, site_id=present.site_id)
    return present


@transaction.atomic
def hand_in(content: Content, editor: str, *, version: int | None = None) -> Content:
    """Let a draft, or what was rejected, wait for approval. Raises NotFound, or BadRequest where it does already."""
    present = lock_content(content.site_id, content.pk, version)
    if present.is_checked or present.checked_level >= WAITING:
        raise BadRequest("handed_in_already", f"Content {present.pk} has been handed in already.")
    overwrite(present, {"checked_level": WAITING}, editor=editor)
    return present


def require_reach_back(content: Content, before: Mapping[str, Any], user: Any) -> None:
    """Raises BadRequest where the administrator may not bring the content back to what it was `before`.

    What was decided needs the rights to decide it once more, and these may have gone since.
    """
    is_checked = bool(before.get("is_checked", content.is_checked))
    level = int(before.get("checked_level", content.checked_level))
    if (is_checked, level) == (content.is_checked, content.checked_level):
        return
    if not is_checked and not content.is_checked and content.checked_level == WAITING > level:
        return  # it was handed in, which decides nothing
    levels = levels_of([content.site_id])[content.site_id]
    was = Content(site_id=content.site_id, is_checked=is_checked, checked_level=level)
    reach = _require_reach(was, user, levels)
    passed = levels if content.is_checked else min(max(int(content.checked_level), WAITING), levels)
    if reach < passed:
        raise _beyond()


def _require_reach(content: Content, user: Any, levels: int) -> int:
    reach = reach_of(user)
    sites = sites_of(user)
    if (sites is not None and content.site_id not in sites) or not may_decide(content, reach, levels):
        raise _beyond()
    return reach


def _beyond() -> BadRequest:
    return BadRequest("level_beyond", "Your rights do not reach this level of approval.")


def _next_level(content: Content) -> int:
    return max(int(content.checked_level), WAITING) + 1


def _pass(content: Content, level: int, user_name: str, reasons: str) -> None:
    values = {"checked_level": level} | _decided(content, reasons, user_name)
    overwrite(content, values, ContentChange.Kind.APPROVED, reasons=reasons)
    audit.note("content.level_passed", content, site_id=content.site_id, level=level)


def _decided(content: Content, reasons: str, user_name: str) -> dict[str, Any]:
    return {"settings_xml": with_settings(content, check_entries(content.site_id, reasons, user_name))}
