"""The menu group of the sites with their contents, channels and settings."""

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from contents.admin.approval import menu_entries
from contents.models import Content
from core.admin.menu import Link, MenuGroup, add_group, link_of
from core.admin.places import NOWHERE, Places
from core.admin.views import address_of, page_of
from sites.admin.choosing import seen_sites
from sites.models import Site

_SITES_SHOWN = 12


def sites_group(site: AdminSite, request: HttpRequest) -> MenuGroup:
    shown: list[Any] = [page_of(site, request, model) for model in (Content, Channel, "pages.Template", Site)]
    contents, channels, templates, sites = shown
    seen = [page.seen_places(request.user) if page else NOWHERE for page in shown]
    places = reduce(or_, seen)
    here = getattr(request, "menu_entry", request.path)  # a page may name the entry it belongs to
    waiting = menu_entries(contents, request) if contents else ()
    links = [Link(title, url, here == url, number) for title, url, number in waiting]
    if contents:
        calendar = address_of(contents, "calendar")
        links.append(Link(_("Calendar of publications"), calendar, here == calendar))
    # Later entries have addresses that start alike.
    is_above = any(link.is_current for link in links)
    entries: list[Link | MenuGroup] = [*links]
    rows = seen_sites(request, places).values_list("pk", "site_name")
    found = list(rows[: _SITES_SHOWN + 1])
    groups = [_site(request, pk, name, *_seen_there(shown, seen, pk)) for pk, name in found[:_SITES_SHOWN]]
    # Open the current site, or the first one.
    open_one = next((group for group in groups if group.has_current), groups[0] if groups else None)
    for group in groups:
        marked = _marked(group.entries, not is_above)
        entries.append(replace(group, entries=marked, is_open=group is open_one))
    # Even for a single site if the user may add sites, since that page links to the form.
    if sites is not None and (len(found) > 1 or sites.has_add_permission(request)):
        entries.append(link_of(request, _("All sites"), address_of(sites), exactly=True))
    elif sites is None and len(found) > _SITES_SHOWN:  # these lists have a filter by site
        pages = ((_("All content"), contents), (_("All channels"), channels), (_("All templates"), templates))
        lists = [link_of(request, title, address_of(page)) for title, page in pages if page]
        entries += _marked(lists, not is_above and open_one is not None and not open_one.has_current)
    return MenuGroup("contents", _("Contents"), entries)


def _seen_there(pages: Iterable[Any], seen: Iterable[Places], site_id: int) -> list[Any]:
    return [page if places.touches_site(site_id) else None for page, places in zip(pages, seen, strict=True)]


def _marked(links: Iterable[Any], may_be_current: bool) -> list[Any]:
    return [replace(link, is_current=link.is_current and may_be_current) for link in links]


def _site(
    request: HttpRequest, pk: int, name: str, contents: Any, channels: Any, templates: Any, sites: Any
) -> MenuGroup:
    pages = (
        (contents, _("Contents"), contents and f"{address_of(contents)}?site__id__exact={pk}"),
        (channels, _("Channels"), channels and address_of(channels, "tree", pk)),
        (templates, _("Templates"), templates and f"{address_of(templates)}?site__id__exact={pk}"),
        (sites, _("Site settings"), sites and address_of(sites, "change", pk)),
    )
    shown = [(page, link_of(request, title, url)) for page, title, url in pages if page]
    links = [link for _page, link in shown]
    if getattr(request, "menu_site", None) == pk and not any(link.is_current for link in links):
        # The open record's page has named its site: mark the entry of its kind.
        here = getattr(request, "menu_entry", request.path)
        is_here = [here.startswith(address_of(page)) for page, _link in shown]
        links = [replace(link, is_current=here) for link, here in zip(links, is_here, strict=True)]
    return MenuGroup(f"site-{pk}", name, [*links])


add_group(sites_group)
