"""Contents by their ids in SiteServer, which clients continue to send (docs/migration.md)."""

from collections.abc import Collection

from django.conf import settings
from django.utils.module_loading import import_string

Place = tuple[int, int]  # a channel, and the id of a content


def current_ids(site_id: int, places: Collection[Place]) -> dict[Place, int]:
    """Return the ids here of contents that are missing in their channels under the ids that clients sent."""
    former = import_string(settings.FORMER_IDS)(site_id, {number for _channel_id, number in places})
    found = {place: former.find(place[1], {place[0]}) for place in places}
    return {place: pk for place, pk in found.items() if pk is not None}


def current_id(site_id: int, former_id: int, channel_id: int, below: Collection[int]) -> int | None:
    """Return the id here of a content that is missing in the channel and those below it."""
    former = import_string(settings.FORMER_IDS)(site_id, [former_id])
    found: int | None = former.find(former_id, {channel_id}) or former.find(former_id, {channel_id, *below})
    return found
