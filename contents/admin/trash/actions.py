"""Acts on what is in the trash: it comes back, or leaves for good."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy

from channels_app.admin.channels import tell
from channels_app.models import Channel
from channels_app.services import restore_channel
from cms_api.admin.acts import Act, Changed, Told
from cms_api.admin.numbers import read_number
from cms_api.lib.errors import ServiceError
from contents.admin.actions.results import changed, of_any_version, take_back_arrivals
from contents.models import Content
from contents.services import trash


def deleted_before(request: HttpRequest) -> trash.Purged:
    """How much the steps before this one have deleted for good (contents.admin.trash.purge_steps)."""
    return trash.Purged(*(read_number(request.POST.get(name)) or 0 for name in trash.Purged._fields))


def _restore_contents(request: HttpRequest, contents: Sequence[Content]) -> list[Changed | ServiceError]:
    return changed(trash.restore_contents(of_any_version(contents)))


def _purge_contents(request: HttpRequest, contents: Sequence[Content]) -> list[Content | ServiceError]:
    return trash.purge_contents(of_any_version(contents))


def _tell_what_stays(contents: list[Content]) -> str:
    stay = sum(content.channel.trashed_at is not None for content in contents)
    if not stay:
        return ""
    told = ngettext(
        "%(count)d of them stays where it is: its channel is in the trash, too. Restore the channel first.",
        "%(count)d of them stay where they are: their channels are in the trash, too. Restore the channels first.",
        stay,
    )
    return told % {"count": stay}


def _restore_channel(request: HttpRequest, channel: Channel) -> Told:
    return _told(channel, _tell_restored, restore_channel(channel.site_id, channel.pk))


def _purge_channel(request: HttpRequest, channel: Channel) -> Told:
    purged = trash.Purged()
    if Channel.objects.filter(pk=channel.pk).exists():  # else it left with one above it
        purged = trash.purge_channel(channel.site_id, channel.pk)
    words = _telling_purged(deleted_before(request).contents)
    return _told(channel, words, (purged.channels, purged.contents))


def _told(channel: Channel, words: Callable[..., str], took_along: tuple[int, int]) -> Told:
    return Told(Changed(channel.pk, channel.version), words, took_along)


def _tell_restored(count: int, channels: int, contents: int) -> str:
    return _tell_all(_CHANNELS_RESTORED, count, channels, contents)


@lru_cache  # one function for a number, so that one sentence tells of all channels
def _telling_purged(before: int) -> Callable[..., str]:
    return partial(_tell_purged, before)


def _tell_purged(before: int, count: int, channels: int, contents: int) -> str:
    return _tell_all(_CHANNELS_PURGED, count, channels, contents + before)


def _tell_all(words: Any, count: int, channels: int, contents: int) -> str:
    return f"{words % {'count': count}} {tell(channels, contents)}"


def _tell_what_comes_back(channels: list[Channel]) -> str:
    """How many channels and contents come back, those chosen included."""
    chosen = [channel.pk for channel in channels]
    contents = Content.objects.filter(trashed_at__isnull=False, trashed_with_id__in=chosen)
    return tell(Channel.objects.filter(trashed_with_id__in=chosen).count(), contents.count())


def _tell_what_leaves(channels: list[Channel]) -> str:
    """How many channels and contents are deleted for good, those chosen included."""
    below = Channel.objects.filter(ancestor_links__ancestor__in=channels).order_by().values("pk").distinct()
    return tell(below.count(), Content.objects.filter(channel__in=below).count())


_CHANNELS_RESTORED = ngettext_lazy("%(count)d channel was restored.", "%(count)d channels were restored.", "count")
_CHANNELS_PURGED = ngettext_lazy(
    "%(count)d channel was permanently deleted.", "%(count)d channels were permanently deleted.", "count"
)
RESTORE_CONTENT = Act(
    "restore",
    _("Restore"),
    ngettext_lazy("Restore %(count)d content item?", "Restore %(count)d content items?", "count"),
    ngettext_lazy("%(count)d content item was restored.", "%(count)d content items were restored.", "count"),
    _restore_contents,
    consequence=_tell_what_stays,
    take_back=take_back_arrivals,
    at_once=True,
)
PURGE_CONTENT = Act(
    "purge",
    _("Delete permanently"),
    ngettext_lazy("Permanently delete %(count)d content item?", "Permanently delete %(count)d content items?", "count"),
    ngettext_lazy(
        "%(count)d content item was permanently deleted.", "%(count)d content items were permanently deleted.", "count"
    ),
    _purge_contents,
    at_once=True,
    is_grave=True,
)
RESTORE_CHANNEL = Act(
    "restore",
    _("Restore"),
    ngettext_lazy("Restore %(count)d channel?", "Restore %(count)d channels?", "count"),
    _CHANNELS_RESTORED,
    _restore_channel,
    consequence=_tell_what_comes_back,
)
PURGE_CHANNEL = Act(
    "purge",
    _("Delete permanently"),
    ngettext_lazy("Permanently delete %(count)d channel?", "Permanently delete %(count)d channels?", "count"),
    _CHANNELS_PURGED,
    _purge_channel,
    consequence=_tell_what_leaves,
    is_grave=True,
)
# What is gone for good is gone for the service, not for one site: site administrators leave it to the retention.
WITHHELD = frozenset({PURGE_CONTENT.permission})
