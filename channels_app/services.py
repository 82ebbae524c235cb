"""Changes that touch several channels at once: the tree's figures hold after each of them."""

from typing import Any

from django.db import transaction
from django.db.models import F, Max

from channels_app.models import Channel
from sites.models import Site


@transaction.atomic
def create_site(site_name: str, *, home_name: str = "", home: dict[str, Any] | None = None, **fields: Any) -> Site:
    """A site with its home channel; both bear the same number (design §3).

    `home` holds fields of the home channel, `fields` those of the site. Raises IntegrityError when
    the folder is taken or a second root site is asked for.
    """
    # The site's number is known once its home channel has one; foreign keys are checked at commit.
    channel = Channel.objects.create(site_id=0, channel_name=home_name or site_name, **(home or {}))
    Channel.objects.filter(pk=channel.pk).update(site_id=channel.pk)
    table_name = fields.pop("table_name", "") or f"siteserver_Content_{channel.pk}"
    return Site.objects.create(id=channel.pk, site_name=site_name, table_name=table_name, **fields)


@transaction.atomic
def create_channel(parent: Channel, channel_name: str, **fields: Any) -> Channel:
    """A new last child of the parent, with the figures of the tree kept.

    Raises IntegrityError when the index name or the file path is taken.
    """
    # Trees of one site change one after another. The number of the site stays, so that contents being
    # written to it, which look at the site last of all, need not wait for this lock.
    Site.objects.select_for_update(no_key=True).get(pk=parent.site_id)
    parent.refresh_from_db()
    taxis = _last_taxis_below(parent) + 1
    Channel.objects.filter(site_id=parent.site_id, taxis__gte=taxis).update(taxis=F("taxis") + 1)
    parent.children.present().filter(is_last_node=True).update(is_last_node=False)
    Channel.objects.filter(pk=parent.pk).update(children_count=F("children_count") + 1)
    return Channel.objects.create(
        site_id=parent.site_id,
        parent=parent,
        channel_name=channel_name,
        parents_path=",".join(filter(None, [parent.parents_path, str(parent.pk)])),
        parents_count=parent.parents_count + 1,
        taxis=taxis,
        **fields,
    )


def _last_taxis_below(channel: Channel) -> int:
    below = Channel.objects.in_channel(channel.pk)
    return int(below.aggregate(last=Max("taxis"))["last"] or channel.taxis)
