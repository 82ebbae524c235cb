"""What waits for the administrator who has signed in: contents to decide on, and their own that are not handed in."""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from cms_api.admin.acts import Act
from cms_api.admin.menu import Entry
from cms_api.admin.numbers import read_number
from cms_api.admin.registered import address_of
from cms_api.admin.views import render_page
from contents.admin.actions.approval import APPROVE, HAND_IN, REJECT
from contents.models import Content, ContentChange, ContentQuerySet
from contents.services import approval
from sites.models import Site

PAGE = 50
_LAST_PAGE = 200
# Shown as "99+": beyond it the number tells nothing.
_MOST_COUNTED = 99
_SITES = 100  # to choose from
_COLUMNS = (
    *("id", "title", "version", "is_checked", "checked_level", "last_edit_date", "last_edit_user_name"),
    *("author", "add_user_name", "site_id", "site__site_name", "channel_id", "channel__channel_name"),
)


class Origin(NamedTuple):
    """A list of contents that wait, from which a review is begun; whoever may do the first of its acts sees it."""

    view: str
    title: str | Promise
    nothing: str | Promise  # what is told if it is empty
    acts: tuple[Act, ...]
    contents_of: Callable[[Any], ContentQuerySet]  # that wait for the administrator


WAITING = Origin("waiting", _("Waiting for me"), _("Nothing waits for you."), (APPROVE, REJECT), approval.waiting_for)
UNFINISHED = Origin(
    "unfinished",
    _("My drafts and rejected contents"),
    _("You have no drafts, and nothing of yours was rejected."),
    (HAND_IN,),
    approval.unfinished_of,
)


class Waiting(NamedTuple):
    """A content in the list, with the words for its state and the reasons of its last decision."""

    content: Content
    state: approval.State
    reasons: str


class Bundle(NamedTuple):
    """Contents of one site that wait at the same level."""

    site: str
    state: approval.State
    contents: list[Waiting]


def menu_entries(page: Any, request: HttpRequest) -> Iterator[Entry]:
    """The lists in the menu, with how much waits for the administrator."""
    for origin in (WAITING, UNFINISHED):
        if page.allows(request, origin.acts[0].permission):
            yield Entry(origin.title, address_of(page, origin.view), count_of(origin, request.user))


def count_of(origin: Origin, user: Any) -> str:
    """How many contents wait for the administrator: `12`, or `99+`; nothing where none does."""
    # In their order: SQLite takes the index that has it, and reads no further than to the last that is counted.
    number = origin.contents_of(user)[: _MOST_COUNTED + 1].count()
    return f"{_MOST_COUNTED}+" if number > _MOST_COUNTED else str(number or "")


def waiting_view(page: Any, request: HttpRequest) -> HttpResponse:
    """The contents on which the administrator may decide now."""
    return _list(page, request, WAITING)


def unfinished_view(page: Any, request: HttpRequest) -> HttpResponse:
    """The drafts of the administrator, and what was rejected of theirs."""
    return _list(page, request, UNFINISHED)


def _list(page: Any, request: HttpRequest, origin: Origin) -> HttpResponse:
    """The page that the address asks for: `site`, `page`. Raises Http404 beyond the last one."""
    site, number = read_number(request.GET.get("site")), read_number(request.GET.get("page")) or 1
    if number > _LAST_PAGE or not page.allows(request, origin.acts[0].permission):
        raise Http404
    contents = origin.contents_of(request.user)
    chosen = contents if site is None else contents.filter(site=site)
    start = (number - 1) * PAGE
    found = list(chosen.select_related("site", "channel").only(*_COLUMNS)[start : start + PAGE + 1])
    # To choose from: the sites in which something waits, unless it is but one.
    sites = Site.objects.filter(Exists(contents.order_by().filter(site=OuterRef("pk")))).order_by("site_name", "pk")
    choices = list(sites.values_list("pk", "site_name")[:_SITES])
    context = {
        "title": origin.title,
        "nothing": origin.nothing,
        "origin": origin.view,
        "bundles": list(_bundles(found[:PAGE])),
        "acts": origin.acts,
        "sites": choices if len(choices) > 1 else [],
        "site": site,
        "earlier": number - 1,
        "later": number + 1 if len(found) > PAGE and number < _LAST_PAGE else 0,
        "list_query": request.GET.urlencode(),
    }
    return render_page(page, request, "contents/waiting.html", context)


def _bundles(contents: list[Content]) -> Iterator[Bundle]:
    reasons = reasons_of(contents)
    for _key, members in groupby(contents, key=lambda content: (content.site_id, str(approval.state_of(content)))):
        rows = [Waiting(each, approval.state_of(each), reasons.get(each.pk, "")) for each in members]
        yield Bundle(rows[0].content.site.site_name, rows[0].state, rows)


def reasons_of(contents: list[Content]) -> dict[int, str]:
    """Why each of them was last rejected or passed on; those without reasons are left out."""
    decisions = ContentChange.objects.filter(content__in=[content.pk for content in contents]).exclude(reasons="")
    return dict(decisions.order_by("version").values_list("content_id", "reasons"))
