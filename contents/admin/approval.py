"""The approval queue of the signed-in administrator, and the review of one content after the other."""

import re
from collections.abc import Callable, Iterator
from html import unescape
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

from django.contrib import messages
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.text import capfirst
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from contents.admin.actions.approval import APPROVE, HAND_IN, REJECT
from contents.admin.fields import custom_values_of, input_name, label_of_field, offered_fields
from contents.admin.preview import allow_frames, body_of, cleaned, frames_context
from contents.admin.writing.schedule import describe_state, time_form
from contents.models import Content, ContentChange, ContentDraft, ContentQuerySet
from contents.services import drafts
from contents.services.approval import next_of, state_of, unfinished_of, waiting_for
from contents.services.schedules import schedules_of
from core.admin.admin_actions import AdminAction
from core.admin.menu import Entry
from core.admin.numbers import read_number
from core.admin.views import address_of, render_page, seen_record
from media_library.covers import covers_of
from sites.admin.menu import current_site, site_of_list
from sites.models import Site

Rows = TypeVar("Rows", bound=QuerySet[Any])
PAGE = 50
_LAST_PAGE = 200
_MAX_COUNTED = 99  # shown as "99+" beyond it
_SITES = 100  # offered as filter
_COLUMNS = (
    *("id", "title", "version", "is_checked", "checked_level", "last_edit_date", "last_edit_user_name"),
    *("author", "add_user_name", "image_url", "site_id", "site__site_name", "channel_id", "channel__channel_name"),
)
_DRAFT_COLUMNS = (
    *("site_id", "checked_level", "reasons", "editor", "edited_at", "content__title"),
    *("content__site__site_name", "content__channel__channel_name"),
)
REVIEW = "review"  # name of the page, and value of its `from`
LAYOUT = "layout"  # value of `view`, here and on the page of a draft
_MAX_TOLD = 20
# For cleaned bodies, which use double quotes; bounded because attributes may have any length.
_FRAME = re.compile(r'<iframe\b[^>]{0,2000}?\bsrc="([^"]{0,2000})"')


class Origin(NamedTuple):
    """A queue that starts a review; visible with the permission of its first action."""

    view: str
    icon: str
    in_menu: str | Promise  # shorter than the title
    title: str | Promise
    nothing: str | Promise  # shown if it is empty
    admin_actions: tuple[AdminAction, ...]
    contents_of: Callable[[Any], ContentQuerySet]  # contents queued for the administrator
    drafts_of: Callable[[Any], QuerySet[ContentDraft]]  # of public contents


WAITING = Origin(
    "waiting",
    "waiting",
    _("Waiting for me"),
    _("Waiting for me"),
    _("Nothing is waiting for your approval."),
    (APPROVE, REJECT),
    waiting_for,
    drafts.waiting_for,
)
UNFINISHED = Origin(
    "unfinished",
    "drafts",
    _("My drafts"),
    _("My drafts and rejected content items"),
    _("You have no drafts or rejected content items."),
    (HAND_IN,),
    unfinished_of,
    drafts.unfinished_of,
)


# ---- the lists


def menu_entries(page: Any, request: HttpRequest) -> Iterator[Entry]:
    site = current_site(request, page.seen_places(request.user))
    for origin, number in zip((WAITING, UNFINISHED), drafts.count_for(request.user, site), strict=True):
        if page.allows(request, origin.admin_actions[0].permission):
            # Sliced in index order, so that SQLite stops after the last counted row.
            number += _of_site(origin.contents_of(request.user), site)[: _MAX_COUNTED + 1].count()
            waiting = f"{_MAX_COUNTED}+" if number > _MAX_COUNTED else str(number or "")
            yield Entry(origin.in_menu, address_of(page, origin.view), origin.icon, waiting)


def _of_site(rows: Rows, site: int | None) -> Rows:
    return rows if site is None else rows.filter(site_id=site)


