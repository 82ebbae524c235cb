"""The filter by site of lists in the back end."""

from collections.abc import Iterator
from typing import Any

from django.contrib.admin import SimpleListFilter
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from cms_api.admin.numbers import read_number
from cms_api.admin.picker import MOST, words_of_picker
from sites.admin.choosing import seen_sites

_MOST_LINKS = 20  # sites that stand beside the list
_FORGOTTEN = ("p", "channel__id__exact")  # by another site: the page, and a channel of the one before


class SiteFilter(SimpleListFilter):
    """Names the sites that the administrator sees and no other: as links, or many of them as a list to find in."""

    title = _("site")
    parameter_name = "site__id__exact"

    @property
    def template(self) -> str:  # type: ignore[override]
        """Django's, or the form."""
        return "sites/site_filter.html" if self._are_many else "admin/filter.html"

    @property
    def _are_many(self) -> bool:
        return len(self.lookup_choices) > _MOST_LINKS

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = seen_sites(request).values_list("pk", "site_name")
        found = dict(rows[:MOST])
        if (chosen := read_number(self.value())) is not None and chosen not in found:
            found |= dict(rows.filter(pk=chosen))
        return [(str(pk), name) for pk, name in found.items()]

    def has_output(self) -> bool:
        """Whether there is anything to choose; a chosen site is to be seen even if it is the only one."""
        return len(self.lookup_choices) > 1 or self.value() is not None

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Django's links; of many sites one dictionary, for the form: the sites, and what the form sends along."""
        if not self._are_many:
            yield from super().choices(changelist)
            return
        others = [(name, value) for name, values in changelist.filter_params.items() for value in values]
        yield {
            "sites": self.lookup_choices,
            "chosen": self.value(),
            "others": [pair for pair in others if pair[0] not in (self.parameter_name, *_FORGOTTEN)],
            "words": words_of_picker(_("Find a site"), is_optional=True),
            "are_first": len(self.lookup_choices) >= MOST,
        }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Records of the chosen site; none for what is no number."""
        if self.value() is None:
            return queryset
        chosen = read_number(self.value())
        return queryset.none() if chosen is None else queryset.filter(site_id=chosen)
