"""First steps on the start page: a site, and the first content in it."""

from collections.abc import Iterator

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from cms_api.admin.cards import Card, add_first_steps
from cms_api.admin.ranks import Rank, rank_of
from cms_api.admin.registered import address_of, page_of


def _write(site: AdminSite, request: HttpRequest) -> Iterator[Card]:
    contents, sites = (page_of(site, request, label) for label in ("contents.Content", "cms_sites.Site"))
    has_sites = sites is None or sites.get_queryset(request).exists()
    if sites and not has_sites and sites.has_add_permission(request):
        sentence = _("Contents stand in the channels of a site. A few steps make one, empty or from a template.")
        yield Card("sites", _("Make the first site"), sentence, address_of(sites, "add"))
    may_write = contents is not None and has_sites and contents.has_add_permission(request)
    if contents and may_write and not contents.get_queryset(request).exists():
        sentence = _("Choose the channel it belongs to, then write. Keep it as a draft until it is done.")
        yield Card("contents", _("Add the first content"), sentence, address_of(contents, "add"))


def _look(site: AdminSite, request: HttpRequest) -> Iterator[Card]:
    contents = page_of(site, request, "contents.Content")
    if contents and rank_of(request.user) is Rank.HIGHEST:
        sentence = _("What the API answers is what you find here.")
        yield Card("contents", _("Look at the contents"), sentence, address_of(contents))


add_first_steps(10, _write)
add_first_steps(40, _look)