def list_view(page: Any, request: HttpRequest, *, origin: Origin) -> HttpResponse:
    """The requested page of the queue: `site`, `page`. Raises Http404 beyond the last one."""
    places, number = page.seen_places(request.user), read_number(request.GET.get("page")) or 1
    site, current = site_of_list(request, places), current_site(request, places)
    if number > _LAST_PAGE or not page.allows(request, origin.admin_actions[0].permission):
        raise Http404
    contents, drafted = origin.contents_of(request.user), origin.drafts_of(request.user)
    start = (number - 1) * PAGE
    rows = _of_site(contents, site).select_related("site", "channel").only(*_COLUMNS)
    found = list(rows[start : start + PAGE + 1])
    # The sites with queued contents or drafts, and the one of the menu, if there are several.
    queued = [Exists(each.order_by().filter(site_id=OuterRef("pk"))) for each in (contents, drafted)]
    sites = Site.objects.filter(Q(*queued, Q(pk=current), _connector=Q.OR)).order_by("site_name", "pk")
    choices = list(sites.values_list("pk", "site_name")[:_SITES])
    query = request.GET.copy()
    if site is not None:
        query["site"] = str(site)
    context = {
        "title": origin.title,
        "nothing": origin.nothing,
        "origin": origin.view,
        "is_waiting": origin is WAITING,
        "bundles": list(_bundles(found[:PAGE])),
        "drafts": list(_shown_drafts(_of_site(drafted, site))) if number == 1 else [],
        "admin_actions": origin.admin_actions,
        "sites": choices if len(choices) > 1 else [],
        "site": site,
        "earlier": number - 1,
        "later": number + 1 if len(found) > PAGE and number < _LAST_PAGE else 0,
        "list_query": query.urlencode(),
    }
    return render_page(page, request, "contents/waiting.html", context)


def _shown_drafts(rows: QuerySet[ContentDraft]) -> Iterator[dict[str, Any]]:
    for draft in rows.select_related("content__channel", "content__site").only(*_DRAFT_COLUMNS)[:PAGE]:
        yield {"draft": draft, "state": state_of(drafts.as_content(draft)), "content": draft.content}


def _bundles(contents: list[Content]) -> Iterator[dict[str, Any]]:
    reasons, covers = reasons_of(contents), covers_of((each.site_id, each.image_url) for each in contents)
    for _key, members in groupby(contents, key=lambda content: (content.site_id, str(state_of(content)))):
        rows = [
            {
                "content": each,
                "reasons": reasons.get(each.pk, ""),
                "cover": covers.get((each.site_id, each.image_url), ""),
            }
            for each in members
        ]
        first: Any = rows[0]["content"]
        yield {"site": first.site.site_name, "state": state_of(first), "contents": rows}


def reasons_of(contents: list[Content]) -> dict[int, str]:
    """Return the reasons of the last decisions, by content id."""
    if not contents:
        return {}
    decisions = ContentChange.objects.filter(content__in=[content.pk for content in contents]).exclude(reasons="")
    return dict(decisions.order_by("version").values_list("content_id", "reasons"))


# ---- the review


