"""Views of a list that people save under a name, and the columns that they hide."""

from typing import Any

from django.contrib import messages
from django.contrib.admin.options import IS_POPUP_VAR, TO_FIELD_VAR
from django.contrib.admin.utils import label_for_field
from django.contrib.admin.views.main import ALL_VAR, ERROR_FLAG, PAGE_VAR, ChangeList
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import URLPattern
from django.utils.translation import gettext as _

from core.admin.numbers import read_number
from core.admin.ranks import Rank, rank_of
from core.admin.views import address_of, route
from core.models import SavedView

MAX_VIEWS = 20  # of a person in one list, and shared ones beside them
_PASSING = (ALL_VAR, ERROR_FLAG, PAGE_VAR, IS_POPUP_VAR, TO_FIELD_VAR)
_OF_ROWS = "action_checkbox"
_SITE = "site__id__exact"  # what the menu adds to the addresses of lists
_COOKIE = "cms_hidden_columns"
_YEAR = 365 * 86400


def routes(page: Any) -> list[URLPattern]:
    return [route(page, "views/", "views", views_view), route(page, "columns/", "columns", columns_view)]


def context(page: Any, request: HttpRequest, shown: ChangeList) -> dict[str, Any]:
    """Return the context of the tabs and of the button *View*; one statement."""
    query = _kept(request.GET)
    site = query.get(_SITE, "")
    views: list[Any] = list(_seen_views(page, request))
    for view in views:
        view.is_current = sorted(QueryDict(view.query).lists()) == sorted(query.lists())
        view.may_delete = _may_delete(request, view)
    columns = list(shown.list_display)
    optional = [name for name in columns if name != _OF_ROWS][1:]  # all but the title
    hidden = set(request.COOKIES.get(_COOKIE, "").split(".")).intersection(optional)
    hiding = [f"hides-{columns.index(name) + 1}" for name in optional if name in hidden]
    return {
        "views": views,
        "current_view": next((view for view in views if view.is_current), None),
        "all_records": f"?{_SITE}={site}" if site.isdecimal() else "?",
        "shows_all": not set(query) - {_SITE},
        "query": query.urlencode(),
        "may_share_views": _may_share(request),
        "columns": [(name, label_for_field(name, page.model, page), name not in hidden) for name in optional],
        "column_classes": " ".join(["own-columns", *hiding]) if _COOKIE in request.COOKIES else "",
    }


def columns_view(page: Any, request: HttpRequest) -> HttpResponse:
    if request.method != "POST":  # reloaded, or opened by its address
        return HttpResponseRedirect(address_of(page))
    chosen = request.POST.getlist("columns")
    names = [name for name in page.get_list_display(request)[1:] if name not in chosen]
    answer = HttpResponseRedirect(f"{address_of(page)}?{QueryDict(request.POST.get('query', '')).urlencode()}")
    answer.set_cookie(_COOKIE, ".".join(names), max_age=_YEAR, path=address_of(page), samesite="Lax", httponly=True)
    return answer


def views_view(page: Any, request: HttpRequest) -> HttpResponse:
    """Save what the list shows as a view of the person, or of everyone; or delete a view."""
    if request.method != "POST":
        return HttpResponseRedirect(address_of(page))
    query = _kept(QueryDict(request.POST.get("query", ""))).urlencode()
    if "delete" in request.POST:
        _delete(page, request)
        return HttpResponseRedirect(address_of(page))
    name = request.POST.get("name", "").strip()
    own = SavedView.objects.filter(administrator=request.user.pk, page=page.opts.label_lower)
    if not name or len(name) > 60 or len(query) > 2000:
        messages.error(request, _("The view was not saved: its name or its search is empty or too long."))
    elif own.exclude(name=name).count() >= MAX_VIEWS:
        messages.error(request, _("Delete a view of this list first: you have %(count)d.") % {"count": MAX_VIEWS})
    else:
        shared = bool(request.POST.get("shared")) and _may_share(request)
        own.update_or_create(
            {"query": query, "is_shared": shared},
            administrator_id=int(request.user.pk or 0),
            page=page.opts.label_lower,
            name=name,
        )
        messages.success(request, _("The view “%(name)s” was saved.") % {"name": name})
    return HttpResponseRedirect(f"{address_of(page)}?{query}")


def _delete(page: Any, request: HttpRequest) -> None:
    number = read_number(request.POST["delete"])
    view = next((view for view in _seen_views(page, request) if view.pk == number), None)
    if view is None or not _may_delete(request, view):
        raise Http404
    view.delete()
    messages.success(request, _("The view “%(name)s” was deleted.") % {"name": view.name})


def _seen_views(page: Any, request: HttpRequest) -> QuerySet[SavedView]:
    seen = Q(administrator=request.user.pk) | Q(is_shared=True)
    return SavedView.objects.filter(seen, page=page.opts.label_lower).order_by("name", "pk")[: 2 * MAX_VIEWS]


def _may_share(request: HttpRequest) -> bool:
    return rank_of(request.user) is Rank.HIGHEST


def _may_delete(request: HttpRequest, view: SavedView) -> bool:
    return view.administrator_id == request.user.pk or _may_share(request)


def _kept(given: QueryDict) -> QueryDict:
    kept = given.copy()
    for name in _PASSING:
        kept.pop(name, None)
    return kept
