"""Moves contents to another channel of their site."""

from collections.abc import Sequence

from django.db import transaction

from channels_app.models import Channel
from cms_api.lib.errors import InvalidInput, ServiceError
from contents.models import Content, ContentChange
from contents.storing.insert import next_taxes
from contents.storing.locking import Locked, Seen
from contents.storing.overwrite import overwrite_each


@transaction.atomic
def move_contents(seen: Sequence[Seen], channel_id: int, editor: str) -> list[Content | ServiceError]:
    """The contents, which keep their numbers and everything else, at the top of the other channel.

    The last one comes to the very top. One that is not there, or stands in the channel already, is refused, and so
    are all where the channel takes no contents, is in the trash, or belongs to another site.
    """
    locked = Locked(seen)
    target = Target(channel_id)
    locked.decide(target.require_new)
    if moving := locked.contents:
        places = [{"channel_id": channel_id, "taxis": taxis} for taxis in next_taxes(channel_id, len(moving))]
        overwrite_each(zip(moving, places, strict=True), ContentChange.Kind.MOVED, editor=editor)
    return locked.results()


def require_open_channel(site_id: int, channel_id: int) -> Channel:
    """The present channel of the site, which takes contents. Raises InvalidInput.

    To be called while contents are held (channels_app.services.hold_contents), so that it stays present.
    """
    return Target(channel_id).require_open(site_id)


class Target:
    """The channel into which contents are brought, read while contents are held."""

    def __init__(self, channel_id: int) -> None:
        self._number = channel_id
        self._channel = Channel.objects.present().filter(pk=channel_id).first()

    def require_open(self, site_id: int) -> Channel:
        """The channel. Raises InvalidInput where it is in the trash, of another site, or takes no contents."""
        if self._channel is None:
            raise InvalidInput("target_not_found", f"Channel {self._number} is not there any more.")
        if self._channel.site_id != site_id:
            raise InvalidInput("target_of_another_site", f"Channel {self._number} belongs to another site.")
        if self._channel.settings.get("isContentAddable") is False:
            raise InvalidInput("channel_takes_no_contents", f"Channel {self._number} does not take contents.")
        return self._channel

    def require_new(self, content: Content) -> None:
        if content.channel_id == self._number:
            message = f"Content {content.pk} stands in channel {self._number} already."
            raise InvalidInput("in_channel_already", message)
        self.require_open(content.site_id)
