"""The half of the pages of contents that acts: everything that editors do to many at once, and what waits for them."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from cms_api.admin.acts import Act
from cms_api.admin.menu import Entry
from cms_api.admin.ranks import Rank, rank_of
from contents.admin.actions.approval import APPROVAL_ACTS, APPROVE, HAND_IN, REJECT
from contents.admin.actions.flags import FLAG_ACTS
from contents.admin.actions.places import PLACE_ACTS
from contents.admin.approval.review import ReviewPages
from contents.admin.approval.waiting import (
    UNFINISHED_TITLE,
    WAITING_TITLE,
    WaitingPage,
    count_unfinished,
    count_waiting,
)
from contents.models import MAX_LEVEL, Content
from contents.services import approval

_APPROVE = "approve"


class ActingContentPages(ReviewPages):
    """Pages of contents with all acts."""

    acts = (*APPROVAL_ACTS, *FLAG_ACTS, *PLACE_ACTS)
    origins = {"waiting": "waiting", "unfinished": "unfinished"}
    rights = {
        "view": _("See"),
        "add": _("Add and copy"),
        "change": _("Change, move and hand in"),
        "delete": _("Move to the trash"),
        _APPROVE: _("Approve at every level"),
        **{
            f"{_APPROVE}{level}": format_lazy(_("Approve up to level {level}"), level=level)
            for level in range(1, MAX_LEVEL)
        },
    }

    def allows(self, request: HttpRequest, act: str, record: Model | None = None) -> bool:
        """As everywhere; approval up to a level allows it for the contents that wait there."""
        if act != _APPROVE or rank_of(request.user) is not Rank.ORDINARY:
            return super().allows(request, act, record)
        reach = approval.reach_of(request.user)
        if not reach or not isinstance(record, Content):
            return bool(reach)
        levels = approval.levels_of([record.site_id])
        return approval.may_decide(record, reach, levels[record.site_id])

    def may_take_back(self, request: HttpRequest, act: Act, records: Sequence[Any]) -> set[int]:
        """As for the act itself; who let a content pass a level takes that back, though the next is beyond them."""
        if act.permission != _APPROVE or rank_of(request.user) is not Rank.ORDINARY:
            return super().may_take_back(request, act, records)
        reach = approval.reach_of(request.user)
        levels = approval.levels_of(record.site_id for record in records)
        return {
            record.pk
            for record in records
            if approval.may_decide(record, reach, levels[record.site_id])
            or (act is APPROVE and not record.is_checked and 0 < record.checked_level <= reach)
        }

    def get_urls(self) -> list[URLPattern]:
        """The pages of contents, and those of what waits."""
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        views = {"waiting": self.waiting_view, "unfinished": self.unfinished_view}
        own = [path(f"{key}/", self.admin_site.admin_view(view), name=f"{name}_{key}") for key, view in views.items()]
        return [*own, *super().get_urls()]

    def waiting_view(self, request: HttpRequest) -> HttpResponse:
        """The contents on which the administrator may decide now."""
        if not self.allows(request, _APPROVE):
            raise Http404
        nothing = _("Nothing waits for you.")
        page = WaitingPage(WAITING_TITLE, nothing, approval.waiting_for(request.user), [APPROVE, REJECT])
        return page.answer(request, self._waiting_context(request, "waiting"))

    def unfinished_view(self, request: HttpRequest) -> HttpResponse:
        """The drafts of the administrator, and what was rejected of theirs."""
        if not self.allows(request, HAND_IN.permission):
            raise Http404
        nothing = _("You have no drafts, and nothing of yours was rejected.")
        page = WaitingPage(UNFINISHED_TITLE, nothing, approval.unfinished_of(request.user), [HAND_IN])
        return page.answer(request, self._waiting_context(request, "unfinished"))

    def menu_entries(self, request: HttpRequest) -> Iterator[Entry]:
        """What waits for the administrator, with how much it is."""
        if self.allows(request, _APPROVE):
            yield Entry(WAITING_TITLE, self._address("waiting"), count_waiting(request.user))
        if self.allows(request, HAND_IN.permission):
            yield Entry(UNFINISHED_TITLE, self._address("unfinished"), count_unfinished(request.user))

    def _waiting_context(self, request: HttpRequest, origin: str) -> dict[str, Any]:
        return {**self.admin_site.each_context(request), "opts": self.opts, "origin": origin}
