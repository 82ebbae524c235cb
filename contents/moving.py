"""Moves a content to another channel of its site."""

from django.db import transaction

from channels_app.models import Channel
from cms_api.rest.errors import BadRequest
from contents.models import Content, ContentChange
from contents.overwriting import lock_content, overwrite
from contents.writing import next_taxis


@transaction.atomic
def move_content(site_id: int, content_id: int, channel_id: int, editor: str) -> Content:
    """The content, which keeps its number and everything else, at the top of the other channel.

    Raises NotFound, or BadRequest where it stands there already, or where the channel takes no contents, is in the
    trash, or belongs to another site.
    """
    content = lock_content(site_id, content_id)
    if content.channel_id == channel_id:
        raise BadRequest("in_channel_already", f"Content {content_id} stands in channel {channel_id} already.")
    require_open_channel(site_id, channel_id)
    place = {"channel_id": channel_id, "taxis": next_taxis(channel_id)}
    overwrite(content, place, ContentChange.Kind.MOVED, editor=editor)
    return content


def require_open_channel(site_id: int, channel_id: int) -> Channel:
    """The present channel of the site, which takes contents. Raises BadRequest.

    To be called while contents are held (channels_app.services.hold_contents), so that it stays present.
    """
    channel = Channel.objects.present().filter(pk=channel_id).first()
    if channel is None:
        raise BadRequest("target_not_found", f"Channel {channel_id} is not there any more.")
    if channel.site_id != site_id:
        raise BadRequest("target_of_another_site", f"Channel {channel_id} belongs to another site.")
    if channel.settings.get("isContentAddable") is False:
        raise BadRequest("channel_takes_no_contents", f"Channel {channel_id} does not take contents.")
    return channel
