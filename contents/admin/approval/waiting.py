"""What waits for the administrator who has signed in: contents to decide on, and their own that are not handed in."""

from itertools import groupby
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from cms_api.admin.acts import Act
from cms_api.admin.numbers import read_number
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


def count_waiting(user: Any) -> str:
    """How many contents wait for the administrator: `12`, or `99+`; nothing where none does."""
    return _bounded(approval.waiting_for(user))


def count_unfinished(user: Any) -> str:
    """How many of their own contents are drafts or rejected, likewise."""
    return _bounded(approval.unfinished_of(user))


def _bounded(contents: ContentQuerySet) -> str:
    # In their order: SQLite takes the index that has it, and reads no further than to the last that is counted.
    number = contents[: _MOST_COUNTED + 1].count()
    return f"{_MOST_COUNTED}+" if number > _MOST_COUNTED else str(number or "")


class WaitingPage:
    """A page of contents that wait; `acts` are done to those that are ticked."""

    def __init__(
        self, title: str | Promise, nothing: str | Promise, contents: ContentQuerySet, acts: list[Act]
    ) -> None:
        self.title, self.nothing, self.contents, self.acts = title, nothing, contents, acts

    def answer(self, request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
        """The page that the address asks for: `site`, `page`. Raises Http404 beyond the last one."""
        site, number = read_number(request.GET.get("site")), read_number(request.GET.get("page")) or 1
        if number > _LAST_PAGE:
            raise Http404
        chosen = self.contents if site is None else self.contents.filter(site=site)
        rows = chosen.select_related("site", "channel").only(*_COLUMNS)
        start = (number - 1) * PAGE
        found = list(rows[start : start + PAGE + 1])
        context |= {
            "title": self.title,
            "nothing": self.nothing,
            "bundles": _bundle(found[:PAGE]),
            "acts": self.acts,
            "sites": self._sites(),
            "site": site,
            "earlier": number - 1,
            "later": number + 1 if len(found) > PAGE and number < _LAST_PAGE else 0,
            "list_query": request.GET.urlencode(),
        }
        return TemplateResponse(request, "contents/waiting.html", context)

    def _sites(self) -> list[tuple[int, str]]:
        """The sites in which something waits; nothing where it is but one."""
        own = self.contents.order_by().filter(site=OuterRef("pk"))
        rows = Site.objects.filter(Exists(own)).order_by("site_name", "pk").values_list("pk", "site_name")
        found = list(rows[:_SITES])
        return found if len(found) > 1 else []


def _bundle(contents: list[Content]) -> list[Bundle]:
    reasons = reasons_of(contents)
    bundles = groupby(contents, key=lambda content: (content.site_id, str(approval.state_of(content))))
    return [_make_bundle(list(members), reasons) for _key, members in bundles]


def _make_bundle(contents: list[Content], reasons: dict[int, str]) -> Bundle:
    rows = [Waiting(each, approval.state_of(each), reasons.get(each.pk, "")) for each in contents]
    return Bundle(contents[0].site.site_name, rows[0].state, rows)


def reasons_of(contents: list[Content]) -> dict[int, str]:
    """Why each of them was last rejected or passed on; those without reasons are left out."""
    decisions = ContentChange.objects.filter(content__in=[content.pk for content in contents]).exclude(reasons="")
    return dict(decisions.order_by("version").values_list("content_id", "reasons"))


WAITING_TITLE = _("Waiting for me")
UNFINISHED_TITLE = _("My drafts and rejected contents")
