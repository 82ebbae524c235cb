"""Acts on what is in the trash: it comes back, or leaves for good."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy

from channels_app.admin.channels import tell
from channels_app.models import Channel
from channels_app.services import restore_channel
from cms_api.admin.acts import Act, Changed, Told
from cms_api.admin.numbers import read_number
from contents.admin.actions.results import changed, of_any_version, take_back_arrivals
from contents.models import Content
from contents.services import trash


def deleted_before(request: HttpRequest) -> trash.Purged:
    """How much the steps before this one have deleted for good (contents.admin.trash.empty)."""
    return trash.Purged(*(read_number(request.POST.get(name)) or 0 for name in trash.Purged._fields))


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
    restored = restore_channel(channel.site_id, channel.pk)
    return Told(Changed(channel.pk, channel.version), _telling("restored"), restored)


def _purge_channel(request: HttpRequest, channel: Channel) -> Told:
    purged = trash.Purged()
    if Channel.objects.filter(pk=channel.pk).exists():  # else it left with one above it
        purged = trash.purge_channel(channel.site_id, channel.pk)
    words = _telling("purged", deleted_before(request).contents)
    return Told(Changed(channel.pk, channel.version), words, (purged.channels, purged.contents))


@lru_cache  # one function for the same words, so that one sentence tells of all channels
def _telling(what: str, before: int = 0) -> Callable[..., str]:
    words: Any = {"restored": _CHANNELS_RESTORED, "purged": _CHANNELS_PURGED}[what]
    return lambda count, channels, contents: f"{words % {'count': count}} {tell(channels, contents + before)}"


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
    lambda request, contents: changed(trash.restore_contents(of_any_version(contents))),
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
    lambda request, contents: trash.purge_contents(of_any_version(contents)),
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
