from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from contents.admin.actions.base import (
    ContentAction,
    ContentActionForm,
    brought_to,
    changed,
    describe_some,
    reasons_input,
)
from contents.models import Content
from contents.services import approval
from contents.storing.locking import Seen
from core.admin.admin_actions import AdminAction, Changed, OtherOutcome
from core.lib.errors import ServiceError


class ReasonsForm(ContentActionForm):
    reasons = reasons_input()

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._reach = approval.reach_of(self.request.user, self.records)

    @cached_property
    def levels(self) -> dict[int, int]:
        return approval.levels_of(record.site_id for record in self.records)

    @cached_property
    def reached(self) -> list[tuple[Content, int]]:
        """The records with the administrator's level in their place."""
        return [(record, self._reach.at(record)) for record in self.records]

    def describe_beyond(self) -> str:
        beyond = sum(
            not approval.may_decide(record, reach, self.levels.get(record.site_id, 1)) for record, reach in self.reached
        )
        told = ngettext(
            "%(count)d is beyond your level of approval and stays as it is.",
            "%(count)d are beyond your level of approval and stay as they are.",
            beyond,
        )
        return describe_some(told, beyond)


class RejectForm(ReasonsForm):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.fields["reasons"].required = True
        self.note = self.describe_beyond()


class ApproveForm(ReasonsForm):
    """Offers a choice of level if the site has several within the administrator's reach."""

    level = forms.TypedChoiceField(label=_("Approve"), coerce=int, required=False, empty_value=None)
    field_order = ["level", "reasons"]

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        # Contents that pass a level without final approval; not mentioned if it is all of them.
        passing = [reach for record, reach in self.reached if self.levels.get(record.site_id, 1) > reach]
        told = ngettext(
            "%(count)d of them is approved up to level %(level)d only.",
            "%(count)d of them are approved up to level %(level)d only.",
            len(passing),
        )
        is_all = len(passing) == len(self.records)
        some = "" if is_all else describe_some(told, len(passing), level=max(passing, default=0))
        self.note = " ".join(filter(None, [self.describe_beyond(), some]))
        levels = max(self.levels.values(), default=1)
        reach = min(max((reach for _record, reach in self.reached), default=0), levels)
        if reach <= 1:
            del self.fields["level"]
            return
        words = gettext("up to level %(level)d of %(levels)d")
        field: Any = self.fields["level"]
        field.choices = [
            (n, gettext("final approval") if n == levels else words % {"level": n, "levels": levels})
            for n in range(reach, 0, -1)
        ]


def _as_seen(contents: Sequence[Content]) -> list[Seen]:
    # A decision applies only to the versions that were shown.
    return brought_to([(content, content.version) for content in contents])


def _approve(
    request: HttpRequest, contents: Sequence[Content], *, reasons: str = "", level: int | None = None
) -> list[Changed | OtherOutcome | ServiceError | None]:
    decided = approval.approve_each(_as_seen(contents), request.user, level=level, reasons=reasons)
    levels = [0 if isinstance(one, ServiceError) or one.is_checked else one.checked_level for one in decided]
    return [
        OtherOutcome(one, _up_to(level)) if level and isinstance(one, Changed) else one
        for one, level in zip(changed(decided), levels, strict=True)
    ]


@cache  # cached per level, so that results of the same level share one message
def _up_to(level: int) -> Callable[[int], str]:
    words = ngettext_lazy(
        "%(count)d content item was approved up to level %(level)d and is waiting for the next level.",
        "%(count)d content items were approved up to level %(level)d and are waiting for the next level.",
        "count",
    )
    return lambda count: words % {"count": count, "level": level}


def _name_level(action: AdminAction, request: HttpRequest, contents: list[Content]) -> AdminAction:
    by_place = approval.reach_of(request.user, contents)
    levels = approval.levels_of(content.site_id for content in contents)
    reach = max(map(by_place.at, contents), default=0)
    if not reach or any(levels.get(content.site_id, 1) <= by_place.at(content) for content in contents):
        return action
    count = len(contents)
    question = ngettext(
        "Approve %(count)d content item up to level %(level)d?",
        "Approve %(count)d content items up to level %(level)d?",
        count,
    )
    label = gettext("Approve up to level %(level)d") % {"level": reach}
    return replace(action, label=label, question=question % {"count": count, "level": reach})


def _describe_unfinished(contents: list[Content]) -> str:
    unfinished = sum(content.checked_level < approval.WAITING for content in contents)
    told = ngettext(
        "%(count)d of them is a draft or was rejected.", "%(count)d of them are drafts or were rejected.", unfinished
    )
    return describe_some(told, unfinished)


APPROVE = ContentAction(
    "approve",
    _("Approve"),
    ngettext_lazy("Approve %(count)d content item?", "Approve %(count)d content items?", "count"),
    ngettext_lazy("%(count)d content item was approved.", "%(count)d content items were approved.", "count"),
    _approve,
    suits=lambda content: not content.is_checked,
    unsuited=_("already approved"),
    consequence=_describe_unfinished,
    form=ApproveForm,
    worded=_name_level,
    is_decision=True,
    is_quick=True,
)
REJECT = ContentAction(
    "reject",
    _("Reject"),
    ngettext_lazy("Reject %(count)d content item?", "Reject %(count)d content items?", "count"),
    ngettext_lazy("%(count)d content item was rejected.", "%(count)d content items were rejected.", "count"),
    lambda request, contents, *, reasons: changed(approval.reject_each(_as_seen(contents), request.user, reasons)),
    right="approve",
    suits=lambda content: not content.is_checked and content.checked_level >= approval.WAITING,
    unsuited=_("not waiting for approval"),
    nothing_to_do=_("Nothing to do: none of them is still waiting for approval."),
    form=RejectForm,
    is_decision=True,
    is_quick=True,
)
WITHDRAW = ContentAction(
    "withdraw",
    _("Unpublish"),
    ngettext_lazy("Unpublish %(count)d content item?", "Unpublish %(count)d content items?", "count"),
    ngettext_lazy(
        "%(count)d content item was unpublished.",
        "%(count)d content items were unpublished.",
        "count",
    ),
    lambda request, contents, *, reasons="": changed(approval.withdraw_each(_as_seen(contents), request.user, reasons)),
    right="approve",
    suits=lambda content: content.is_checked,
    unsuited=_("not approved"),
    consequence=lambda contents: gettext("Visitors cannot see them until they are approved again."),
    form=ReasonsForm,
    is_decision=True,
)
HAND_IN = ContentAction(
    "hand-in",
    _("Submit for approval"),
    ngettext_lazy(
        "Submit %(count)d content item for approval?", "Submit %(count)d content items for approval?", "count"
    ),
    ngettext_lazy(
        "%(count)d content item was submitted for approval.",
        "%(count)d content items were submitted for approval.",
        "count",
    ),
    lambda request, contents: changed(approval.hand_in_each(_as_seen(contents), request.user.get_username())),
    right="change",
    suits=lambda content: not content.is_checked and content.checked_level < approval.WAITING,
    unsuited=_("already submitted"),
    is_decision=True,
)
APPROVAL_ACTS = (APPROVE, REJECT, HAND_IN, WITHDRAW)
