"""Contents by the ids that they had in SiteServer."""

from collections import defaultdict
from collections.abc import Collection

from channels_app.models import Channel
from contents.models import Content
from migration.models import MigratedRecord


class FormerIds:
    """Contents of a site that may have had one of the ids; one statement if none was migrated."""

    def __init__(self, site_id: int, former_ids: Collection[int]) -> None:
        of_site = Channel.objects.filter(site_id=site_id).values("pk")
        rows = MigratedRecord.objects.filter(source_id__in=former_ids, channel_id__isnull=False, channel_id__in=of_site)
        # The channel there and the id here, by former id.
        self._rows: dict[int, list[tuple[int | None, int]]] = defaultdict(list)
        for former_id, channel_id, pk in rows.values_list("source_id", "channel_id", "target_id"):
            self._rows[former_id].append((channel_id, pk))
        ids = {pk for found in self._rows.values() for _channel_id, pk in found}.union(self._rows)
        here = Content.objects.filter(site_id=site_id).only("channel_id", "trashed_at").in_bulk(ids) if ids else {}
        self._here: dict[int, Content] = here

    def find(self, former_id: int, channel_ids: Collection[int]) -> int | None:
        """Return the id here of the content in these channels; None if the id may mean another one there.

        That is one that has or had the id in these channels, even if it is deleted: who means it must not get this one.
        """
        rows = self._rows.get(former_id, [])
        meant = {pk for channel_id, pk in rows if channel_id in channel_ids}
        candidates = self._here.keys() & {former_id, *(pk for _channel_id, pk in rows)}
        meant |= {pk for pk in candidates if self._here[pk].channel_id in channel_ids}
        if len(meant) != 1 or former_id in meant:
            return None
        content = self._here.get(meant.pop())
        return content.pk if content and content.channel_id in channel_ids and content.trashed_at is None else None
