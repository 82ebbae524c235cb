"""Settings of the current site for the search of the admin."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext as _

from core.admin.hits import Hit, best, has_words, where
from core.admin.views import address_of, page_of
from sites.admin.menu import first_site, name_among_sites
from sites.attributes import ACTED_ON, REGISTRY
from sites.models import Site


def settings(request: HttpRequest, text: str) -> Iterator[Hit]:
    """Find members by label or name; those without effect here come last."""
    page: Any = page_of(admin.site, request, Site)
    site_id, name = first_site(request)
    if page is None or site_id is None or not page.seen_places(request.user).covers_site(site_id):
        return
    may_change = page.places(request.user, "change").covers_site(site_id)
    found = []
    for member in sorted(REGISTRY, key=lambda member: member.name not in ACTED_ON):
        label = _(member.label)
        if has_words(label, text) or has_words(member.name, text):
            # Only the form has fields that an address can name, and none for computed members.
            place = f"#id_{member.name}" if may_change and not member.is_computed else ""
            found.append(
                Hit(
                    label,
                    address_of(page, "change", site_id) + place,
                    where(_(member.group), name_among_sites(request, name)),
                )
            )
    yield from best(found, text, lambda hit: hit.title)
