"""Acts that decide on contents: approval, rejection, and the way there and back."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from django.http import HttpRequest
from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from cms_api.admin.acts import Act, Changed, Told
from cms_api.lib.errors import ServiceError
from contents.admin.actions.forms import ApproveForm, ReasonsForm, RejectForm
from contents.admin.actions.results import ContentAct, as_seen, changed
from contents.models import Content
from contents.services import approval


def _approve(
    request: HttpRequest, contents: Sequence[Content], *, reasons: str = "", level: int | None = None
) -> list[Changed | Told | ServiceError | None]:
    decided = approval.approve_each(as_seen(contents), request.user, level=level, reasons=reasons)
    levels = [0 if isinstance(one, ServiceError) or one.is_checked else one.checked_level for one in decided]
    return [
        Told(one, _up_to(level)) if level and isinstance(one, Changed) else one
        for one, level in zip(changed(decided), levels, strict=True)
    ]


@cache  # one function a level, so that what passed the same level is told in one sentence
def _up_to(level: int) -> Callable[[int], str]:
    def tell_passed(count: int) -> str:
        told = ngettext(
            "%(count)d content item was approved up to level %(level)d and waits for the next level.",
            "%(count)d content items were approved up to level %(level)d and wait for the next level.",
            count,
        )
        return told % {"count": count, "level": level}

    return tell_passed


def _name_level(act: Act, request: HttpRequest, contents: list[Content]) -> Act:
    """The act, named by the level where the administrator approves none of the contents for good."""
    reach = approval.reach_of(request.user)
    levels = approval.levels_of(content.site_id for content in contents)
    if not reach or any(levels.get(content.site_id, 1) <= reach for content in contents):
        return act
    count = len(contents)
    question = ngettext(
        "Approve %(count)d content item up to level %(level)d?",
        "Approve %(count)d content items up to level %(level)d?",
        count,
    )
    label = gettext("Approve up to level %(level)d") % {"level": reach}
    return replace(act, label=label, question=question % {"count": count, "level": reach})


def _tell_unfinished(contents: list[Content]) -> str:
    """How many of them nobody has handed in."""
    unfinished = sum(content.checked_level < approval.WAITING for content in contents)
    if not unfinished:
        return ""
    told = ngettext(
        "%(count)d of them is a draft or was rejected.", "%(count)d of them are drafts or were rejected.", unfinished
    )
    return told % {"count": unfinished}


APPROVE = ContentAct(
    "approve",
    _("Approve"),
    ngettext_lazy("Approve %(count)d content item?", "Approve %(count)d content items?", "count"),
    ngettext_lazy("%(count)d content item was approved.", "%(count)d content items were approved.", "count"),
    _approve,
    suits=lambda content: not content.is_checked,
    unsuited=_("approved already"),
    consequence=_tell_unfinished,
    form=ApproveForm,
    worded=_name_level,
    is_decision=True,
    is_quick=True,
)
REJECT = ContentAct(
    "reject",
    _("Reject"),
    ngettext_lazy("Reject %(count)d content item?", "Reject %(count)d content items?", "count"),
    ngettext_lazy("%(count)d content item was rejected.", "%(count)d content items were rejected.", "count"),
    lambda request, contents, *, reasons: changed(approval.reject_each(as_seen(contents), request.user, reasons)),
    right="approve",
    suits=lambda content: not content.is_checked and content.checked_level >= approval.WAITING,
    unsuited=_("not waiting for approval"),
    nothing_to_do=_("There is nothing to do: none of them waits for approval any more."),
    form=RejectForm,
    is_decision=True,
    is_quick=True,
)
WITHDRAW = ContentAct(
    "withdraw",
    _("Withdraw approval"),
    ngettext_lazy(
        "Withdraw the approval of %(count)d content item?", "Withdraw the approval of %(count)d content items?", "count"
    ),
    ngettext_lazy(
        "The approval of %(count)d content item was withdrawn.",
        "The approval of %(count)d content items was withdrawn.",
        "count",
    ),
    lambda request, contents, *, reasons="": changed(approval.withdraw_each(as_seen(contents), request.user, reasons)),
    right="approve",
    suits=lambda content: content.is_checked,
    unsuited=_("not approved"),
    consequence=lambda contents: gettext(
        "Visitors of the sites do not see them any more, until they are approved again."
    ),
    form=ReasonsForm,
    is_decision=True,
)
HAND_IN = ContentAct(
    "hand-in",
    _("Hand in for approval"),
    ngettext_lazy(
        "Hand in %(count)d content item for approval?", "Hand in %(count)d content items for approval?", "count"
    ),
    ngettext_lazy("%(count)d content item was handed in.", "%(count)d content items were handed in.", "count"),
    lambda request, contents: changed(approval.hand_in_each(as_seen(contents), request.user.get_username())),
    right="change",
    suits=lambda content: not content.is_checked and content.checked_level < approval.WAITING,
    unsuited=_("handed in already"),
    is_decision=True,
)
APPROVAL_ACTS = (APPROVE, REJECT, HAND_IN, WITHDRAW)
