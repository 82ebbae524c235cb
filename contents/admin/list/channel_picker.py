"""The channels of a site, or of several, as one chooses among them: moved in by their depth, found by typing."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from cms_api.admin.picker import Picker

# Channels in the list; beyond this a page would be too large.
_MOST = 5000


class Offered(NamedTuple):
    """A channel as the list shows it."""

    pk: int
    name: str
    depth: int
    site_id: int
    site: str
    takes_contents: bool | None  # as its settings say; nothing: it does


def offered_channels(site_ids: Collection[int]) -> list[Offered]:
    """The channels of the sites in the order of their trees. One statement."""
    rows: QuerySet[Any, Any] = Channel.objects.present().filter(site__in=site_ids).order_by("site", "taxis")
    columns = ("pk", "channel_name", "parents_count", "site_id", "site__site_name", "settings__isContentAddable")
    return [Offered(*row) for row in rows.values_list(*columns)[:_MOST]]


def channel_choices(channels: Iterable[Offered]) -> list[Any]:
    """The choices of a form's field: channels moved in by their depth; of several sites under the sites' names."""
    by_site: dict[tuple[int, str], list[tuple[int, str]]] = defaultdict(list)
    for channel in channels:
        indented = "— " * channel.depth + channel.name
        by_site[channel.site_id, channel.site].append((channel.pk, indented))
    groups = [(name, members) for (_site_id, name), members in by_site.items()]
    return [("", "—"), *(groups[0][1] if len(groups) == 1 else groups)]


def closed_channels(channels: Iterable[Offered]) -> frozenset[int]:
    """The numbers of those that take no contents."""
    return frozenset(channel.pk for channel in channels if channel.takes_contents is False)


class ChannelPicker(Picker):
    """The list, which always has its field: a tree is long to look through, and its branches tell apart equal names."""

    most_unsearched = 0

    def __init__(self, **options: Any) -> None:
        super().__init__(_("Find a channel"), **options)
