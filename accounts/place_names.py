"""Names of sites and channels."""

from collections.abc import Collection

from django.db.models import QuerySet

from channels_app.models import Channel
from sites.models import Site

# A site and a channel, or 0 for the whole site.
Place = tuple[int, int]
_COLUMNS = ("channel_name", "parents_path", "site__site_name")


def site_names() -> list[tuple[int, str]]:
    return list(Site.objects.order_by("site_name", "pk").values_list("pk", "site_name"))


def live_channels() -> QuerySet[Channel]:
    """Return the channels outside the trash, without home channels, which stand for their sites."""
    return Channel.objects.filter(trashed_at=None, parent__isnull=False)


def channel_names(numbers: Collection[int]) -> dict[int, str]:
    """Return the way to each channel, such as `Site › News › Sports`, also to those in the trash; two statements."""
    found = list(Channel.objects.filter(pk__in=numbers).select_related("site").only(*_COLUMNS)) if numbers else []
    above = {pk for channel in found for pk in channel.above_ids}
    names = dict(Channel.objects.filter(pk__in=above).values_list("pk", "channel_name")) if above else {}
    ways = ((channel, [names.get(pk, "") for pk in channel.above_ids[1:]]) for channel in found)
    return {channel.pk: " › ".join([channel.site.site_name, *way, channel.channel_name]) for channel, way in ways}


def place_names(places: Collection[Place]) -> dict[Place, str]:
    """Return a name for each place; the number of a deleted site or channel."""
    channels = channel_names([channel_id for _site_id, channel_id in places if channel_id])
    sites = dict(site_names()) if any(not channel_id for _site_id, channel_id in places) else {}
    return {
        (site_id, channel_id): (channels.get(channel_id) if channel_id else sites.get(site_id))
        or f"#{channel_id or site_id}"
        for site_id, channel_id in places
    }
