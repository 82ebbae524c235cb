"""One content after the other of what waits: as a page, with what else belongs to it and what may be decided on it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from cms_api.admin.acts import Act
from cms_api.admin.numbers import read_number
from contents.admin.actions.approval import APPROVE, HAND_IN, REJECT
from contents.admin.approval.waiting import UNFINISHED_TITLE, WAITING_TITLE, reasons_of
from contents.admin.base import ContentPages
from contents.admin.field_labels import label_of_field
from contents.admin.writing import preview
from contents.admin.writing.custom_inputs import custom_values_of, input_name, offered_fields
from contents.models import Content, ContentBody, ContentQuerySet
from contents.services import approval

_REVIEW = "review"  # the page, and what it sends as `from`
_MOST_TOLD = 20
# In a cleaned text, whose quotes are all alike; bounded, since attributes may hold anything.
_FRAME = re.compile(r'<iframe\b[^>]{0,2000}?\bsrc="([^"]{0,2000})"')
# What the page of a content does not show.
_MEMBERS = ("link_url", "group_name_collection", "tags")


@dataclass(frozen=True)
class Origin:
    """A list from which a review is begun: its view and title, what may be done, and what the form sends as `from`."""

    view: str
    title: str | Promise
    acts: tuple[Act, ...]
    name: str


_WAITING = Origin("waiting", WAITING_TITLE, (APPROVE, REJECT), _REVIEW)
_UNFINISHED = Origin("unfinished", UNFINISHED_TITLE, (HAND_IN,), "unfinished")


class ReviewPages(ContentPages):
    """Pages of contents with the review of each."""

    def get_urls(self) -> list[URLPattern]:
        """The pages of contents, the review of one, and what its frame shows."""
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        views = {_REVIEW: self.review_view, "shown": self.shown_view}
        own = [
            path(f"<int:pk>/{key}/", self.admin_site.admin_view(view), name=f"{name}_{key}")
            for key, view in views.items()
        ]
        return [*own, *super().get_urls()]

    def review_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The content as a page, what that does not show, what may be decided, and the way to the next that waits."""
        content, list_query = self._viewed(request, pk), request.GET.get("list", "")
        origin = _UNFINISHED if request.GET.get("from") == _UNFINISHED.name else _WAITING
        request.menu_entry = self._address(origin.view)  # type: ignore[attr-defined]  # for the menu
        acts = [act.worded(act, request, [content]) for act in self.acts_for(request, content) if act in origin.acts]
        following = approval.next_of(_waiting(request, list_query), content) if origin is _WAITING else None
        cleaned = preview.cleaned(_body_of(content))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": content.title,
            "content_record": content,
            "state": approval.state_of(content),
            "reasons": reasons_of([content]).get(content.pk, ""),
            "facts": list(_facts(content, cleaned.text)),
            # What it could do in the page, by name.
            "not_shown": ", ".join(cleaned.removed[:_MOST_TOLD]),
            "acts": acts,
            "has_reasons": any(act.form for act in acts),
            "seen": f"{content.pk}:{content.version}",
            "origin": origin,
            "list_query": list_query,
            "list_address": self._list_address(origin, list_query),
            "next_address": following and self._review_address(following, list_query),
            "following": following,
            "may_change": self.allows(request, "change", content),
        }
        return TemplateResponse(request, "contents/review.html", context)

    def shown_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The content as a page of its own that can do nothing, for the frame of the review."""
        content = self._viewed(request, pk)
        return preview.answer_stored(request, content, _body_of(content))

    def act_view(self, request: HttpRequest, name: str) -> HttpResponse:
        """As everywhere; a content that went to the trash during its review leads back to the list."""
        try:
            return super().act_view(request, name)
        except Http404:
            sent = request.POST
            if sent.get("from") != _REVIEW or not self.allows(request, APPROVE.permission):
                raise
            messages.warning(request, _("The content is not there any more; nothing was done."))
            return HttpResponseRedirect(self._list_address(_WAITING, sent.get("list", "")))

    def _viewed(self, request: HttpRequest, pk: int) -> Content:
        content: Content | None = self.get_object(request, str(pk))
        if content is None or not self.has_view_permission(request, content):
            raise Http404
        return content

    def _review_address(self, content: Content, list_query: str) -> str:
        address = self._address(_REVIEW, content.pk)
        return f"{address}?{urlencode({'list': list_query})}" if list_query else address

    def _list_address(self, origin: Origin, list_query: str) -> str:
        address = self._address(origin.view)
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
        if sent.get("from") != _REVIEW:
            return super()._perform(request, act, records, seen, values, sent)
        (content, *_others), list_query = records, sent.get("list", "")
        waiting = _waiting(request, list_query)
        if not act.suits(content):
            _tell_decided(request, content, values.get("reasons", ""))
            return self._review_address(content, list_query)
        back = super()._perform(request, act, records, seen, values, sent)
        if waiting.filter(pk=content.pk).exists():
            return back
        following = approval.next_of(waiting, content)
        return self._review_address(following, list_query) if following else self._list_address(_WAITING, list_query)

    def _back_address(self, sent: QueryDict, records: Any) -> str:
        """As everywhere; a review is begun from its content."""
        content = next(iter(records), None) if sent.get("from") == _REVIEW else None
        if content is not None:
            return self._review_address(content, sent.get("list", ""))
        return super()._back_address(sent, records)


def _waiting(request: HttpRequest, list_query: str) -> ContentQuerySet:
    """What waits for the administrator, of the site to which the list was narrowed."""
    site = read_number(QueryDict(list_query).get("site"))
    waiting = approval.waiting_for(request.user)
    return waiting if site is None else waiting.filter(site=site)


def _body_of(content: Content) -> str:
    return ContentBody.objects.filter(content=content).values_list("text", flat=True).first() or ""


def _facts(content: Content, body: str) -> Iterator[tuple[str, str]]:
    """What belongs to the content besides its page, with labels: members, custom fields, pages in frames."""
    for name in _MEMBERS:
        yield capfirst(str(label_of_field(name))), getattr(content, name)
    fields = offered_fields(content.site_id)
    values = custom_values_of(content.settings_xml, fields)
    for field in fields:
        yield field.label or field.name, values[input_name(field)]
    yield _("Pages in frames"), ", ".join(unescape(address) for address in _FRAME.findall(body)[:_MOST_TOLD])


def _tell_decided(request: HttpRequest, content: Content, reasons: str) -> None:
    told = _("Somebody else has decided on “%(title)s” meanwhile: %(state)s. Nothing was done.")
    messages.warning(request, told % {"title": content.title, "state": approval.state_of(content)})
    if reasons:
        messages.warning(request, _("Your reasons were: %(reasons)s") % {"reasons": reasons})
