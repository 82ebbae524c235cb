"""A list of the channels of a site, or of several, in which one finds a channel by typing.

Without scripts it is a plain list; with them, static/back_end/channel_picker.js puts a field above it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from channels_app.models import Channel

# Channels in the list; beyond this a page would be too large.
_MOST = 4000


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


class ChannelPicker(forms.Select):
    """The list; channels that take no contents stand in it for the sake of those below, and cannot be chosen."""

    closed: frozenset[int] = frozenset()

    class Media:
        js = (forms.Script("back_end/channel_picker.js", defer=True),)

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Django's, with the words for the script."""
        words = {
            "data-channel-picker": "",
            "data-find": _("Find a channel"),
            "data-found": _("Channels found:"),
        }
        return super().get_context(name, value, {**words, **(attrs or {})})

    def create_option(self, name: str, value: Any, *arguments: Any, **options: Any) -> dict[str, Any]:
        """Django's; a closed channel is disabled."""
        option = super().create_option(name, value, *arguments, **options)
        if value in self.closed:
            option["attrs"]["disabled"] = True
        return option
