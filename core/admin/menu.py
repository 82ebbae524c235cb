from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.admin.views import address_of, page_of
from core.lib.registrations import MENU

_Text = str | Promise


class Entry(NamedTuple):
    """A menu item for a view, with the number waiting there: `12`, `99+`."""

    title: _Text
    url: str
    waiting: str = ""


@dataclass(frozen=True)
class Link:
    title: _Text
    url: str
    is_current: bool
    waiting: str = ""


@dataclass(frozen=True)
class MenuGroup:
    """Entries under a collapsible heading; browsers remember open groups by `name`."""

    name: str
    title: _Text
    entries: "list[Link | MenuGroup]"
    is_open: bool = True

    @property
    def has_current(self) -> bool:
        return any(entry.is_current if isinstance(entry, Link) else entry.has_current for entry in self.entries)


Make = Callable[[AdminSite, HttpRequest], MenuGroup]
_leading: list[Make] = []

# Below them: name, title, and inner groups. Apps register the entries as MENU.
_GROUPS: tuple[tuple[str, _Text, tuple[tuple[str, _Text], ...]], ...] = (
    ("tools", _("Content tools"), ()),
    ("trash", _("Trash"), ()),
    ("users", _("Users"), ()),
    ("system", _("System management"), (("administrators", _("Administrators")), ("utilities", _("Utilities")))),
)


def add_group(make: Make) -> None:
    _leading.append(make)


def menu_of(site: AdminSite, request: HttpRequest) -> list[MenuGroup]:
    """Return the non-empty groups of the menu; needs a constant number of queries."""
    groups = [make(site, request) for make in _leading]
    for name, title, inner in _GROUPS:
        within = [MenuGroup(key, words, _pages(site, request, key)) for key, words in inner]
        shown: list[Link | MenuGroup] = [group for group in within if group.entries]
        groups.append(MenuGroup(name, title, [*shown, *_pages(site, request, name)]))
    return [group for group in groups if group.entries]


def _pages(site: AdminSite, request: HttpRequest, group: str) -> "list[Link | MenuGroup]":
    entries = sorted((item.place, label, item.title) for label, item in MENU.entries.items() if item.group == group)
    pages = ((title, page_of(site, request, label)) for _place, label, title in entries)
    return [link_of(request, title, address_of(page)) for title, page in pages if page]


def link_of(request: HttpRequest, title: _Text, url: str, *, exactly: bool = False) -> Link:
    path, _mark, query = url.partition("?")
    if query:
        name, _equals, value = query.partition("=")
        return Link(title, url, request.path == path and request.GET.get(name) == value)
    return Link(title, url, request.path == path if exactly else request.path.startswith(path))
