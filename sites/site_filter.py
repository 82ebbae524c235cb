"""The filter by site of lists in the back end."""

from typing import Any

from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from cms_api.back_end.numbers import read_number
from cms_api.back_end.ranks import sites_of
from sites.models import Site

_MOST = 100  # sites to choose from; others are reached by their own page


class SiteFilter(SimpleListFilter):
    """Names the sites that the administrator sees and no other."""

    title = _("site")
    parameter_name = "site__id__exact"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The sites by name, and in any case the chosen one."""
        own, visible = sites_of(request.user), Site.objects.order_by("site_name", "pk")
        rows = (visible if own is None else visible.filter(pk__in=own)).values_list("pk", "site_name")
        found = dict(rows[:_MOST])
        if (chosen := read_number(self.value())) is not None and chosen not in found:
            found |= dict(rows.filter(pk=chosen))
        return [(str(pk), name) for pk, name in found.items()]

    def has_output(self) -> bool:
        """Whether there is anything to choose; a chosen site is to be seen even if it is the only one."""
        return len(self.lookup_choices) > 1 or self.value() is not None

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Records of the chosen site; none for what is no number."""
        if self.value() is None:
            return queryset
        chosen = read_number(self.value())
        return queryset.none() if chosen is None else queryset.filter(site_id=chosen)
