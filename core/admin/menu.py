"""The menu: what waits for the administrator, the pages of one site, and the administration, for every rank alike."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.admin.views import address_of, page_of
from core.lib.registrations import MENU

_Text = str | Promise
SITE_COOKIE = "cms_site"  # the site whose entries were shown last
WIDTH_COOKIE, NARROW = "cms_menu", "narrow"  # set by editor/src/frame/menu.js


class Entry(NamedTuple):
    """A menu item for a view, with the number waiting there: `12`, `99+`."""

    title: _Text
    url: str
    icon: str = ""
    waiting: str = ""


@dataclass(frozen=True)
class Link:
    title: _Text
    url: str
    icon: str = ""  # names a drawing of templates/cms_admin/icons.html
    waiting: str = ""
    is_current: bool = False


class SiteMenu(NamedTuple):
    """The entries of one site, and the way to others."""

    pk: int
    name: str
    links: list[Link]
    others: list[Link]  # empty if there is only one site
    more: str  # address of the search among all sites, empty if they are few
    kind: str  # of the current page, for that search

    @property
    def mark(self) -> str:
        return self.name.strip()[:1].upper()


class Section(NamedTuple):
    title: _Text
    links: list[Link]


class Menu(NamedTuple):
    work: list[Link]
    site: SiteMenu | None
    administration: list[Section]
    is_narrow: bool

    @property
    def is_in_administration(self) -> bool:
        return any(link.is_current for section in self.administration for link in section.links)

    @property
    def is_administration_open(self) -> bool:
        return not self.is_narrow and (self.is_in_administration or self.site is None)


Place = Literal["work", "system"]
Make = Callable[[AdminSite, HttpRequest], Iterable[Entry]]
_more: list[tuple[Place, Make]] = []

# Of the administration: name and title. Apps register the entries as MENU.
_SECTIONS: tuple[tuple[str, _Text], ...] = (
    ("accounts", _("Accounts")),
    ("programs", _("Programs")),
    ("system", _("System")),
)


def add_entries(place: Place, make: Make) -> None:
    _more.append((place, make))


def _no_site(_site: AdminSite, _request: HttpRequest, _may_be_current: bool) -> SiteMenu | None:
    return None


# Returns the part of the site; set by the app of the sites.
site_menu: Callable[[AdminSite, HttpRequest, bool], SiteMenu | None] = _no_site


def menu_of(site: AdminSite, request: HttpRequest) -> Menu:
    """Return the menu; needs a constant number of queries."""
    here = page_in_menu(request)
    start = Entry(_("Start"), reverse("admin:index"), "start")
    work = [_link(entry, entry.url == here) for entry in (start, *_added("work", site, request))]
    is_found = any(link.is_current for link in work)
    of_site = site_menu(site, request, not is_found)
    if of_site is not None:
        request.menu_shown = of_site.pk  # type: ignore[attr-defined]
        is_found |= any(link.is_current for link in of_site.links)
    sections = [
        Section(title, [_link(entry, not is_found and here.startswith(entry.url)) for entry in entries])
        for title, entries in ((title, list(_entries(name, site, request))) for name, title in _SECTIONS)
        if entries
    ]
    return Menu(work, of_site, sections, request.COOKIES.get(WIDTH_COOKIE) == NARROW)


def page_in_menu(request: HttpRequest) -> str:
    """Return the address by which entries are compared; a page may name the entry to which it belongs."""
    return str(getattr(request, "menu_entry", request.path))


def remember_site(request: HttpRequest, response: HttpResponseBase) -> None:
    """Store the site of the menu that the page shows in the browser: a session would cost a statement."""
    shown = getattr(request, "menu_shown", None)
    if shown is not None and request.COOKIES.get(SITE_COOKIE) != str(shown):
        response.set_cookie(SITE_COOKIE, str(shown), max_age=365 * 86400, samesite="Lax", httponly=True)


def _entries(name: str, site: AdminSite, request: HttpRequest) -> Iterator[Entry]:
    if name == "system":
        yield from _added("system", site, request)
    items = sorted(((item.place, label, item.title) for label, item in MENU.entries.items() if item.group == name))
    for _place, label, title in items:
        if page := page_of(site, request, label):
            yield Entry(title, address_of(page))


def _added(place: Place, site: AdminSite, request: HttpRequest) -> Iterator[Entry]:
    for where, make in _more:
        if where == place:
            yield from make(site, request)


def _link(entry: Entry, is_current: bool) -> Link:
    return replace(Link(*entry), is_current=is_current)
