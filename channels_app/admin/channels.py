"""Channels in the back end; those in the trash are shown by contents.admin.trash.pages."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy

from channels_app import services
from channels_app.admin.channel_filter import indented
from channels_app.admin.form_pages import FormPages
from channels_app.admin.several_pages import SeveralPages
from channels_app.admin.tree_pages import TreePages
from channels_app.models import Channel
from cms_api.admin.acts import Act, Changed, changed_meanwhile
from cms_api.admin.pages import RecordPages
from sites.admin.site_filter import SiteFilter


def move_to_trash(request: HttpRequest, channel: Channel) -> Changed | None:
    """Move the channel to the trash, as a DELETE does, unless it went there with one above it."""
    if not Channel.objects.present().filter(pk=channel.pk).exists():
        return None
    services.trash_channel(channel.site_id, channel.pk)
    return Changed(channel.pk, Channel.objects.values_list("version", flat=True).get(pk=channel.pk))


def bring_back(request: HttpRequest, channel: Channel, version: int) -> None:
    """Restore the channel from the trash, with what went there with it, unless somebody did anything to it since."""
    services.lock_tree(channel.site_id)
    if Channel.objects.values_list("version", flat=True).get(pk=channel.pk) != version:
        raise changed_meanwhile()
    services.restore_channel(channel.site_id, channel.pk)


def tell_what_goes_along(channels: list[Channel]) -> str:
    """How many channels and contents go to the trash, those chosen included."""
    below = Channel.objects.present().filter(ancestor_links__ancestor__in=channels).order_by()
    contents = services.all_contents().filter(channel__in=below.values("pk"), trashed_at=None)
    return tell(below.values("pk").distinct().count(), contents.count())


def tell(channels: int, contents: int) -> str:
    """`In all: 2 channels and 7 contents.`"""
    return _now("In all: %(what)s.") % {"what": count_words(channels, contents)}


def count_words(channels: int, contents: int) -> str:
    """`2 channels and 7 contents`."""
    told = ngettext("%(count)d channel", "%(count)d channels", channels) % {"count": channels}
    with_contents = ngettext("%(count)d content item", "%(count)d content items", contents) % {"count": contents}
    return _now("%(channels)s and %(contents)s") % {"channels": told, "contents": with_contents}


TRASH = Act(
    "trash",
    _("Move to the trash"),
    ngettext_lazy("Move %(count)d channel to the trash?", "Move %(count)d channels to the trash?", "count"),
    ngettext_lazy("%(count)d channel was moved to the trash.", "%(count)d channels were moved to the trash.", "count"),
    move_to_trash,
    right="delete",
    suits=lambda channel: channel.parent_id is not None,
    consequence=tell_what_goes_along,
    take_back=bring_back,
)


class ChannelPages(RecordPages):
    """What channels and those in the trash have in common."""

    site_lookup = "site_id"
    list_select_related = ["site"]
    search_fields = ["channel_name", "index_name"]
    fieldsets: ClassVar[Any] = [
        (None, {"fields": ["channel_name", "site", "parent", "index_name", "group_name_collection", "image_url"]}),
        (_("Place in the tree"), {"fields": ["id", "taxis", "parents_count", "children_count", "parents_path"]}),
        (_("Pages"), {"fields": ["link_type", "link_url", "file_path"]}),
        (_("Rules for pages"), {"fields": ["channel_file_path_rule", "content_file_path_rule"]}),
        (_("Templates"), {"fields": ["channel_template_id", "content_template_id"]}),
        (_("For search engines"), {"fields": ["keywords", "description"]}),
        (_("Text and settings"), {"fields": ["content", "settings"]}),
        (_("Changes"), {"fields": ["add_date", "version"]}),
    ]


@admin.register(Channel)
class ChannelAdmin(TreePages, FormPages, SeveralPages, ChannelPages):
    """The tree of each site, the forms of its channels, and a list to search all of them."""

    acts = (TRASH,)
    rights = {"view": _("See"), "add": _("Add"), "change": _("Change and move")}
    list_display = ["indented_name", "id", "site", "index_name", "children_count", "link_type"]
    list_filter = [SiteFilter]
    ordering = ["site", "taxis"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Channels that are not in the trash."""
        rows: QuerySet[Any] = super().get_queryset(request).filter(trashed_at=None)
        return rows.defer("content", "description", "settings", "site__settings")

    @admin.display(description=_("channel"))
    def indented_name(self, channel: Channel) -> str:
        """The name, moved in by its depth in the tree."""
        return indented(channel)
