"""The sites that an administrator sees, and the page that asks which of them is meant."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from cms_api.admin.picker import Picker
from cms_api.admin.ranks import sites_of
from sites.models import Site

_MOST_LINKS = 12  # sites that stand on the page as links


def seen_sites(request: HttpRequest) -> QuerySet[Site]:
    """Those that the administrator sees, by name."""
    own, sites = sites_of(request.user), Site.objects.order_by("site_name", "pk")
    return sites if own is None else sites.filter(pk__in=own)


def site_choices(request: HttpRequest) -> list[tuple[int, str]]:
    """Number and name of each of them. One statement."""
    return _choices(seen_sites(request))


def _choices(sites: QuerySet[Site]) -> list[tuple[int, str]]:
    return list(sites.values_list("pk", "site_name"))


class SiteChoice(forms.Form):
    """Which site; the field has the name that the page to which it leads reads."""

    def __init__(self, choices: list[tuple[int, str]], parameter: str = "site", chosen: int | None = None) -> None:
        super().__init__(label_suffix="")
        field = forms.ChoiceField(label=_("Site"), choices=choices, widget=Picker, initial=chosen)
        self.fields[parameter] = field


def choose_site(
    pages: Any, request: HttpRequest, title: str | Promise, parameter: str, sites: QuerySet[Site] | None = None
) -> HttpResponse:
    """The page that asks for one of the sites, by default of all that the administrator sees.

    Each answer leads back to its own address, with the number as `parameter`.
    """
    choices = _choices(seen_sites(request) if sites is None else sites)
    form = SiteChoice(choices, parameter) if len(choices) > _MOST_LINKS else None
    context = {
        **pages.admin_site.each_context(request),
        "opts": pages.opts,
        "title": title,
        "links": choices if form is None else [],
        "parameter": parameter,
        "form": form,
    }
    return TemplateResponse(request, "sites/choose.html", context)
