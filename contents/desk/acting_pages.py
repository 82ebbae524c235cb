"""The half of the pages of contents that acts: everything that editors do to many at once, and what waits for them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.http import urlencode
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from cms_api.back_end.acts import Act
from cms_api.back_end.menu import Entry
from cms_api.back_end.numbers import read_number
from cms_api.back_end.ranks import Rank, rank_of
from contents import approval
from contents.content_pages import ContentPages
from contents.desk.approval_acts import APPROVAL_ACTS, APPROVE, HAND_IN, REJECT
from contents.desk.flag_acts import FLAG_ACTS
from contents.desk.place_acts import PLACE_ACTS
from contents.desk.waiting_pages import (
    UNFINISHED_TITLE,
    WAITING_TITLE,
    WaitingPage,
    count_unfinished,
    count_waiting,
)
from contents.desk.writing import preview
from contents.models import MAX_LEVEL, Content, ContentQuerySet

_APPROVE, _REVIEW = "approve", "review"


class ActingContentPages(ContentPages):
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
        of_one = {_REVIEW: self.review_view, "shown": self.shown_view}
        own += [
            path(f"<int:pk>/{key}/", self.admin_site.admin_view(view), name=f"{name}_{key}")
            for key, view in of_one.items()
        ]
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

    # ---- one after the other

    def review_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The content as visitors would see it, with what may be decided on it and the way to the next that waits."""
        content, origin = self._viewed(request, pk), request.GET.get("from", "")
        request.back_end_entry = self._list_address(origin, "")  # type: ignore[attr-defined]  # for the menu
        offered = (HAND_IN,) if origin == "unfinished" else (APPROVE, REJECT)
        acts = [act.worded(act, request, [content]) for act in self.acts_for(request, content) if act in offered]
        list_query = request.GET.get("list", "")
        waiting = self._waiting(request, list_query)
        following = approval.next_of(waiting, content) if origin != "unfinished" else None
        context = {
            **self._waiting_context(request, origin if origin == "unfinished" else _REVIEW),
            "title": content.title,
            "content_record": content,
            "author": content.author or content.add_user_name,
            "state": approval.state_of(content),
            "acts": acts,
            "has_reasons": any(act.form for act in acts),
            "seen": f"{content.pk}:{content.version}",
            "list_query": list_query,
            "list_title": UNFINISHED_TITLE if origin == "unfinished" else WAITING_TITLE,
            "list_address": self._list_address(origin, list_query),
            "next_address": following and self._review_address(following, list_query),
            "following": following,
            "may_change": self.allows(request, "change", content),
        }
        return TemplateResponse(request, "back_end/contents/review.html", context)

    def shown_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The content as a page of its own that can do nothing, for the frame of the review."""
        return preview.answer_stored(request, self._viewed(request, pk))

    def _viewed(self, request: HttpRequest, pk: int) -> Content:
        content: Content | None = self.get_object(request, str(pk))
        if content is None or not self.has_view_permission(request, content):
            raise Http404
        return content

    def _waiting(self, request: HttpRequest, list_query: str) -> ContentQuerySet:
        """What waits for the administrator, of the site to which the list was narrowed."""
        site = read_number(QueryDict(list_query).get("site"))
        waiting = approval.waiting_for(request.user)
        return waiting if site is None else waiting.filter(site=site)

    def _review_address(self, content: Content, list_query: str) -> str:
        address = self._address(_REVIEW, content.pk)
        return f"{address}?{urlencode({'list': list_query})}" if list_query else address

    def _list_address(self, origin: str, list_query: str) -> str:
        address = self._address("unfinished" if origin == "unfinished" else "waiting")
        return f"{address}?{list_query}" if list_query else address

    def _perform(
        self,
        request: HttpRequest,
        act: Act,
        records: list[Any],
        seen: Mapping[int, int | None],
        values: Mapping[str, Any],
        sent: QueryDict,
    ) -> str:
        """As everywhere; from a review one comes to the next that waits, once this one does not any more."""
        back, list_query = super()._perform(request, act, records, seen, values, sent), sent.get("list", "")
        waiting = self._waiting(request, list_query)
        if sent.get("from") != _REVIEW or waiting.filter(pk=records[0].pk).exists():
            return back
        following = approval.next_of(waiting, records[0])
        return self._review_address(following, list_query) if following else self._list_address("", list_query)

    def _back_address(self, sent: QueryDict, records: Any) -> str:
        """As everywhere; a review is begun from its content."""
        content = next(iter(records), None) if sent.get("from") == _REVIEW else None
        if content is not None:
            return self._review_address(content, sent.get("list", ""))
        return super()._back_address(sent, records)

    def menu_entries(self, request: HttpRequest) -> Iterator[Entry]:
        """What waits for the administrator, with how much it is."""
        if self.allows(request, _APPROVE):
            yield Entry(WAITING_TITLE, self._address("waiting"), count_waiting(request.user))
        if self.allows(request, HAND_IN.permission):
            yield Entry(UNFINISHED_TITLE, self._address("unfinished"), count_unfinished(request.user))

    def _waiting_context(self, request: HttpRequest, origin: str) -> dict[str, Any]:
        return {**self.admin_site.each_context(request), "opts": self.opts, "origin": origin}
