from collections.abc import Iterator
from typing import Any

from django.contrib.admin import SimpleListFilter
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from core.admin.numbers import read_number
from core.admin.picker import MAX, words_of_picker
from sites.admin.choosing import seen_sites

_MAX_LINKS = 20  # sites shown beside the list
_FORGOTTEN = ("p", "channel__id__exact")  # dropped when the site changes: the page, and the previous site's channel


class SiteFilter(SimpleListFilter):
    """Offers only sites that the administrator sees: as links or, if there are many, as a searchable list."""

    title = _("site")
    parameter_name = "site__id__exact"

    @property
    def template(self) -> str:  # type: ignore[override]
        return "sites/site_filter.html" if self._are_many else "admin/filter.html"

    @property
    def _are_many(self) -> bool:
        return len(self.lookup_choices) > _MAX_LINKS

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = seen_sites(request, model_admin.seen_places(request.user)).values_list("pk", "site_name")
        found = dict(rows[:MAX])
        if (chosen := read_number(self.value())) is not None and chosen not in found:
            found |= dict(rows.filter(pk=chosen))
        return [(str(pk), name) for pk, name in found.items()]

    def has_output(self) -> bool:
        # Show a chosen site even if it is the only one.
        return len(self.lookup_choices) > 1 or self.value() is not None

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Yield Django's links or, for many sites, one dictionary for the form: sites and hidden values."""
        if not self._are_many:
            yield from super().choices(changelist)
            return
        others = [(name, value) for name, values in changelist.filter_params.items() for value in values]
        yield {
            "sites": self.lookup_choices,
            "chosen": self.value(),
            "others": [pair for pair in others if pair[0] not in (self.parameter_name, *_FORGOTTEN)],
            "words": words_of_picker(_("Find a site"), is_optional=True),
            "are_first": len(self.lookup_choices) >= MAX,
        }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() is None:
            return queryset
        chosen = read_number(self.value())
        return queryset.none() if chosen is None else queryset.filter(site_id=chosen)
