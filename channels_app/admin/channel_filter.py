from typing import Any

from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from core.admin.numbers import read_number
from core.admin.picker import MAX
from sites.admin.site_filter import SiteFilter


class ChannelFilter(SimpleListFilter):
    """Filters by a channel and everything below it; offered once a site is chosen."""

    title = _("channel")
    parameter_name = "channel__id__exact"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = model_admin.seen_places(request.user).narrow(Channel.objects.live(), "site", "").order_by("taxis")
        rows = rows.only("pk", "channel_name", "parents_count")
        site_id = read_number(request.GET.get(SiteFilter.parameter_name))
        found = list(rows.filter(site_id=site_id)[:MAX]) if site_id is not None else []
        if (chosen := read_number(self.value())) is not None and all(each.pk != chosen for each in found):
            found += rows.filter(pk=chosen)
        return [(str(each.pk), indented(each)) for each in found]

    def has_output(self) -> bool:
        return bool(self.lookup_choices) or self.value() is not None

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() is None:
            return queryset
        chosen = read_number(self.value())
        if chosen is None:
            return queryset.none()
        # With the site, the list is read in the order of an index.
        site_id = Channel.objects.filter(pk=chosen).values("site_id")[:1]
        below = Channel.objects.filter(ancestor_links__ancestor_id=chosen).values("pk")
        return queryset.filter(site_id=site_id, channel__in=below)


def indented(channel: Channel) -> str:
    return "— " * channel.parents_count + channel.channel_name
