"""Addresses of real endpoints that tests of the wire use."""


def creation(channel, site_id=None):
    """Where contents of the channel are created."""
    return f"/api/v1/contents/{site_id or channel.site_id}/{channel.pk}"


def single(content, **wrong):
    """Where the content is; `wrong` replaces a part of the path."""
    place = {"site": content.site_id, "channel": content.channel_id, "id": content.pk} | wrong
    return f"/api/v1/contents/{place['site']}/{place['channel']}/{place['id']}"
