"""Channels for the search of the admin."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from channels_app.models import Channel
from core.admin.hits import READ, Hit, best, where
from core.admin.views import address_of, page_of
from sites.admin.menu import first_site, name_among_sites

_COLUMNS = ("channel_name", "parents_path", "site__site_name", "parent__channel_name")


def channels(request: HttpRequest, text: str) -> Iterator[Hit]:
    page: Any = page_of(admin.site, request, Channel)
    if page is None:
        return
    rows = page.get_search_results(request, page.get_queryset(request), text)[0]
    rows = rows.select_related("site", "parent").only(*_COLUMNS)
    found, places = rows.order_by("site", "taxis")[:READ], page.seen_places(request.user)
    for channel in best(found, text, lambda channel: channel.channel_name, first_site(request)[0]):
        is_seen = channel.parent_id != channel.site_id and places.covers(channel.site_id, channel.above_ids)
        above = channel.parent if is_seen else ""  # the home channel is the site
        yield Hit(
            str(channel),
            address_of(page, "change", channel.pk),
            where(above, name_among_sites(request, channel.site.site_name)),
        )
