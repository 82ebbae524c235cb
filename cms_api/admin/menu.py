"""The menu: what the administrator may see, in the order that users of the original know."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

from django.contrib.admin import AdminSite, ModelAdmin
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from cms_api.admin.registered import address_of, page_of

_SITES_SHOWN = 12
_Text = str | Promise


class Entry(NamedTuple):
    """A view of a page that stands in the menu by itself, with how much waits there: `12`, `99+`."""

    title: _Text
    url: str
    waiting: str = ""


@dataclass(frozen=True)
class Link:
    """An entry that leads to a page."""

    title: _Text
    url: str
    is_current: bool
    waiting: str = ""


@runtime_checkable
class HasEntries(Protocol):
    """A page of records with views that stand in the menu by themselves."""

    def menu_entries(self, request: HttpRequest) -> Iterable[Entry]:
        """The views that the administrator may open."""


@dataclass(frozen=True)
class MenuGroup:
    """Entries under a heading that opens and closes; browsers remember which are open by `name`."""

    name: str
    title: _Text
    entries: "list[Link | MenuGroup]"
    is_open: bool = True

    @property
    def has_current(self) -> bool:
        """Whether the page that is shown stands in it."""
        return any(entry.is_current if isinstance(entry, Link) else entry.has_current for entry in self.entries)


@dataclass(frozen=True)
class Plan:
    """What a group holds if the administrator may see it: pages by the names of their models, and groups."""

    name: str
    title: _Text
    entries: "tuple[tuple[str, _Text] | Plan, ...]"


PLANS = (
    Plan(
        "tools",
        _("Content tools"),
        (
            ("contents.ContentChange", _("Changes")),
            ("contents.ContentGroup", _("Content groups")),
            ("contents.ContentTag", _("Tags")),
        ),
    ),
    Plan(
        "trash",
        _("Trash"),
        (("contents.TrashedContent", _("Deleted contents")), ("channels_app.TrashedChannel", _("Deleted channels"))),
    ),
    Plan("users", _("Users"), (("accounts.User", _("Users")), ("accounts.UserLog", _("User log")))),
    Plan(
        "system",
        _("System management"),
        (
            Plan(
                "administrators",
                _("Administrators"),
                (("accounts.Administrator", _("Administrators")), ("auth.Group", _("Groups"))),
            ),
            Plan(
                "utilities",
                _("Utilities"),
                (("apikeys.ApiKey", _("API keys")), ("jobs.Job", _("Jobs")), ("operation.Node", _("Restart"))),
            ),
            ("audit.AuditEntry", _("Audit")),
        ),
    ),
)


def menu_of(site: AdminSite, request: HttpRequest) -> list[MenuGroup]:
    """The groups of the menu; those without an entry are left out. A few statements, whatever there is."""
    groups = [MenuGroup("contents", _("Contents"), list(_sites(site, request)))]
    groups += [_group(site, request, plan) for plan in PLANS]
    return [group for group in groups if group.entries]


def _group(site: AdminSite, request: HttpRequest, plan: Plan) -> MenuGroup:
    entries: list[Link | MenuGroup] = []
    for entry in plan.entries:
        if isinstance(entry, Plan):
            group = _group(site, request, entry)
            entries += [group] if group.entries else []
        elif page := page_of(site, request, entry[0]):
            entries.append(_link(request, entry[1], address_of(page)))
    return MenuGroup(plan.name, plan.title, entries)


def _sites(site: AdminSite, request: HttpRequest) -> Iterator[Link | MenuGroup]:
    pages = {name: page_of(site, request, name) for name in ("contents.Content", "channels_app.Channel")}
    own = [link for page in pages.values() if page for link in _own_entries(request, page)]
    # Their addresses are below those of the entries that follow.
    is_above = any(link.is_current for link in own)
    yield from own
    if sites := page_of(site, request, "cms_sites.Site"):
        found = list(sites.get_queryset(request).order_by("site_name", "pk").values_list("pk", "site_name")[:13])
        shown = found[:_SITES_SHOWN]
        groups = [_site(request, pk, name, pages, sites) for pk, name in shown]
        # The site in whose pages the administrator is, or the only one; the others wait to be opened.
        open_one = next((group for group in groups if group.has_current), groups[0] if groups else None)
        for group in groups:
            yield replace(group, entries=_marked(group.entries, not is_above), is_open=group is open_one)
        # Also with one site for whoever may add sites: that page has the way to a new one.
        if len(found) > 1 or sites.has_add_permission(request):
            yield _link(request, _("All sites"), address_of(sites), exactly=True)
        return
    # Who may not look at sites may still look at what is in them.
    titles = (_("All contents"), _("All channels"))
    found = [
        _link(request, title, address_of(page)) for title, page in zip(titles, pages.values(), strict=True) if page
    ]
    yield from _marked(found, not is_above)


def _marked(links: Iterable[Any], may_be_current: bool) -> list[Any]:
    return [replace(link, is_current=link.is_current and may_be_current) for link in links]


def _own_entries(request: HttpRequest, page: "ModelAdmin[Any]") -> Iterator[Link]:
    entries: Iterable[Entry] = page.menu_entries(request) if isinstance(page, HasEntries) else ()
    # A page that one comes to from an entry may say so.
    here = getattr(request, "menu_entry", request.path)
    yield from (Link(title, url, here == url, waiting) for title, url, waiting in entries)


def _site(
    request: HttpRequest,
    pk: int,
    name: str,
    pages: "dict[str, ModelAdmin[Any] | None]",
    sites: "ModelAdmin[Any]",
) -> MenuGroup:
    contents, channels = pages.values()
    by_site = f"?site__id__exact={pk}"
    links: list[tuple[_Text, str]] = []
    links += [(_("Contents"), address_of(contents) + by_site)] if contents else []
    links += [(_("Channels"), address_of(channels, "tree", pk))] if channels else []
    links += [(_("Site settings"), address_of(sites, "change", pk))]
    found = [_link(request, title, url) for title, url in links]
    if getattr(request, "menu_site", None) == pk and not any(link.is_current for link in found):
        # A record of the site is open, and its page has said of which one it is: the entry of its kind is marked.
        roots = [address_of(page) for page in (contents, channels, sites) if page]
        here = next((number for number, root in enumerate(roots) if request.path.startswith(root)), None)
        found = [replace(link, is_current=number == here) for number, link in enumerate(found)]
    return MenuGroup(f"site-{pk}", name, [*found])


def _link(request: HttpRequest, title: _Text, url: str, *, exactly: bool = False) -> Link:
    path, _mark, query = url.partition("?")
    if query:
        name, _equals, value = query.partition("=")
        return Link(title, url, request.path == path and request.GET.get(name) == value)
    return Link(title, url, request.path == path if exactly else request.path.startswith(path))
