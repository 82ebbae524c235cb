"""The filter by channel of lists in the back end."""

from typing import Any

from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from cms_api.admin.numbers import read_number
from cms_api.admin.picker import MOST
from cms_api.admin.ranks import sites_of
from sites.admin.site_filter import SiteFilter


class ChannelFilter(SimpleListFilter):
    """Chooses by a channel with everything below it; offered once a site is chosen."""

    title = _("channel")
    parameter_name = "channel__id__exact"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        own, visible = sites_of(request.user), Channel.objects.present()
        rows = (visible if own is None else visible.filter(site__in=own)).order_by("taxis")
        site_id, found = read_number(request.GET.get(SiteFilter.parameter_name)), {}
        if site_id is not None:
            found = {each.pk: indented(each) for each in _short(rows.filter(site_id=site_id))[:MOST]}
        if (chosen := read_number(self.value())) is not None and chosen not in found:
            found |= {each.pk: indented(each) for each in _short(rows.filter(pk=chosen))}
        return [(str(pk), name) for pk, name in found.items()]

    def has_output(self) -> bool:
        """Whether there is anything to choose; what the address asks for counts in any case."""
        return bool(self.lookup_choices) or self.value() is not None

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Contents of the chosen channel and of those below it; none for what is no number."""
        if self.value() is None:
            return queryset
        chosen = read_number(self.value())
        if chosen is None:
            return queryset.none()
        # The site too: with it the list is read in the order of an index.
        site_id = Channel.objects.filter(pk=chosen).values("site_id")[:1]
        below = Channel.objects.filter(ancestor_links__ancestor_id=chosen).values("pk")
        return queryset.filter(site_id=site_id, channel__in=below)


def indented(channel: Channel) -> str:
    """The name, moved in by its depth in the tree."""
    return "— " * channel.parents_count + channel.channel_name


def _short(rows: QuerySet[Channel]) -> QuerySet[Channel]:
    return rows.only("pk", "channel_name", "parents_count")
