"""Channels for the search of the admin."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from channels_app.models import Channel
from core.admin.hits import READ, Hit, best, where
from core.admin.views import address_of, page_of
from sites.admin.menu import first_site, name_among_sites


def channels(request: HttpRequest, text: str) -> Iterator[Hit]:
    page: Any = page_of(admin.site, request, Channel)
    if page is None:
        return
    rows = page.get_search_results(request, page.get_queryset(request), text)[0]
    rows = rows.select_related("site", "parent").only("channel_name", "site__site_name", "parent__channel_name")
    found = rows.order_by("site", "taxis")[:READ]
    for channel in best(found, text, lambda channel: channel.channel_name, first_site(request)[0]):
        above = channel.parent if channel.parent_id != channel.site_id else ""  # the home channel is the site
        yield Hit(
            str(channel),
            address_of(page, "change", channel.pk),
            where(above, name_among_sites(request, channel.site.site_name)),
        )
