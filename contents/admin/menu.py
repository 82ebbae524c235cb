"""The group of the menu with the sites, and in each its contents, channels and settings."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from django.contrib.admin import AdminSite, ModelAdmin
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from cms_api.admin.menu import Link, MenuGroup, add_group, link_of
from cms_api.admin.registered import address_of, page_of

_SITES_SHOWN = 12
_Text = str | Promise


def sites_group(site: AdminSite, request: HttpRequest) -> MenuGroup:
    """What waits, and the sites."""
    return MenuGroup("contents", _("Contents"), list(_sites(site, request)))


def _sites(site: AdminSite, request: HttpRequest) -> Iterator[Link | MenuGroup]:
    pages = {name: page_of(site, request, name) for name in ("contents.Content", "channels_app.Channel")}
    contents: Any = pages["contents.Content"]
    # A page that one comes to from an entry may say so.
    here = getattr(request, "menu_entry", request.path)
    entries = contents.menu_entries(request) if contents else ()
    own = [Link(title, url, here == url, waiting) for title, url, waiting in entries]
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
            yield link_of(request, _("All sites"), address_of(sites), exactly=True)
        return
    # Who may not look at sites may still look at what is in them.
    titles = (_("All contents"), _("All channels"))
    found = [
        link_of(request, title, address_of(page)) for title, page in zip(titles, pages.values(), strict=True) if page
    ]
    yield from _marked(found, not is_above)


def _marked(links: Iterable[Any], may_be_current: bool) -> list[Any]:
    return [replace(link, is_current=link.is_current and may_be_current) for link in links]


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
    found = [link_of(request, title, url) for title, url in links]
    if getattr(request, "menu_site", None) == pk and not any(link.is_current for link in found):
        # A record of the site is open, and its page has said of which one it is: the entry of its kind is marked.
        roots = [address_of(page) for page in (contents, channels, sites) if page]
        here = next((number for number, root in enumerate(roots) if request.path.startswith(root)), None)
        found = [replace(link, is_current=number == here) for number, link in enumerate(found)]
    return MenuGroup(f"site-{pk}", name, [*found])


add_group(sites_group)
