from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from cms_api.admin.picker import Picker
from cms_api.admin.ranks import sites_of
from sites.models import Site

_MAX_LINKS = 12  # sites shown as links on the page
_MAX_ID = 2**63 - 1


def seen_sites(request: HttpRequest) -> QuerySet[Site]:
    own, sites = sites_of(request.user), Site.objects.order_by("site_name", "pk")
    return sites if own is None else sites.filter(pk__in=own)


def seen_site(request: HttpRequest, site_id: int) -> Site:
    """Return the site if the administrator looks after it. Raises Http404."""
    site = seen_sites(request).filter(pk=site_id).first() if site_id <= _MAX_ID else None
    if site is None:
        raise Http404
    return site


def site_choices(request: HttpRequest) -> list[tuple[int, str]]:
    return list(seen_sites(request).values_list("pk", "site_name"))


class SiteChoice(forms.Form):
    def __init__(self, choices: list[tuple[int, str]], parameter: str = "site", chosen: int | None = None) -> None:
        super().__init__(label_suffix="")
        self.fields[parameter] = forms.ChoiceField(label=_("Site"), choices=choices, widget=Picker, initial=chosen)


def choose_site(
    pages: Any, request: HttpRequest, title: str | Promise, parameter: str, sites: QuerySet[Site] | None = None
) -> HttpResponse:
    """Ask for a site, by default any that the administrator sees; links lead back with its number as `parameter`."""
    choices = list((seen_sites(request) if sites is None else sites).values_list("pk", "site_name"))
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
