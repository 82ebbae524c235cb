"""Forms for the search of the admin. Entries are searched on their own list: their words are personal data."""

from collections.abc import Iterator

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest

from core.admin.hits import READ as MOST_READ
from core.admin.hits import Hit, best, where
from core.admin.views import address_of, page_of
from forms.admin.visitor_forms import entries_address
from forms.models import Form
from forms.rights import READ, forms_for
from sites.admin.menu import first_site, name_among_sites


def forms(request: HttpRequest, text: str) -> Iterator[Hit]:
    """Find forms by name and title; they lead to their page or, for those who see only entries, to these."""
    page = page_of(admin.site, request, Form)
    seen = page.get_queryset(request) if page else forms_for(request.user, *READ)
    for word in text.split():
        seen = seen.filter(Q(folded_name__contains=word.casefold()) | Q(title__icontains=word))
    rows = seen.select_related("site").only("name", "title", "site__site_name").order_by("-pk")[:MOST_READ]
    for row in best(rows, text, lambda row: f"{row.name} {row.title}", first_site(request)[0]):
        address = address_of(page, "change", row.pk) if page else entries_address(row)
        yield Hit(row.name, address, where(row.title, name_among_sites(request, row.site.site_name)))
