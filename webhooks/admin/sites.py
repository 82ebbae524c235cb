"""Sites by their names."""

from typing import Any

from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.admin.numbers import read_number
from core.admin.places import places_of
from sites.models import Site
from webhooks.models import Webhook


def site_choices(request: HttpRequest) -> list[tuple[int, str]]:
    """Return the sites whose events the administrator may have sent; 0 stands for all, and users."""
    places = places_of(request.user)
    sites = Site.objects.order_by("site_name", "pk")
    every = [(0, _("all sites, and users"))] if places.everywhere else []
    return [*every, *places.narrow(sites, "pk").values_list("pk", "site_name")]


def site_name(hook: Webhook) -> str:
    if not hook.site_id:
        return _("all sites, and users")
    rows = Site.objects.filter(pk=hook.site_id)
    name: str | None = rows.values_list("site_name", flat=True).first()
    return name or _("deleted site %d") % hook.site_id


class SiteFilter(SimpleListFilter):
    title, parameter_name = gettext_lazy("site"), "site__id__exact"

    def __init__(self, request: HttpRequest, params: Any, model: Any, model_admin: Any) -> None:
        self._column = model_admin.site_lookup
        super().__init__(request, params, model, model_admin)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(str(pk), name) for pk, name in site_choices(request)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() is None:
            return queryset
        chosen = read_number(self.value())
        return queryset.none() if chosen is None else queryset.filter(**{self._column: chosen})
