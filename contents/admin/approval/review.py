"""One content after the other of what waits: as a page, with what else belongs to it and what may be decided on it."""

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.http import urlencode
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from cms_api.admin.acts import Act
from cms_api.admin.numbers import read_number
from cms_api.admin.registered import address_of
from cms_api.admin.views import render_page, seen_record
from contents.admin.actions.approval import APPROVE
from contents.admin.approval.waiting import UNFINISHED, WAITING, Origin, reasons_of
from contents.admin.bodies import body_of
from contents.admin.field_labels import label_of_field
from contents.admin.writing import preview
from contents.admin.writing.custom_inputs import custom_values_of, input_name, offered_fields
from contents.models import Content, ContentQuerySet
from contents.services import approval

REVIEW = "review"  # the page, and what it sends as `from`
_MOST_TOLD = 20
# In a cleaned text, whose quotes are all alike; bounded, since attributes may hold anything.
_FRAME = re.compile(r'<iframe\b[^>]{0,2000}?\bsrc="([^"]{0,2000})"')
# What the page of a content does not show.
_MEMBERS = ("link_url", "group_name_collection", "tags")


def review_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """The content as a page, what that does not show, what may be decided, and the way to the next that waits."""
    content, list_query = seen_record(page, request, pk), request.GET.get("list", "")
    origin = UNFINISHED if request.GET.get("from") == UNFINISHED.view else WAITING
    request.menu_entry = address_of(page, origin.view)  # type: ignore[attr-defined]  # for the menu
    acts = [act.worded(act, request, [content]) for act in page.acts_for(request, content) if act in origin.acts]
    following = approval.next_of(_waiting(request, list_query), content) if origin is WAITING else None
    cleaned = preview.cleaned(body_of(content))
    context = {
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
        "sent_origin": REVIEW if origin is WAITING else origin.view,
        "list_query": list_query,
        "list_address": _list_address(page, origin, list_query),
        "next_address": following and review_address(page, following, list_query),
        "following": following,
        "may_change": page.allows(request, "change", content),
    }
    return render_page(page, request, "contents/review.html", context)


def shown_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """The content as a page of its own that can do nothing, for the frame of the review."""
    content = seen_record(page, request, pk)
    return preview.answer_stored(request, content, body_of(content))


def lead_back(page: Any, request: HttpRequest) -> HttpResponse:
    """To the list, from the review of a content that went to the trash meanwhile. Raises Http404 for other acts."""
    sent = request.POST
    if sent.get("from") != REVIEW or not page.allows(request, APPROVE.permission):
        raise Http404
    messages.warning(request, _("The content is not there any more; nothing was done."))
    return HttpResponseRedirect(_list_address(page, WAITING, sent.get("list", "")))


def decide(
    page: Any, request: HttpRequest, act: Act, content: Content, reasons: str, perform: Callable[[], str]
) -> str:
    """Decide on the content of a review; the answer leads to the next that waits, once this one does not any more.

    `perform` does the act and answers the address of the page that would follow elsewhere.
    """
    list_query = request.POST.get("list", "")
    waiting = _waiting(request, list_query)
    if not act.suits(content):
        told = _("Somebody else has decided on “%(title)s” meanwhile: %(state)s. Nothing was done.")
        messages.warning(request, told % {"title": content.title, "state": approval.state_of(content)})
        if reasons:
            messages.warning(request, _("Your reasons were: %(reasons)s") % {"reasons": reasons})
        return review_address(page, content, list_query)
    back = perform()
    if waiting.filter(pk=content.pk).exists():
        return back
    following = approval.next_of(waiting, content)
    return review_address(page, following, list_query) if following else _list_address(page, WAITING, list_query)


def review_address(page: Any, content: Content, list_query: str) -> str:
    """Where the content is reviewed, on the way through the list as it was narrowed."""
    address = address_of(page, REVIEW, content.pk)
    return f"{address}?{urlencode({'list': list_query})}" if list_query else address


def _list_address(page: Any, origin: Origin, list_query: str) -> str:
    address = address_of(page, origin.view)
    return f"{address}?{list_query}" if list_query else address


def _waiting(request: HttpRequest, list_query: str) -> ContentQuerySet:
    """What waits for the administrator, of the site to which the list was narrowed."""
    site = read_number(QueryDict(list_query).get("site"))
    waiting = approval.waiting_for(request.user)
    return waiting if site is None else waiting.filter(site=site)


def _facts(content: Content, body: str) -> Iterator[tuple[str, str]]:
    """What belongs to the content besides its page, with labels: members, custom fields, pages in frames."""
    for name in _MEMBERS:
        yield capfirst(str(label_of_field(name))), getattr(content, name)
    fields = offered_fields(content.site_id)
    values = custom_values_of(content.settings_xml, fields)
    for field in fields:
        yield field.label or field.name, values[input_name(field)]
    yield _("Pages in frames"), ", ".join(unescape(address) for address in _FRAME.findall(body)[:_MOST_TOLD])
