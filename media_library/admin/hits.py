"""Files of the media library for the search of the admin."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from core.admin.hits import READ, Hit, best, where
from core.admin.views import address_of, page_of
from media_library.models import MediaFile
from sites.admin.menu import first_site, name_among_sites


def files(request: HttpRequest, text: str) -> Iterator[Hit]:
    page: Any = page_of(admin.site, request, MediaFile)
    if page is None:
        return
    rows = page.get_search_results(request, page.get_queryset(request).listed(), text)[0].select_related("site")
    found = rows.order_by("-created_at", "-pk")[:READ]
    for row in best(found, text, lambda row: row.title or row.name, first_site(request)[0]):
        place = where(row.name if row.title else "", name_among_sites(request, row.site.site_name))
        yield Hit(row.title or row.name, address_of(page, "change", row.pk), place)
