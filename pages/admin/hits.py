"""Templates for the search of the admin."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from core.admin.hits import READ, Hit, best, where
from core.admin.views import address_of, page_of
from pages.models import Template
from sites.admin.menu import first_site, name_among_sites


def templates(request: HttpRequest, text: str) -> Iterator[Hit]:
    page: Any = page_of(admin.site, request, Template)
    if page is None:
        return
    rows = page.get_search_results(request, page.get_queryset(request), text)[0]
    found = rows.defer("text").select_related("site").order_by("name", "pk")[:READ]
    for row in best(found, text, lambda row: row.name, first_site(request)[0]):
        place = where(row.get_kind_display(), name_among_sites(request, row.site.site_name))
        yield Hit(row.name, address_of(page, "change", row.pk), place)
