from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.admin.picker import Picker
from core.admin.places import Places, places_of
from sites.models import Site

_MAX_LINKS = 12  # sites shown as links on the page
_MAX_ID = 2**63 - 1


def seen_sites(request: HttpRequest, places: Places | None = None) -> QuerySet[Site]:
    """Return the sites with one of the places, by default with any where the administrator has rights."""
    places, sites = places_of(request.user) if places is None else places, Site.objects.order_by("site_name", "pk")
    if places.everywhere:
        return sites
    with_branches = Site.objects.filter(channels__in=places.branch_ids).values("pk")
    return sites.filter(Q(pk__in=places.site_ids) | Q(pk__in=with_branches))


def seen_site(request: HttpRequest, site_id: int, places: Places | None = None) -> Site:
    """Return the site if it is one of `seen_sites`, and name it to the menu. Raises Http404."""
    site = seen_sites(request, places).filter(pk=site_id).first() if site_id <= _MAX_ID else None
    if site is None:
        raise Http404
    request.menu_site = site.pk  # type: ignore[attr-defined]
    return site


def site_choices(request: HttpRequest, places: Places | None = None) -> list[tuple[int, str]]:
    return list(seen_sites(request, places).values_list("pk", "site_name"))


class SiteChoice(forms.Form):
    def __init__(self, choices: list[tuple[int, str]], parameter: str = "site", chosen: int | None = None) -> None:
        super().__init__(label_suffix="")
        self.fields[parameter] = forms.ChoiceField(label=_("Site"), choices=choices, widget=Picker, initial=chosen)


def choose_site(
    pages: Any, request: HttpRequest, title: str | Promise, parameter: str, choices: list[tuple[int, str]]
) -> HttpResponse:
    """Show a choice of sites; links return with its number as `parameter`."""
    form = SiteChoice(choices, parameter) if len(choices) > _MAX_LINKS else None
    context = {
        **pages.admin_site.each_context(request),
        "opts": pages.opts,
        "title": title,
        "links": choices if form is None else [],
        "parameter": parameter,
        "form": form,
    }
    return TemplateResponse(request, "sites/choose.html", context)