def review_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Show a content for review, with a link to the next one."""
    content, list_query = seen_record(page, request, pk), request.GET.get("list", "")
    origin = UNFINISHED if request.GET.get("from") == UNFINISHED.view else WAITING
    request.menu_entry = address_of(page, origin.view)  # type: ignore[attr-defined]  # for the menu
    admin_actions = [
        action.worded(action, request, [content])
        for action in page.actions_for(request, content)
        if action in origin.admin_actions
    ]
    following = next_of(_waiting(request, list_query), content) if origin is WAITING else None
    body = cleaned(body_of(content))
    context = {
        "title": content.title,
        "content_record": content,
        "state": (state := state_of(content)),
        "state_words": describe_state(state, schedules_of([pk]).get(pk)),
        "reasons": reasons_of([content]).get(content.pk, ""),
        "facts": list(_facts(content, body.text)),
        # Names of the removed markup.
        "not_shown": ", ".join(body.removed[:_MAX_TOLD]),
        "admin_actions": admin_actions,
        "time": time_form(request.user, content) if APPROVE in page.actions_for(request, content) else None,
        "has_reasons": any(action.form for action in admin_actions),
        "seen": f"{content.pk}:{content.version}",
        "origin": origin,
        "sent_origin": REVIEW if origin is WAITING else origin.view,
        "list_query": list_query,
        "list_address": _list_address(page, origin, list_query),
        "next_address": following and review_address(page, following, list_query),
        "following": following,
        "may_change": page.allows(request, "change", content),
        "in_layout": request.GET.get("view") == LAYOUT,
        **(frames := frames_context(request, content.site)),
    }
    return allow_frames(render_page(page, request, "contents/review.html", context), frames)


def _facts(content: Content, body: str) -> Iterator[tuple[str, str]]:
    for name in ("link_url", "group_name_collection", "tags"):
        yield capfirst(str(label_of_field(name))), getattr(content, name)
    fields = offered_fields(content.site_id)
    values = custom_values_of(content.settings_xml, fields)
    for field in fields:
        yield field.label or field.name, values[input_name(field)]
    yield _now("Embedded pages"), ", ".join(unescape(address) for address in _FRAME.findall(body)[:_MAX_TOLD])


def decide(
    page: Any, request: HttpRequest, action: AdminAction, content: Content, reasons: str, perform: Callable[[], str]
) -> str:
    """Act on a reviewed content; return the address of the next queued one, if this one has left the queue."""
    list_query = request.POST.get("list", "")
    waiting = _waiting(request, list_query)
    if not action.suits(content):
        told = _now("Another user has decided on “%(title)s” since you opened it: %(state)s. Nothing was changed.")
        messages.warning(request, told % {"title": content.title, "state": state_of(content)})
        if reasons:
            messages.warning(request, _now("Your reasons were: %(reasons)s") % {"reasons": reasons})
        return review_address(page, content, list_query)
    back = perform()
    if waiting.filter(pk=content.pk).exists():
        return back
    following = next_of(waiting, content)
    return review_address(page, following, list_query) if following else following_address(page, request, list_query)


def following_address(page: Any, request: HttpRequest, list_query: str) -> str:
    """The first waiting draft, else the first waiting content, else the empty queue."""
    site = read_number(QueryDict(list_query).get("site"))
    draft = _of_site(drafts.waiting_for(request.user), site).only("pk").first()
    if draft is not None:
        return with_list(address_of(page, "draft", draft.pk), list_query)
    content = _waiting(request, list_query).first()
    return review_address(page, content, list_query) if content else _list_address(page, WAITING, list_query)


def lead_back(page: Any, request: HttpRequest) -> HttpResponse:
    """Redirect to the queue if the reviewed content was trashed. Raises Http404 for other actions."""
    sent = request.POST
    if sent.get("from") != REVIEW or not page.allows(request, APPROVE.permission):
        raise Http404
    messages.warning(request, _now("The content item no longer exists; nothing was changed."))
    return HttpResponseRedirect(_list_address(page, WAITING, sent.get("list", "")))


def review_address(page: Any, content: Content, list_query: str) -> str:
    return with_list(address_of(page, REVIEW, content.pk), list_query)


def with_list(address: str, list_query: str) -> str:
    return f"{address}?{urlencode({'list': list_query})}" if list_query else address


def _list_address(page: Any, origin: Origin, list_query: str) -> str:
    address = address_of(page, origin.view)
    return f"{address}?{list_query}" if list_query else address


def _waiting(request: HttpRequest, list_query: str) -> ContentQuerySet:
    return _of_site(waiting_for(request.user), read_number(QueryDict(list_query).get("site")))
