"""The part of the menu that belongs to one site: its pages, and the way to other sites."""

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.contrib import admin
from django.contrib.admin import AdminSite
from django.db.models import Case, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.admin import menu
from core.admin.menu import SITE_COOKIE, Entry, Link, SiteMenu, page_in_menu
from core.admin.numbers import read_number
from core.admin.places import NOWHERE, Places, places_of
from core.admin.views import address_of, page_of
from core.lib.registrations import MENU, MenuItem
from sites.admin.choosing import seen_sites
from sites.admin.site_filter import SiteFilter
from sites.models import Site

_SHOWN = 12  # in the menu
_UNSEARCHED = 7
_FOUND = 100  # by a search


class _Page(NamedTuple):
    """A page of records of a site, with the places where the administrator sees them."""

    label: str
    title: str | Promise
    icon: str
    list_address: str  # empty: the view is all
    view: str
    places: Places

    def address(self, site_id: int) -> str:
        if self.view:
            return reverse(f"admin:{self.view}", args=[site_id])
        return f"{self.list_address}?{SiteFilter.parameter_name}={site_id}"

    def holds(self, here: str, site_id: int, named: int | None, is_only: bool) -> bool:
        """Return true if the page at `here`, which names a site or none, is one of the records of the site."""
        if not self.list_address:
            return here == self.address(site_id)
        if not here.startswith(self.list_address):
            return False
        return named == site_id if named is not None or self.view else is_only or here != self.list_address


def site_menu(site: AdminSite, request: HttpRequest, may_be_current: bool) -> SiteMenu | None:
    pages = _pages(site, request)
    sites = _sites_of_menu(request, pages)
    if not sites:
        return None
    named = _named_site(request)
    (pk, name), is_only, here = sites[0], len(sites) == 1, page_in_menu(request)
    held = [each for each in pages if may_be_current and each.holds(here, pk, named, is_only)]
    current = min(held, key=lambda each: bool(each.list_address), default=None)
    others = sorted(sites[:_SHOWN], key=lambda row: (row[1], row[0]))
    takes_site = hasattr(request, "takes_site")
    return SiteMenu(
        pk,
        name,
        list(_links(pages, pk, current)),
        []
        if is_only
        else [
            Link(title, f"{here}?site={each}" if takes_site else _address(pages, each, current), is_current=each == pk)
            for each, title in others
        ],
        reverse("admin:switch_site") if len(sites) > _UNSEARCHED else "",
        current.label if current else "",
    )


def site_of_list(request: HttpRequest, places: Places) -> int | None:
    """Return the site whose records a page of several sites shows; None for all sites.

    The page's address may name it as `site`, which is empty for all. By default, it is the site of the menu if `places`
    touch it, and None for an administrator of a single site. Other sites in the menu then open the same page.
    """
    request.takes_site = True  # type: ignore[attr-defined]
    if "site" in request.GET:
        return read_number(request.GET["site"])
    return current_site(request, places)


def current_site(request: HttpRequest, places: Places) -> int | None:
    """Return the site of the menu if there are others and `places` touch it."""
    sites = _sites_of_menu(request, _pages(admin.site, request))
    return sites[0][0] if len(sites) > 1 and places.touches_site(sites[0][0]) else None


def first_site(request: HttpRequest) -> tuple[int | None, str]:
    """Return the number and name of the site whose entries the menu shows; None without any."""
    sites = _sites_of_menu(request, _pages(admin.site, request))
    return sites[0] if sites else (None, "")


def name_among_sites(request: HttpRequest, name: str) -> str:
    """Return the name of a site; empty if the administrator sees no other."""
    return name if len(_sites_of_menu(request, _pages(admin.site, request))) > 1 else ""


def _sites_of_menu(request: HttpRequest, pages: Sequence[_Page]) -> list[tuple[int, str]]:
    """Return the number and name of some sites, the current one first; read once for the page and its menu."""
    if not hasattr(request, "sites_of_menu"):
        named, last = _named_site(request), read_number(request.COOKIES.get(SITE_COOKIE))
        first = Case(When(pk=named, then=Value(0)), When(pk=last, then=Value(1)), default=Value(2))
        rows = _sites(request, pages).order_by(first, "site_name", "pk").values_list("pk", "site_name")
        request.sites_of_menu = list(rows[: _SHOWN + 1])  # type: ignore[attr-defined]
    return request.sites_of_menu  # type: ignore[attr-defined,no-any-return]


def switch_view(request: HttpRequest) -> HttpResponse:
    """Find a site by part of its name, `q`, and go to its page of the kind `kind`."""
    pages, words = _pages(admin.site, request), request.GET.get("q", "").strip()
    kind = next((each for each in pages if each.label == request.GET.get("kind")), None)
    rows = _sites(request, pages).filter(site_name__icontains=words).values_list("pk", "site_name")[: _FOUND + 1]
    links = [Link(name, _address(pages, pk, kind)) for pk, name in rows]
    if words and len(links) == 1:
        return HttpResponseRedirect(links[0].url)
    context = {
        **admin.site.each_context(request),
        "title": _("All sites"),
        "words": words,
        "kind": kind.label if kind else "",
        "links": links[:_FOUND],
        "are_more": len(links) > _FOUND,
    }
    return TemplateResponse(request, "sites/switch.html", context)


def _pages(site: AdminSite, request: HttpRequest) -> list[_Page]:
    items = [(item.place, label, item) for label, item in MENU.entries.items() if item.group == "site"]
    shown: list[tuple[str, MenuItem, Any]] = [
        (label, item, page_of(site, request, item.changers_of or label)) for _place, label, item in sorted(items)
    ]
    return [
        _Page(
            label,
            item.title,
            item.icon,
            "" if item.changers_of else address_of(page),
            item.view,
            page.places(request.user, "change") if item.changers_of else page.seen_places(request.user),
        )
        for label, item, page in shown
        if page
    ]


def _sites(request: HttpRequest, pages: Sequence[_Page]) -> QuerySet[Site]:
    return seen_sites(request, reduce(or_, (each.places for each in pages), NOWHERE))


def _named_site(request: HttpRequest) -> int | None:
    """Return the site of the page: its view may have named it; else a filter or a choice in its address does."""
    if (named := getattr(request, "menu_site", None)) is not None:
        return int(named)
    given = (read_number(request.GET.get(name)) for name in (SiteFilter.parameter_name, "site"))
    return next((number for number in given if number is not None), None)


def _links(pages: Sequence[_Page], pk: int, current: _Page | None) -> Iterator[Link]:
    shared: dict[str | Promise, list[_Page]] = {}
    for each in pages:
        if each.places.touches_site(pk):
            shared.setdefault(each.title, []).append(each)
    for title, members in shared.items():
        yield Link(title, members[0].address(pk), members[0].icon, is_current=current in members)


def _address(pages: Sequence[_Page], pk: int, kind: _Page | None) -> str:
    """Return the page of this kind for the site, or the first page that the administrator sees there."""
    seen = [each for each in pages if each.places.touches_site(pk)]
    return (kind if kind in seen else seen[0]).address(pk)


def _list_of_sites(site: AdminSite, request: HttpRequest) -> Iterator[Entry]:
    page = page_of(site, request, Site)
    places = places_of(request.user)
    # Even for a single site if the user may add sites, since that page links to the form.
    if page and (places.everywhere or len(places.site_ids) > 1 or page.has_add_permission(request)):
        yield Entry(_("Sites"), address_of(page))


menu.site_menu = site_menu
menu.add_entries("system", _list_of_sites)
