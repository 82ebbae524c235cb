"""The site whose channels a page shows."""

from django.http import Http404, HttpRequest
from django.urls import reverse

from channels_app.models import Channel
from cms_api.admin.ranks import sites_of
from sites.models import Site

_MOST_ID = 2**63 - 1


def site_of(request: HttpRequest, site_id: int) -> Site:
    """The site, if the administrator looks after it. Raises Http404."""
    own = sites_of(request.user)
    site = Site.objects.filter(pk=site_id).first() if site_id <= _MOST_ID else None
    if site is None or (own is not None and site_id not in own):
        raise Http404
    return site


def tree_address(channel: Channel) -> str:
    """Where the tree shows the channel, with everything above it open."""
    opened = ",".join(filter(None, [channel.parents_path, str(channel.pk)]))
    return f"{reverse('admin:channels_app_channel_tree', args=[channel.site_id])}?open={opened}#c{channel.pk}"
