"""People for the search of the admin: administrators and users."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from accounts.models import Administrator, User
from core.admin.hits import MOST, Hit, where
from core.admin.views import address_of, page_of
from search.rows import with_words


def people(request: HttpRequest, text: str) -> Iterator[Hit]:
    found: dict[str, Hit] = {}
    for model in (Administrator, User):
        page: Any = page_of(admin.site, request, model)
        if page is not None:
            rows = page.get_queryset(request)
            listed = page.get_search_results(request, rows, text)[0]
            further = with_words("user", rows, text, lambda rows: rows.none()) if model is User else rows.none()
            for person in chain(listed.order_by("pk")[:MOST], further.order_by("pk")[:MOST]):
                name = person.display_name or person.user_name
                place = where(page.opts.verbose_name, person.email, "" if person.email else person.mobile)
                address = address_of(page, "change", person.pk)
                found[address] = Hit(name, address, place)
    yield from islice(found.values(), MOST)
