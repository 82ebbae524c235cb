"""The trash in the back end: what was deleted comes back from here, or leaves for good."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, F, Model, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from channels_app.admin import ChannelPages, tell
from channels_app.models import Channel, TrashedChannel
from channels_app.services import restore_channel
from cms_api.back_end.acts import Act
from cms_api.back_end.pages import RecordPages
from contents import trash
from contents.content_pages import ContentPages
from contents.models import Content, TrashedContent
from sites.site_filter import SiteFilter


def tell_what_comes_back(channels: list[Channel]) -> str:
    """How many channels and contents come back, those chosen included."""
    chosen = [channel.pk for channel in channels]
    contents = Content.objects.filter(trashed_at__isnull=False, trashed_with_id__in=chosen)
    return tell(Channel.objects.filter(trashed_with_id__in=chosen).count(), contents.count())


def tell_what_leaves(channels: list[Channel]) -> str:
    """How many channels and contents are deleted for good, those chosen included."""
    below = Channel.objects.filter(ancestor_links__ancestor__in=channels).order_by().values("pk").distinct()
    return tell(below.count(), Content.objects.filter(channel__in=below).count())


def _purge_channel(request: HttpRequest, channel: Channel) -> None:
    if Channel.objects.filter(pk=channel.pk).exists():  # else it left with one above it
        trash.purge_channel(channel.site_id, channel.pk)


RESTORE_CONTENT = Act(
    "restore",
    _("Restore"),
    ngettext_lazy("Restore %(count)d content?", "Restore %(count)d contents?", "count"),
    ngettext_lazy("%(count)d content was restored.", "%(count)d contents were restored.", "count"),
    lambda request, content: trash.restore_content(content.site_id, content.pk),
)
PURGE_CONTENT = Act(
    "purge",
    _("Delete for good"),
    ngettext_lazy("Delete %(count)d content for good?", "Delete %(count)d contents for good?", "count"),
    ngettext_lazy("%(count)d content was deleted for good.", "%(count)d contents were deleted for good.", "count"),
    lambda request, content: trash.purge_content(content.site_id, content.pk),
    is_grave=True,
)
RESTORE_CHANNEL = Act(
    "restore",
    _("Restore"),
    ngettext_lazy("Restore %(count)d channel?", "Restore %(count)d channels?", "count"),
    ngettext_lazy("%(count)d channel was restored.", "%(count)d channels were restored.", "count"),
    lambda request, channel: restore_channel(channel.site_id, channel.pk),
    consequence=tell_what_comes_back,
)
PURGE_CHANNEL = Act(
    "purge",
    _("Delete for good"),
    ngettext_lazy("Delete %(count)d channel for good?", "Delete %(count)d channels for good?", "count"),
    ngettext_lazy("%(count)d channel was deleted for good.", "%(count)d channels were deleted for good.", "count"),
    _purge_channel,
    consequence=tell_what_leaves,
    is_grave=True,
)
# What is gone for good is gone for the service, not for one site: site administrators leave it to the retention.
WITHHELD = frozenset({"purge"})


class TrashPages(RecordPages):
    """What contents and channels in the trash have in common."""

    withheld = WITHHELD
    rights = {}
    present: type[Model]  # of the same record once it is restored

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **options: Any) -> HttpResponse:
        """The record in the trash; what has been restored meanwhile is shown where it is now."""
        page = self.admin_site.get_model_admin(self.present)
        record = None if self.get_object(request, object_id) else page.get_object(request, object_id)
        if record is not None and page.has_view_permission(request, record):
            name = f"{self.admin_site.name}:{page.opts.app_label}_{page.opts.model_name}_change"
            return HttpResponseRedirect(reverse(name, args=[record.pk]))
        return super().change_view(request, object_id, *args, **options)


@admin.register(TrashedContent)
class TrashedContentAdmin(TrashPages, ContentPages):
    """What was deleted comes back from here, unless its channel is in the trash, too."""

    acts = (RESTORE_CONTENT, PURGE_CONTENT)
    present = Content
    list_display = ["title", "id", "site", "channel", "trashed_at", "trashed_with"]
    list_filter = [SiteFilter]
    ordering = ["-trashed_at", "-id"]
    fieldsets = [*ContentPages.fieldsets, (_("Trash"), {"fields": ["trashed_at", "trashed_with"]})]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Contents in the trash."""
        return super().get_queryset(request).filter(trashed_at__isnull=False)

    @admin.display(description=_("deleted with"))
    def trashed_with(self, content: Content) -> str:
        """The channel along with which it was deleted; nothing where it was deleted itself."""
        if content.trashed_with_id is None:
            return ""
        return _now("channel %(number)d") % {"number": content.trashed_with_id}


@admin.register(TrashedChannel)
class TrashedChannelAdmin(TrashPages, ChannelPages):
    """Channels that were deleted themselves; what is below them and their contents come back along with them."""

    acts = (RESTORE_CHANNEL, PURGE_CHANNEL)
    present = Channel
    list_display = ["channel_name", "id", "site", "parent", "channels_along", "trashed_at"]
    list_filter = [SiteFilter]
    list_select_related = ["site", "parent"]
    ordering = ["-trashed_at", "-id"]
    fieldsets = [*ChannelPages.fieldsets, (_("Trash"), {"fields": ["trashed_at", "channels_along"]})]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Channels that went to the trash by a deletion of their own, with the number of those that came along."""
        along = Channel.objects.filter(trashed_with_id=OuterRef("pk")).order_by().values("trashed_with_id")
        rows: QuerySet[Any] = super().get_queryset(request).filter(trashed_at__isnull=False, trashed_with_id=F("pk"))
        counted: QuerySet[Any] = rows.annotate(along=Subquery(along.annotate(number=Count("pk")).values("number")))
        return counted

    @admin.display(description=_("channels"))
    def channels_along(self, channel: Any) -> int:
        """How many channels it is, those below it included."""
        return int(channel.along or 0)
